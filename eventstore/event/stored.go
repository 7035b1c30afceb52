package event

import (
	"errors"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
)

// Stored is an event as it stands in the log, with its seq: for those who pass it on and
// do not look at its data.
type Stored struct {
	Seq       uint64
	Operation string
	JSON      []byte
}

// MarshalJSON is the event's JSON.
func (s Stored) MarshalJSON() ([]byte, error) { return s.JSON, nil }

// Split takes a commit's events apart, whose first has a seq, and reads no more of them
// than whose they are.
func Split(body []byte, first uint64) (all []Stored, err error) {
	if !gjson.ValidBytes(body) {
		return nil, errors.New("event: the events are not JSON")
	}
	array := gjson.ParseBytes(body)
	if !array.IsArray() {
		return nil, errors.New("event: the events are no array")
	}
	array.ForEach(func(_, e gjson.Result) bool {
		if !e.IsObject() || strings.TrimLeft(e.Raw[1:], " \t\r\n")[0] == '}' {
			err = errors.New("event: one of the events is no object, or has nothing in it")
			return false
		}
		s := Stored{Seq: first + uint64(len(all)), JSON: make([]byte, 0, len(e.Raw)+24)}
		s.JSON = append(strconv.AppendUint(append(s.JSON, `{"seq":`...), s.Seq, 10), ',')
		s.JSON = append(s.JSON, e.Raw[1:]...)
		s.Operation = e.Get("operationId").String()
		all = append(all, s)
		return true
	})
	return all, err
}
