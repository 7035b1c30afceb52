package transcript

import "maps"

// Whole reports whether no round's results are half in: then Items and [Transcript.Kept]
// are all there is to it.
func (t *Transcript) Whole() bool { return t.missing == 0 }

// Kept is what a checkpoint keeps of a whole transcript besides its items.
type Kept struct {
	Marks Marks `json:"marks"`
	// Prompts are those of operations that have not started, by operation id.
	Prompts map[string]prompt `json:"prompts,omitempty"`
	// Notes are what was said and has not been read, by operation id.
	Notes map[string][]Item `json:"notes,omitempty"`
}

// Kept copies it: what is applied later does not change it.
func (t *Transcript) Kept() Kept {
	return Kept{t.Marks, maps.Clone(t.prompts), maps.Clone(t.notes)}
}

// From makes a transcript whose first items stand elsewhere.
func From(before int, k Kept) Transcript {
	return Transcript{Before: before, Marks: k.Marks, prompts: k.Prompts, notes: k.Notes}
}

// Prepend puts items before those that are there: they stood elsewhere so far.
func (t *Transcript) Prepend(items []Item) {
	t.Items = append(items[:len(items):len(items)], t.Items...)
	t.Before -= len(items)
}
