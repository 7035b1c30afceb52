package projection

import (
	"errors"
	"regexp"

	"windlass/eventstore/event"
	"windlass/functions/internal/transcript"
)

// MaxBytes bounds what a request shows, in bytes. No model reads as much, and all
// of it has to fit into memory at once.
const MaxBytes = 32 << 20

// ErrTooLong: the transcript shows more than [MaxBytes].
var ErrTooLong = errors.New("projection: the transcript is longer than what is sent to a model")

// Rules are what differs from protocol to protocol.
type Rules struct {
	// Origin is "provider/name" of the model that is asked. Opaque material, and ids of
	// calls, are given back to the model that made them alone.
	Origin string
	// CallID matches the ids that the protocol takes; nil for any of up to 64 letters,
	// digits, "_" and "-".
	CallID *regexp.Regexp
	// File reports whether the protocol takes a file of this media type, which is in lower
	// case and without parameters. Texts are shown as text anyway. Nil takes none.
	File func(mediaType string) bool
	// FilesAfter: files of the items up to this one are named only, but for texts.
	FilesAfter int
}

// Project makes the messages of a whole transcript, and tells all repairs.
func Project(items []Item, rules Rules) ([]Message, []event.Repair, error) {
	p := New(rules)
	if err := p.Add(items); err != nil {
		return nil, nil, err
	}
	messages, repairs := p.Messages(0)
	return messages, repairs, nil
}

// projector writes messages, one item after the other.
type projector struct {
	Rules
	messages []Message
	repairs  []event.Repair
	used     map[string]bool // ids of calls
	// open are the calls of the newest answer that have no result yet, in their order;
	// answered says that one of its calls has.
	open     []openCall
	answered bool
}

// openCall waits for its result.
type openCall struct {
	item      int
	call      *event.ToolCall
	id, name  string
	malformed string // what it had for arguments
}

func (p *projector) add(it Item) {
	p.repaired(it.InPart, event.RepairInPart, it.N)
	switch it.Kind {
	case transcript.User:
		p.close()
		p.user(it)
	case transcript.Summary:
		p.close()
		text, _ := clean(it.Body)
		p.say(User, Part{Text: transcript.SummaryHeading + text})
	case transcript.ToolResult:
		p.result(it)
	default:
		if p.answered {
			p.close()
		}
		p.assistant(it)
	}
}

// say adds a part to a side's message.
func (p *projector) say(role Role, part Part) {
	if n := len(p.messages); n > 0 && p.messages[n-1].Role == role {
		p.messages[n-1].Parts = append(p.messages[n-1].Parts, part)
		return
	}
	if len(p.messages) == 0 && role == Assistant { // protocols want the user to begin
		p.messages = append(p.messages, Message{User, []Part{{Text: noText}}})
	}
	p.messages = append(p.messages, Message{role, []Part{part}})
}

// noText stands where a protocol wants text and there is none.
const noText = "(empty)"

func (p *projector) user(it Item) {
	if text, changed := clean(it.Body); text != "" {
		p.repaired(changed, event.RepairText, it.N)
		p.say(User, Part{Text: text})
	} else if len(it.Item.Files) == 0 {
		p.say(User, Part{Text: noText})
	}
	for i, f := range it.Item.Files {
		p.file(it, f, it.Files[i])
	}
}

func (p *projector) assistant(it Item) {
	own := it.Origin == p.Origin && it.Origin != ""
	switch {
	case it.Kind == transcript.ToolCall:
		p.call(it, own)
	case own && it.Native != "":
		p.say(Assistant, Part{Native: it.Native})
	case it.Kind == transcript.Text:
		text, changed := clean(it.Body)
		p.repaired(changed, event.RepairText, it.N)
		if !blank(text) {
			p.say(Assistant, Part{Text: text})
		}
	case it.Kind == transcript.File && len(it.Item.Files) > 0:
		p.say(Assistant, Part{Text: named(it.Item.Files[0])})
	}
}

func (p *projector) repaired(changed bool, kind string, item int) {
	if changed {
		p.repairs = append(p.repairs, event.Repair{Kind: kind, Item: item})
	}
}
