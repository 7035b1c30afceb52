package openai

import (
	"maps"
	"slices"

	"windlass/functions/internal/model"
	"windlass/functions/internal/model/wire"
)

// answer puts the pieces of an answer in the model's order. An item is known by
// its place in the output alone: servers change an item's id from event to event.
// What belongs to the first item that is not complete is handed on at once; what
// comes for a later one waits for those before it, so a server that leaves a
// place out costs the preview and not the answer.
type answer struct {
	out
	items map[int]*item
	// next is the place up to which parts are handed on at once.
	next int

	bytes, count, calls int
	refused             bool
}

func (a *answer) tooLarge() bool {
	return a.bytes > wire.MaxAnswer || a.calls > wire.MaxCalls || a.count > wire.MaxItems
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
	it.kind, it.phase = o.Type, string(o.Phase)
	if o.Type == "function_call" {
		it.callID, it.name = string(o.CallID), string(o.Name)
	}
}

func (a *answer) say(place int, s string) {
	it := a.at(place)
	it.spoke, it.said = it.spoke || s != "", it.said+len(s)
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

// complete ends an item, and lets those go that waited for it.
func (a *answer) complete(it *item, whole bool) {
	if whole {
		a.end(it)
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

// end puts behind an item's texts what comes when it is whole.
func (a *answer) end(it *item) {
	switch {
	case it.kind == "function_call":
		a.calls++
		a.put(it, &held{whole: it.call()})
	case it.opaque != nil:
		a.bytes += it.opaque.size()
		a.put(it, &held{opaque: it.opaque})
	case it.file != nil:
		a.bytes += len(it.file.Data)
		a.put(it, &held{whole: &model.Part{File: it.file}})
	case it.phase != "" && it.spoke:
		a.bytes += it.said // its text is kept twice
		a.put(it, &held{phase: it.phase})
	}
}

func (a *answer) add(it *item, reasoning bool, s string) {
	if s == "" {
		return
	}
	a.bytes += len(s)
	if n := len(it.held); n > 0 && it.held[n-1].delta() && it.held[n-1].reasoning == reasoning {
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
		h.release(&a.out)
	}
	it.held = nil
}
