package wsapi

import (
	"encoding/json"
	"slices"

	"windlass/functions/internal/fault"
	"windlass/functions/internal/session"
)

// parts are the files of a submission, each read as strictly as the frame.
func (r request) parts() (parts []session.Part, err error) {
	for i, raw := range r.Input {
		p, err := readPart(raw)
		if err != nil {
			return nil, fault.New(fault.InvalidRequest, "input %d: %s", i, fault.Of(err).Message)
		}
		parts = append(parts, p)
	}
	return parts, nil
}

func readPart(raw json.RawMessage) (session.Part, error) {
	var given map[string]json.RawMessage
	if err := object(raw, &given); err != nil {
		return session.Part{}, err
	}
	for name := range given {
		if !slices.Contains([]string{"type", "path", "upload", "name"}, name) {
			return session.Part{}, fault.New(fault.InvalidRequest, "it has a member %.60q that it does not take", name)
		}
	}
	var p struct{ Type, Path, Upload, Name string }
	if err := json.Unmarshal(raw, &p); err != nil || p.Type != "file" {
		return session.Part{}, fault.New(fault.InvalidRequest, `it is {"type": "file", "path": …} or {"type": "file", "upload": …}`)
	}
	return session.Part{Path: p.Path, Upload: p.Upload, Name: p.Name}, nil
}
