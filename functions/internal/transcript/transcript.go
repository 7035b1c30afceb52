package transcript

import (
	"cmp"
	"fmt"

	"windlass/eventstore/event"
)

// Kind says what an item is.
type Kind string

const (
	User       Kind = "user"
	Text       Kind = "text"
	Reasoning  Kind = "reasoning"
	ToolCall   Kind = "tool_call"
	ToolResult Kind = "tool_result"
	File       Kind = "file"
	// Opaque is nothing but Native.
	Opaque Kind = "opaque"
	// Summary stands for items before; it is shown to models, and is in no log.
	Summary Kind = "summary"
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
	// MaxShown bounds what is shown of Output, in bytes; 0 for [MaxShown].
	MaxShown int64 `json:",omitempty"`
	// Files are what a prompt came with, or the one file that a model made.
	Files []event.File `json:",omitempty"`
	// Native is what the model that gave the item alone can read; Origin is that model,
	// as "provider/name".
	Native *event.Value `json:",omitempty"`
	Origin string       `json:",omitempty"`
}

// Transcript is the fold. Items is only ever appended to, so a slice of it stays
// valid, and the request of a round begins with that of the round before.
type Transcript struct {
	// Items are those behind the first Before ones, which a checkpoint stands for.
	Items  []Item
	Before int
	// Marks say what of them a model is shown.
	Marks Marks

	prompts map[string]prompt // accepted, not started
	notes   map[string][]Item // said since, for an operation's next round
	results []*Item           // of the round under way, by index
	missing int
}

// prompt is what an operation was submitted with.
type prompt struct {
	Text  event.Value  `json:"text"`
	Files []event.File `json:"files,omitempty"`
}

// Len is how many items the transcript has.
func (t *Transcript) Len() int { return t.Before + len(t.Items) }

// Apply adds one event. It is total.
func (t *Transcript) Apply(e event.Event) {
	switch d := e.Data.(type) {
	case event.OperationAccepted:
		if t.prompts == nil {
			t.prompts = map[string]prompt{}
		}
		t.prompts[e.Operation] = prompt{d.Prompt, d.Input}
	case event.OperationStarted:
		p := t.prompts[e.Operation]
		t.add(Item{Kind: User, Text: p.Text, Files: p.Files})
		t.Marks.Prompt = &Placed{Item: t.Items[len(t.Items)-1], N: t.Len()}
		delete(t.prompts, e.Operation)
	case event.MessageSteered:
		t.note(e.Operation, d.Text)
	case event.OperationWarned:
		t.note(e.Operation, event.Text(d.Message))
	case event.ApprovalResolved:
		t.approved(e.Operation, d)
	case event.ModelStarted:
		if d.Attempt == 1 { // the attempts of a round are asked the same
			t.join(e.Operation)
		}
	case event.OperationFailed, event.OperationCancelled, event.OperationCompleted:
		t.ended(e.Operation)
	case event.ModelCompleted:
		t.answer(d)
	case event.ToolCompleted:
		t.result(d.Index, Item{Kind: ToolResult, Output: d.Output, MaxShown: d.Shown})
	case event.ToolFailed:
		t.result(d.Index, Item{Kind: ToolResult, Error: &d.Error})
	case event.TranscriptCompacted:
		t.compacted(d)
	case event.TranscriptRepaired:
		t.repaired(d)
	}
}

func (t *Transcript) add(items ...Item) {
	t.Items = append(t.Items, items...)
	for _, it := range items {
		t.Marks.Weight += it.tokens(0)
	}
}

func (t *Transcript) note(operation string, text event.Value) {
	if t.notes == nil {
		t.notes = map[string][]Item{}
	}
	t.notes[operation] = append(t.notes[operation], Item{Kind: User, Text: text})
}

// approved: the model reads with its next round what a person changed, or said, when
// they allowed a call.
func (t *Transcript) approved(operation string, d event.ApprovalResolved) {
	if d.Decision != event.Approve || d.Arguments == nil && d.Note == "" || d.Index < 0 || d.Index >= len(t.results) {
		return
	}
	text := fmt.Sprintf("A person allowed call %d of %s", d.Index+1, t.results[d.Index].Call.Name)
	if d.Arguments != nil {
		text += " with other arguments: " + cmp.Or(d.Arguments.Inline(), "(long)")
	}
	if d.Note != "" {
		text += ". They say: " + d.Note
	}
	t.note(operation, event.Text(text))
}

// join lets the model read what was said, after the results of the round before.
func (t *Transcript) join(operation string) {
	t.add(t.notes[operation]...)
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

func (t *Transcript) answer(d event.ModelCompleted) {
	t.results, t.missing = nil, 0
	for _, m := range d.Items {
		it, ok := itemOf(m, d.Model)
		if !ok {
			continue
		}
		t.add(it)
		if it.Kind == ToolCall {
			t.results = append(t.results, &Item{Call: it.Call})
			t.missing++
		}
	}
	t.counted(d.Usage)
}

// itemOf is one part of an answer; what lacks what its kind has is none.
func itemOf(m event.ModelItem, origin string) (it Item, ok bool) {
	it = Item{Native: m.Native}
	if it.Native != nil {
		it.Origin = origin
	}
	switch {
	case m.Kind == event.ItemText && m.Text != nil:
		it.Kind, it.Text = Text, *m.Text
	case m.Kind == event.ItemReasoning && m.Text != nil:
		it.Kind, it.Text = Reasoning, *m.Text
	case m.Kind == event.ItemToolCall && m.Call != nil:
		it.Kind, it.Call, it.Origin = ToolCall, m.Call, origin
	case m.Kind == event.ItemFile && m.File != nil:
		it.Kind, it.Files = File, []event.File{*m.File}
	case m.Kind == event.ItemOpaque && m.Native != nil:
		it.Kind = Opaque
	default:
		return Item{}, false
	}
	return it, true
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
		t.add(*r)
	}
	t.results = nil
}
