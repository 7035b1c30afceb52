package transcript

import "windlass/eventstore/event"

// Plan is a compaction that is to be made.
type Plan struct {
	// Summarise is what the summary is to stand for; with nothing in it none is needed.
	Summarise []Placed
	// Items and Longest are those of the event.
	Items   int
	Longest int64
	// Before is about how many tokens a model would read now; Shown and Kept are
	// estimates of the items that are shown now, and will be besides the summary. Fixed
	// is the prompt that is worked on: it is in both.
	Before, Shown, Kept, Fixed int64

	summary event.Value // the one before, if it stays
}

// Bounds of what is shown in part, in bytes.
const (
	longestCut  = 64 << 10
	shortestCut = 2 << 10
)

// PlanCompaction keeps about so many tokens of the conversation's end, from a place
// where it may be cut: never between a call and its result. What came last is kept
// at any rate, and if it is too much by itself, it is shown in part.
// It may not help: the caller compares.
func (t *Transcript) PlanCompaction(keep int64) Plan {
	p := Plan{Before: t.Tokens(0), Items: t.cut(keep)}
	if c := t.Marks.Compacted; c != nil {
		p.summary = c.Summary
	}
	if it := t.Marks.Prompt; it != nil {
		p.Fixed = it.tokens(0)
	}
	if p.Kept = t.kept(p); p.Kept-p.Fixed > keep {
		for p.Longest = longestCut; p.Longest > shortestCut && t.kept(p)-p.Fixed > keep; {
			p.Longest /= 2
		}
		p.Kept = t.kept(p)
	}
	more := false
	for _, it := range t.Shown() {
		p.Shown += it.tokens(it.Longest)
		if it.N <= p.Items {
			p.Summarise = append(p.Summarise, it)
			more = more || it.Kind != Summary && !t.isPrompt(it)
		}
	}
	if !more { // nothing new stands before, but for the prompt
		p.Items, p.Summarise = t.First(), nil
	}
	return p
}

func (t *Transcript) isPrompt(it Placed) bool {
	return t.Marks.Prompt != nil && it.N == t.Marks.Prompt.N
}

// cut is where the longest end begins that is no more than keep tokens; or the last
// place where the conversation may be cut and something stands behind.
func (t *Transcript) cut(keep int64) int {
	var tokens int64
	place := t.Len()
	for n := t.Len(); n > t.First(); n-- {
		tokens += t.Items[n-1-t.Before].tokens(0)
		if !t.mayCut(n - 1) {
			continue
		}
		if tokens > keep && place < t.Len() {
			break
		}
		place = n - 1
	}
	return place
}

// kept estimates what a plan shows besides the summary.
func (t *Transcript) kept(p Plan) (n int64) {
	for _, it := range t.shown(&Compaction{Items: p.Items, Longest: p.Longest, Upto: t.Len(), Prompt: t.promptBefore(p.Items)}, 0) {
		if it.Kind != Summary {
			n += it.Item.tokens(it.Longest)
		}
	}
	return n
}

// mayCut reports whether the conversation may begin behind the first n items: with
// what a person said, or with a whole answer.
func (t *Transcript) mayCut(n int) bool {
	i := n - t.Before
	if i < 0 || i >= len(t.Items) || i == 0 {
		return i == 0 || i == len(t.Items) && t.missing == 0
	}
	switch t.Items[i].Kind {
	case User:
		return true
	case ToolResult:
		return false
	}
	before := t.Items[i-1].Kind
	return before == User || before == ToolResult
}

// Event is what is appended of a plan whose summary was written.
func (p Plan) Event(summary event.Value) event.TranscriptCompacted {
	if len(p.Summarise) == 0 {
		summary = p.summary
	}
	e := event.TranscriptCompacted{Items: p.Items, Longest: p.Longest, TokensBefore: p.Before, TokensAfter: p.Kept}
	if p.Items > 0 {
		e.Summary = summary
		e.TokensAfter += perItem + EstimateTokens(summary.Len())
	}
	return e
}

// Helps reports whether a compaction makes the conversation, but for its prompt, at
// least a fifth shorter: one that does not would soon be made again, and again.
func (p Plan) Helps(e event.TranscriptCompacted) bool {
	return e.TokensAfter-p.Fixed <= (p.Shown-p.Fixed)/5*4
}

// Shrinks reports whether it makes it shorter at all: enough for one that has to be.
func (p Plan) Shrinks(e event.TranscriptCompacted) bool { return e.TokensAfter < p.Shown }
