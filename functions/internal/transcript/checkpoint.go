package transcript

import "windlass/eventstore/event"

// Whole reports whether no round's results are half in: then Items, Prompts and
// Notes are all there is to it.
func (t *Transcript) Whole() bool { return t.missing == 0 }

// Prompts are those of operations that have not started, by operation id.
func (t *Transcript) Prompts() map[string]event.Value { return t.prompts }

// Notes are what was said and has not been read, by operation id.
func (t *Transcript) Notes() map[string][]Item { return t.notes }

// From makes a transcript of what a whole one consisted of.
func From(items []Item, prompts map[string]event.Value, notes map[string][]Item) Transcript {
	return Transcript{Items: items, prompts: prompts, notes: notes}
}
