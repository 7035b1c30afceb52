package httpapi

import (
	"bytes"
	"encoding/json"
	"fmt"

	"windlass/functions/internal/fault"
	"windlass/functions/internal/session"
)

// inputFile is the one kind of part that there is.
const inputFile = "file"

// inputParts reads the parts of a submission's input, each as strictly as the body.
func inputParts(raw []json.RawMessage) ([]session.Part, error) {
	var parts []session.Part
	for i, text := range raw {
		p, err := inputPart(text)
		if err != nil {
			return nil, fault.New(fault.Of(err).Code, "input %d: %s", i, fault.Of(err).Message)
		}
		parts = append(parts, p)
	}
	return parts, nil
}

func inputPart(text []byte) (p session.Part, err error) {
	if !bytes.HasPrefix(text, []byte("{")) {
		return p, fault.New(fault.InvalidRequest, `it is no object; it is {"type": "file", "path": …}`)
	}
	var kind *string
	var path, upload, name string
	if err := readMembers(json.NewDecoder(bytes.NewReader(text)), map[string]any{"type": &kind, "path": &path, "upload": &upload, "name": &name}); err != nil {
		return p, err
	}
	if kind == nil || *kind != inputFile {
		return p, fault.New(fault.InvalidRequest, "its type is %s; it is %q", quoted(kind), inputFile)
	}
	return session.Part{Path: path, Upload: upload, Name: name}, nil
}

func quoted(s *string) string {
	if s == nil {
		return "missing"
	}
	return fmt.Sprintf("%.40q", *s)
}
