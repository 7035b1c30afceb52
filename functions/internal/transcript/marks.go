package transcript

import "windlass/eventstore/event"

// Marks say, besides the items, what a model is shown, and what is known of it.
// They follow from the log.
type Marks struct {
	// Compacted is the newest compaction; nil for none.
	Compacted *Compaction `json:"compacted,omitempty"`
	// Prompt is that of the newest turn.
	Prompt *Placed `json:"prompt,omitempty"`
	// NativeAfter: opaque material of the items up to this one is given to nobody.
	NativeAfter int `json:"nativeAfter,omitempty"`
	// FilesAfter: files of the items up to this one are named, and not shown.
	FilesAfter int `json:"filesAfter,omitempty"`
	// Looked is how many items have been looked at for repairs.
	Looked int `json:"looked,omitempty"`
	// Weight is the estimate of what is shown, in tokens. Counted is what a provider
	// counted when it was CountedAt: instructions and tools are in it.
	Weight    int64 `json:"weight,omitempty"`
	Counted   int64 `json:"counted,omitempty"`
	CountedAt int64 `json:"countedAt,omitempty"`
}

// Compaction is a summary in place of the first Items; arguments and results up to
// item Upto are shown as far as Longest, in bytes, if that is not 0.
type Compaction struct {
	Items   int         `json:"items"`
	Summary event.Value `json:"summary"`
	Longest int64       `json:"longest,omitempty"`
	Upto    int         `json:"upto"`
	// Prompt is that of the turn that was compacted, if it is before: it is shown as it
	// was written, until the next compaction.
	Prompt *Placed `json:"prompt,omitempty"`
}

// Placed is an item that a model is shown, with its place in the transcript, from 1;
// 0 for a summary.
type Placed struct {
	Item
	N int
	// Longest bounds what is shown of its text, arguments or output, in bytes.
	Longest int64 `json:",omitempty"`
}

// MaxShown is how much of one text, arguments or output a model is shown at most, in
// bytes: about a million tokens, more than models read.
const MaxShown = 4 << 20

// longest is how much of its text, arguments or output an item shows by itself.
func (it Item) longest() int64 {
	if it.MaxShown > 0 {
		return min(it.MaxShown, MaxShown)
	}
	return MaxShown
}

// InPart: the item's value is longer than what is ever shown of it.
func (p Placed) InPart(bytes int64) bool { return p.Longest == p.longest() && bytes > p.Longest }

// First is how many items stand before the first one that is shown as such.
func (t *Transcript) First() int {
	if c := t.Marks.Compacted; c != nil {
		return c.Items
	}
	return 0
}

// Shown is what a model is shown. Items behind [Transcript.First] must not be
// behind a checkpoint.
func (t *Transcript) Shown() []Placed {
	return t.shown(t.Marks.Compacted, 0)
}

// A View is all that decides how items are shown, besides themselves. It is compared.
type View struct {
	compacted               *Compaction
	nativeAfter, filesAfter int
}

// View is how items are shown now.
func (t *Transcript) View() View {
	return View{t.Marks.Compacted, t.Marks.NativeAfter, t.Marks.FilesAfter}
}

// ShownAfter is what follows item n in what a model is shown; all of it for 0. What
// stands before is as it was when the transcript had n items, if the view is.
func (t *Transcript) ShownAfter(n int) []Placed { return t.shown(t.Marks.Compacted, n) }

func (t *Transcript) shown(c *Compaction, after int) []Placed {
	var all []Placed
	first := after
	if c != nil {
		first = max(first, c.Items)
		if after == 0 {
			all = c.heading()
		}
	}
	for i := max(first-t.Before, 0); i < len(t.Items); i++ {
		p := Placed{Item: t.Items[i], N: t.Before + i + 1, Longest: t.Items[i].longest()}
		if c != nil && c.Longest > 0 && p.N <= c.Upto && (p.Kind == ToolResult || p.Kind == ToolCall) {
			p.Longest = min(c.Longest, p.Longest)
		}
		if p.N <= t.Marks.NativeAfter {
			p.Native = nil
		}
		all = append(all, p)
	}
	return all
}

// heading is what stands for the items that a compaction took.
func (c *Compaction) heading() (all []Placed) {
	if c.Items > 0 {
		all = append(all, Placed{Item: Item{Kind: Summary, Text: c.Summary}, Longest: MaxShown})
	}
	if p := c.Prompt; p != nil {
		all = append(all, Placed{Item: p.Item, N: p.N, Longest: MaxShown})
	}
	return all
}

// compacted takes a summary. Its end is set again to where a conversation may be
// cut, should it not be there: then more is shown than was meant.
func (t *Transcript) compacted(d event.TranscriptCompacted) {
	c := &Compaction{Items: min(max(d.Items, 0), t.Len()), Summary: d.Summary, Longest: d.Longest, Upto: t.Len()}
	for c.Items > t.Before && !t.mayCut(c.Items) {
		c.Items--
	}
	c.Prompt = t.promptBefore(c.Items)
	t.Marks.Compacted = c
	t.Marks.Weight, t.Marks.Counted, t.Marks.CountedAt = d.TokensAfter, 0, 0
}

// promptBefore is the newest turn's prompt, if it is one of the first n items.
func (t *Transcript) promptBefore(n int) *Placed {
	if p := t.Marks.Prompt; p != nil && p.N <= n {
		return p
	}
	return nil
}

func (t *Transcript) repaired(d event.TranscriptRepaired) {
	t.Marks.Looked = max(t.Marks.Looked, d.Items)
	for _, r := range d.Repairs {
		switch r.Kind {
		case event.RepairNative:
			t.Marks.NativeAfter = d.Items
		case event.RepairFilesRefused:
			t.Marks.FilesAfter = d.Items
		}
	}
}

// counted takes what a provider says it has read and written.
func (t *Transcript) counted(u event.Tokens) {
	if u.InputTokens > 0 {
		t.Marks.Counted, t.Marks.CountedAt = u.InputTokens+u.OutputTokens, t.Marks.Weight
	}
}

// Tokens is about how many a model would read now: what the provider counted last,
// and an estimate of what has come since; where it counts nothing, the estimate of
// all, and besides, which is that of instructions and tools.
func (t *Transcript) Tokens(besides int64) int64 {
	if t.Marks.Counted > 0 {
		besides = 0
	}
	return besides + t.Marks.Counted + t.Marks.Weight - t.Marks.CountedAt
}
