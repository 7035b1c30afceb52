package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"windlass/tests/client"
)

var small = load{rounds: 1, calls: 2, tool: 20, answer: 3}

// honest is the log of a turn that did what small asks for.
func honest() []client.Event {
	var all []client.Event
	add := func(kind string, round int, data string) {
		all = append(all, client.Event{Seq: uint64(len(all) + 1), Type: kind, OperationID: "op", Round: round, Data: json.RawMessage(data)})
	}
	add("session.opened", 0, `{}`)
	all[0].OperationID = ""
	add("operation.accepted", 0, `{}`)
	add("operation.started", 0, `{}`)
	add("model.started", 1, `{"attempt":1}`)
	add("model.completed", 1, `{"attempt":1,"items":[
		{"kind":"tool_call","call":{"index":0,"callId":"c0","name":"workspace_write","arguments":"{}"}},
		{"kind":"tool_call","call":{"index":1,"callId":"c1","name":"workspace_read","arguments":"{}"}}]}`)
	add("tool.started", 1, `{"index":0,"name":"workspace_write","effect":"idempotent"}`)
	add("tool.started", 1, `{"index":1,"name":"workspace_read","effect":"read"}`)
	add("workspace.written", 1, `{"path":"/a","bytes":20}`)
	add("tool.completed", 1, `{"index":0,"callId":"c0","name":"workspace_write","output":"done"}`)
	add("tool.completed", 1, fmt.Sprintf(`{"index":1,"callId":"c1","name":"workspace_read","output":%q}`, strings.Repeat("x", 25)))
	add("model.started", 2, `{"attempt":1}`)
	add("model.completed", 2, `{"attempt":1,"items":[{"kind":"text","text":"end"}]}`)
	add("operation.completed", 0, `{"output":"end"}`)
	return all
}

func TestWorkThatWasNotDoneIsNoticed(t *testing.T) {
	if err := logged(honest(), map[string]load{"op": small}); err != nil {
		t.Fatalf("all was done: %v", err)
	}
	replace := func(i int, data string) []client.Event {
		all := honest()
		all[i].Data = json.RawMessage(data)
		return all
	}
	for name, c := range map[string]struct {
		events []client.Event
		load   load
	}{
		"another operation":   {honest()[:1], small},
		"no end":              {honest()[:12], small},
		"a round too few":     {honest(), load{rounds: 2, calls: 2, tool: 20}},
		"a call too few":      {honest(), load{rounds: 1, calls: 3, tool: 20}},
		"a short file":        {replace(7, `{"path":"/a","bytes":19}`), small},
		"a short read":        {replace(9, `{"index":1,"callId":"c1","name":"workspace_read","output":"short"}`), small},
		"a read that is lost": {replace(9, `{"index":1,"callId":"c1","name":"workspace_read","output":{"ref":{"bytes":19}}}`), small},
		"a law is broken":     {slices.Delete(honest(), 2, 3), small},
	} {
		if err := logged(c.events, map[string]load{"op": c.load}); err == nil {
			t.Errorf("%s passes", name)
		}
	}
}

func TestAnAnswerThatIsNotTheOneAskedForIsNoticed(t *testing.T) {
	right, long := "end", "much more"
	padded := small
	padded.padded = 100
	for name, c := range map[string]struct {
		client.Operation
		load
		ok bool
	}{
		"right":          {client.Operation{Status: "completed", Output: &right}, small, true},
		"failed":         {client.Operation{Status: "failed", Output: &right}, small, false},
		"another length": {client.Operation{Status: "completed", Output: &long}, small, false},
		"none":           {client.Operation{Status: "completed"}, small, false},
		"a whole prompt": {client.Operation{Status: "completed", Output: &right, PromptBytes: 100}, padded, true},
		"a cut prompt":   {client.Operation{Status: "completed", Output: &right, PromptBytes: 99}, padded, false},
	} {
		if err := answered(c.Operation, c.load); (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestPaddedPromptsHaveTheirLengthAndAreNew(t *testing.T) {
	l := of(1, 2, 256)
	l.padded = 5000
	one, two := l.prompt("one"), l.prompt("two")
	if len(one) != 5000 || len(two) != 5000 || one == two {
		t.Errorf("%d and %d bytes, equal: %v", len(one), len(two), one == two)
	}
	if first, _, _ := strings.Cut(one, "\n"); first != l.String() {
		t.Errorf("the first line is %q", first)
	}
	if of(1, 1, 1).prompt("x") != of(1, 1, 1).String() {
		t.Error("a load without padding is not itself")
	}
}
