package wsapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/aws/aws-lambda-go/events"

	"windlass/functions/internal/fault"
)

// request is a client's frame.
type request struct {
	Version   int     `json:"v"`
	Type      string  `json:"type"`
	ID        string  `json:"id"`
	Session   string  `json:"session"`
	Operation string  `json:"operationId"`
	After     *uint64 `json:"after"`
	Prompt    *string `json:"prompt"`
	Agent     string  `json:"agent"`
	IfBusy    string  `json:"ifBusy"`
	Text      *string `json:"text"`
	Message   string  `json:"messageId"`
	// Input is read part by part: see [request.parts].
	Input []json.RawMessage `json:"input"`
}

// members are what each type of frame may have besides v, type and id; those
// before the bar it must have.
var members = map[string]struct{ must, may []string }{
	"subscribe":   {[]string{"session", "after"}, []string{"operationId"}},
	"unsubscribe": {[]string{"session"}, []string{"operationId"}},
	"submit":      {[]string{"session", "prompt"}, []string{"operationId", "agent", "ifBusy", "input"}},
	"cancel":      {[]string{"session", "operationId"}, nil},
	"steer":       {[]string{"session", "operationId", "text"}, []string{"messageId"}},
	"snapshot":    {[]string{"session"}, nil},
	"ping":        {},
}

// maxID bounds a frame's id, in bytes: it is repeated in the answer.
const maxID = 128

// read reads a frame, strictly: a misspelt member would be taken for its absence.
// With an error it returns what could be read, so that the answer can name it.
func read(e events.APIGatewayWebsocketProxyRequest) (request, error) {
	body := []byte(e.Body) // text: the gateway closes a socket that sends anything else
	var given map[string]json.RawMessage
	if err := object(body, &given); err != nil {
		return request{}, err
	}
	var r request
	if json.Unmarshal(given["id"], &r.ID) != nil || len(r.ID) > maxID {
		r.ID = ""
		if given["id"] != nil {
			return r, fault.New(fault.InvalidRequest, "id is a string of at most %d bytes", maxID)
		}
	}
	id := r.ID
	if err := json.Unmarshal(body, &r); err != nil {
		r.ID = id
		var wrong *json.UnmarshalTypeError
		if errors.As(err, &wrong) && wrong.Field != "" {
			return r, fault.New(fault.InvalidRequest, "%s has a value of the wrong kind: %s", wrong.Field, wrong.Value)
		}
		return r, fault.New(fault.InvalidRequest, "a member of the frame has a value of the wrong kind")
	}
	return r, r.check(given)
}

// object reads exactly one JSON object, each member once: the last of two would
// otherwise be taken for both.
func object(body []byte, into *map[string]json.RawMessage) error {
	if !utf8.Valid(body) {
		return fault.New(fault.InvalidRequest, "the frame is not valid UTF-8")
	}
	*into = map[string]json.RawMessage{}
	d := json.NewDecoder(bytes.NewReader(body))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return noObject()
	}
	for d.More() {
		name, err := d.Token()
		key, isName := name.(string)
		var value json.RawMessage
		if err != nil || !isName || d.Decode(&value) != nil {
			return noObject()
		}
		if _, twice := (*into)[key]; twice {
			return fault.New(fault.InvalidRequest, "the frame has the member %.60q twice", key)
		}
		(*into)[key] = value
	}
	if _, err := d.Token(); err != nil {
		return noObject()
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return fault.New(fault.InvalidRequest, "something follows the JSON object in the frame")
	}
	return nil
}

func noObject() error {
	return fault.New(fault.InvalidRequest, `the frame is not a JSON object; send {"v": 1, "type": "…"}`)
}

func (r request) check(given map[string]json.RawMessage) error {
	allowed, ok := members[r.Type]
	switch {
	case r.Version != 1:
		return fault.New(fault.InvalidRequest, `"v" is not 1, the version that this server speaks`)
	case !ok:
		return fault.New(fault.UnknownType, "type is %.40q; this server takes %s", r.Type, strings.Join(slices.Sorted(maps.Keys(members)), ", "))
	}
	for _, name := range allowed.must {
		if raw, ok := given[name]; !ok || string(raw) == "null" {
			return fault.New(fault.InvalidRequest, "%s needs %s", r.Type, strings.Join(allowed.must, " and "))
		}
	}
	for name := range given {
		if !slices.Contains(allowed.must, name) && !slices.Contains(allowed.may, name) && !slices.Contains([]string{"v", "type", "id"}, name) {
			return fault.New(fault.InvalidRequest, "%s has a member %.60q that it does not take", r.Type, name)
		}
	}
	return nil
}
