package s3

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
)

// deletion is what DeleteObjects asks for.
type deletion struct {
	keys  []string
	quiet bool
}

// parseDelete reads <Delete><Quiet/><Object><Key/></Object>...</Delete> and
// refuses any other element by name: a VersionId or an ETag that is passed over
// would delete more than was asked.
func parseDelete(body []byte) (deletion, error) {
	var in deletion
	path, key, err := []string(nil), "", error(nil)
	text := new(strings.Builder)
	d := xml.NewDecoder(bytes.NewReader(body))
	for err == nil {
		var token xml.Token
		if token, err = d.Token(); err != nil {
			break
		}
		switch t := token.(type) {
		case xml.StartElement:
			path = append(path, t.Name.Local)
			text.Reset()
			if !knownElement(path) {
				return in, unmodelled("element " + strings.Join(path, "/") + " of DeleteObjects")
			}
			if len(path) == 2 {
				key = ""
			}
		case xml.CharData:
			text.Write(t)
		case xml.EndElement:
			err = in.end(path, text.String(), &key)
			path = path[:len(path)-1]
			text.Reset()
		case xml.Directive:
			err = fault("MalformedXML") // a DOCTYPE
		}
	}
	if !errors.Is(err, io.EOF) {
		var e *Error
		if errors.As(err, &e) {
			return in, e
		}
		return in, fault("MalformedXML")
	}
	if len(in.keys) == 0 || len(in.keys) > maxDelete {
		return in, fault("MalformedXML")
	}
	return in, nil
}

func knownElement(path []string) bool {
	switch strings.Join(path, "/") {
	case "Delete", "Delete/Quiet", "Delete/Object", "Delete/Object/Key":
		return true
	}
	return false
}

// end takes in an element that is complete.
func (in *deletion) end(path []string, text string, key *string) error {
	switch name := path[len(path)-1]; {
	case name == "Key":
		*key = text
	case name == "Quiet" && strings.TrimSpace(text) == "true":
		in.quiet = true
	case name == "Quiet" && strings.TrimSpace(text) != "false":
		return fault("MalformedXML")
	case name == "Object" && *key == "":
		return fault("MalformedXML")
	case name == "Object":
		in.keys = append(in.keys, *key)
		return checkKey(*key)
	}
	return nil
}
