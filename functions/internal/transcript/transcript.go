package transcript

import "windlass/eventstore/event"

// Kind says what an item is.
type Kind string

const (
	User       Kind = "user"
	Text       Kind = "text"
	Reasoning  Kind = "reasoning"
	ToolCall   Kind = "tool_call"
	ToolResult Kind = "tool_result"
)

// Item is one entry, the same for every provider.
type Item struct {
	Kind Kind
	// Text is of user, text and reasoning.
	Text event.Value
	// Call is of tool_call, and of tool_result: the call it answers.
	Call *event.ToolCall
	// Output and Error are of tool_result; one of them.
	Output event.Value
	Error  *event.Error
}

// Transcript is the fold. Items is only ever appended to, so a slice of it stays
// valid, and the request of a round begins with that of the round before.
type Transcript struct {
	Items []Item

	prompts map[string]event.Value // accepted, not started
	notes   map[string][]Item      // said since, for an operation's next round
	results []*Item                // of the round under way, by index
	missing int
}

// Apply adds one event. It is total.
func (t *Transcript) Apply(e event.Event) {
	switch d := e.Data.(type) {
	case event.OperationAccepted:
		if t.prompts == nil {
			t.prompts = map[string]event.Value{}
		}
		t.prompts[e.Operation] = d.Prompt
	case event.OperationStarted:
		t.Items = append(t.Items, Item{Kind: User, Text: t.prompts[e.Operation]})
		delete(t.prompts, e.Operation)
	case event.MessageSteered:
		t.note(e.Operation, d.Text)
	case event.OperationWarned:
		t.note(e.Operation, event.Text(d.Message))
	case event.ModelStarted:
		if d.Attempt == 1 { // the attempts of a round are asked the same
			t.join(e.Operation)
		}
	case event.OperationFailed, event.OperationCancelled, event.OperationCompleted:
		t.ended(e.Operation)
	case event.ModelCompleted:
		t.answer(d.Items)
	case event.ToolCompleted:
		t.result(d.Index, Item{Kind: ToolResult, Output: d.Output})
	case event.ToolFailed:
		t.result(d.Index, Item{Kind: ToolResult, Error: &d.Error})
	}
}

func (t *Transcript) note(operation string, text event.Value) {
	if t.notes == nil {
		t.notes = map[string][]Item{}
	}
	t.notes[operation] = append(t.notes[operation], Item{Kind: User, Text: text})
}

// join lets the model read what was said, after the results of the round before.
func (t *Transcript) join(operation string) {
	t.Items = append(t.Items, t.notes[operation]...)
	delete(t.notes, operation)
}

// ended: a prompt whose turn never began is not part of the conversation; what was
// said to one that did is, whatever became of it.
func (t *Transcript) ended(operation string) {
	if _, waits := t.prompts[operation]; waits {
		delete(t.prompts, operation)
		delete(t.notes, operation)
	}
	t.join(operation)
}

func (t *Transcript) answer(items []event.ModelItem) {
	t.results, t.missing = nil, 0
	for _, it := range items {
		switch {
		case it.Kind == event.ItemText && it.Text != nil:
			t.Items = append(t.Items, Item{Kind: Text, Text: *it.Text})
		case it.Kind == event.ItemReasoning && it.Text != nil:
			t.Items = append(t.Items, Item{Kind: Reasoning, Text: *it.Text})
		case it.Kind == event.ItemToolCall && it.Call != nil:
			t.Items = append(t.Items, Item{Kind: ToolCall, Call: it.Call})
			t.results = append(t.results, &Item{Call: it.Call})
			t.missing++
		}
	}
}

func (t *Transcript) result(index int, it Item) {
	if index < 0 || index >= len(t.results) || t.results[index].Kind != "" {
		return
	}
	it.Call = t.results[index].Call
	*t.results[index] = it
	if t.missing--; t.missing > 0 {
		return
	}
	for _, r := range t.results {
		t.Items = append(t.Items, *r)
	}
	t.results = nil
}
