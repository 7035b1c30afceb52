package openai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"windlass/eventstore/event"
)

// usableID is what servers take as a call's id: OpenAI allows 64 bytes.
var usableID = regexp.MustCompile(`^[A-Za-z0-9_.:-]{1,64}$`)

// callID keeps the provider's id where it can, because some models were trained on
// its form. One that was used before, or that another provider made and no server
// takes, is replaced by the call's place. That depends on what stands before the
// call alone, so a call has the same id in every later request.
func (p *projection) callID(c *event.ToolCall) string {
	id := c.CallID
	if !usableID.MatchString(id) || p.used[id] {
		id = fmt.Sprintf("call_%d_%d", p.round, c.Index)
		for p.used[id] {
			id += "_"
		}
	}
	p.used[id] = true
	return id
}

var notInNames = regexp.MustCompile(`[^A-Za-z0-9_-]`)

// callName is a name that the API takes: a model may have called what is no tool,
// which the call's result says.
func callName(name string) string {
	name = notInNames.ReplaceAllString(name, "_")
	if name == "" {
		return "_"
	}
	return name[:min(len(name), 64)]
}

// isObject: some servers read a call's arguments again, and refuse the whole
// request if they are not the JSON of an object.
func isObject(arguments string) bool {
	return strings.HasPrefix(strings.TrimLeft(arguments, " \t\r\n"), "{") && json.Valid([]byte(arguments))
}

// wholeRunes: half of a surrogate pair, escaped, is JSON, but some servers fail on
// it when they read the arguments again.
func wholeRunes(arguments string) string {
	if !strings.Contains(arguments, `\ud`) && !strings.Contains(arguments, `\uD`) {
		return arguments
	}
	d := json.NewDecoder(strings.NewReader(arguments))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return arguments
	}
	var b bytes.Buffer
	if appendJSON(&b, v) != nil {
		return arguments
	}
	return b.String()
}

// head is as much of malformed arguments as the model is told again.
func head(s string) string {
	if s == "" {
		return "(none)"
	}
	return strings.ToValidUTF8(s[:min(len(s), 2<<10)], "")
}
