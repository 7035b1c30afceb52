package openai

import (
	"maps"
	"slices"
	"strings"

	"windlass/functions/internal/model"
)

// Limits of one answer.
const (
	// maxAnswer bounds an answer's texts and arguments together, in bytes.
	maxAnswer = 16 << 20
	maxCalls  = 10_000
	// maxItems bounds the items, so that empty ones are bounded too.
	maxItems = 2 * maxCalls
)

// answer puts the pieces of an answer in the model's order. An item is known by
// its place in the output alone: servers change an item's id from event to event.
// What belongs to the first item that is not complete is handed on at once; what
// comes for a later one waits for those before it, so a server that leaves a
// place out costs the preview and not the answer.
type answer struct {
	items map[int]*item
	// next is the place up to which parts are handed on at once.
	next  int
	ready []model.Part

	bytes, count, calls int
	refused             bool
}

// item is one item of the output while it arrives.
type item struct {
	place int
	kind  string
	done  bool
	// held waits for the items before.
	held []*held
	// spoke: texts came in pieces, so the whole one is not read again.
	spoke bool
	// source and part say what reasoning is made of; see [answer.think].
	source string
	part   int

	callID, name string
	arguments    strings.Builder
}

type held struct {
	reasoning bool
	text      strings.Builder
	call      *model.Call
}

// Where reasoning comes from.
const (
	summary = "summary"
	thought = "thought"
)

func (a *answer) tooLarge() bool {
	return a.bytes > maxAnswer || a.calls > maxCalls || a.count > maxItems
}

// take gives the parts that may be handed on, once.
func (a *answer) take() []model.Part {
	p := a.ready
	a.ready = nil
	return p
}

// at is the item under way at a place. Servers that give all items one place
// finish each before they begin the next.
func (a *answer) at(place int) *item {
	if it := a.items[place]; it != nil && !it.done {
		return it
	}
	if a.items == nil {
		a.items = map[int]*item{}
	}
	it := &item{place: place}
	if before := a.items[place]; before != nil {
		it.held = before.held
	}
	a.items[place] = it
	a.count++
	return it
}

func (a *answer) begin(place int, o outputItem) {
	it := a.at(place)
	it.kind = o.Type
	if o.Type == "function_call" {
		it.callID, it.name = o.CallID, o.Name
	}
}

func (a *answer) say(place int, s string) {
	it := a.at(place)
	it.spoke = it.spoke || s != ""
	a.add(it, false, s)
}

func (a *answer) refuse(place int, s string) {
	a.refused = a.refused || s != ""
	a.say(place, s)
}

// think adds reasoning. Where a server sends both, the first kind that comes is
// kept; a summary's parts are paragraphs.
func (a *answer) think(place int, source string, part int, s string) {
	it := a.at(place)
	switch {
	case s == "":
		return
	case it.source == "":
		it.source, it.part = source, part
	case it.source != source:
		return
	case it.part != part:
		it.part = part
		a.add(it, true, "\n\n")
	}
	a.add(it, true, s)
}

func (a *answer) argue(place int, s string) {
	it := a.at(place)
	it.kind = "function_call"
	it.arguments.WriteString(s)
	a.bytes += len(s)
}

// argued replaces what came in pieces.
func (a *answer) argued(place int, s string) {
	if it := a.items[place]; s == "" || it == nil || it.done {
		return
	}
	it := a.at(place)
	a.bytes += max(0, len(s)-it.arguments.Len())
	it.arguments.Reset()
	it.arguments.WriteString(s)
}

// settle takes an item as it is at its end. Only what did not come in pieces is
// read from it; a second end says nothing new.
func (a *answer) settle(place int, o outputItem) {
	if it := a.items[place]; it != nil && it.done {
		return
	}
	it := a.at(place)
	switch {
	case o.Type == "message" && !it.spoke:
		for _, p := range o.Content {
			a.say(place, string(p.Text))
			a.refuse(place, string(p.Refusal))
		}
	case o.Type == "reasoning" && it.source == "":
		for i, p := range o.Summary {
			a.think(place, summary, i, string(p.Text))
		}
		for i, p := range o.Content {
			a.think(place, thought, i, string(p.Text))
		}
	case o.Type == "function_call":
		it.kind, it.callID, it.name = o.Type, o.CallID, o.Name
		a.argued(place, string(o.Arguments))
	}
	a.complete(it, o.Status != "incomplete")
}

// finish completes what the last event finds open. A call that was cut off is
// never made, though what there is of it may be valid. The last event's own items
// are read where the stream had none: some servers stream nothing, others leave
// them out of it.
func (a *answer) finish(output []outputItem, cut bool) {
	streamed := a.count > 0
	for i, o := range output {
		if it := a.items[i]; !streamed || it != nil && !it.done && (it.kind == "" || it.kind == o.Type) {
			a.settle(i, o)
		}
	}
	for _, place := range slices.Sorted(maps.Keys(a.items)) {
		it := a.items[place]
		a.next = max(a.next, place)
		a.release(it)
		if !it.done {
			a.complete(it, !cut)
		}
	}
}

// complete ends an item, and lets those go that waited for it. A call without
// arguments is one with none: servers write it in both ways.
func (a *answer) complete(it *item, whole bool) {
	if it.kind == "function_call" && whole {
		a.calls++
		arguments := it.arguments.String()
		if strings.TrimSpace(arguments) == "" {
			arguments = "{}"
		}
		a.put(it, &held{call: &model.Call{ID: it.callID, Name: it.name, Arguments: arguments}})
	}
	it.done = true
	it.arguments.Reset()
	for a.items[a.next] != nil && a.items[a.next].done {
		a.release(a.items[a.next])
		a.next++
	}
	if first := a.items[a.next]; first != nil {
		a.release(first)
	}
}

func (a *answer) add(it *item, reasoning bool, s string) {
	if s == "" {
		return
	}
	a.bytes += len(s)
	if n := len(it.held); n > 0 && it.held[n-1].call == nil && it.held[n-1].reasoning == reasoning {
		it.held[n-1].text.WriteString(s)
		return
	}
	h := &held{reasoning: reasoning}
	h.text.WriteString(s)
	a.put(it, h)
}

func (a *answer) put(it *item, h *held) {
	it.held = append(it.held, h)
	if it.place <= a.next {
		a.release(it)
	}
}

// release hands an item's parts on.
func (a *answer) release(it *item) {
	for _, h := range it.held {
		switch {
		case h.call != nil:
			a.ready = append(a.ready, model.Part{Call: h.call})
		case h.reasoning:
			a.ready = append(a.ready, model.Part{Reasoning: h.text.String()})
		default:
			a.ready = append(a.ready, model.Part{Text: h.text.String()})
		}
	}
	it.held = nil
}
