package openai

// settle takes an item as it is at its end. Only what did not come in pieces is
// read from it; a second end says nothing new.
func (a *answer) settle(place int, o outputItem) {
	if it := a.items[place]; it != nil && it.done {
		return
	}
	it := a.at(place)
	switch o.Type {
	case "message":
		a.spoken(it, o)
	case "reasoning":
		a.thought(it, o)
	case "function_call":
		it.kind, it.callID, it.name = o.Type, string(o.CallID), string(o.Name)
		a.argued(place, string(o.Arguments))
	case "image_generation_call":
		it.file = picture(o)
	}
	a.complete(it, o.Status != "incomplete")
}

func (a *answer) spoken(it *item, o outputItem) {
	if o.Phase != "" {
		it.phase = string(o.Phase)
	}
	if it.spoke {
		return
	}
	for _, p := range o.Content {
		a.say(it.place, string(p.Text))
		a.refuse(it.place, string(p.Refusal))
	}
}

// thought keeps the encrypted form of an item's end: the one at its beginning is
// not yet whole.
func (a *answer) thought(it *item, o outputItem) {
	if n, ok := reasoned(o); ok {
		it.opaque = &n
	}
	if it.source != "" {
		return
	}
	for i, p := range o.Summary {
		a.think(it.place, summary, i, string(p.Text))
	}
	for i, p := range o.Content {
		a.think(it.place, thought, i, string(p.Text))
	}
}
