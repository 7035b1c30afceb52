package proof

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"

	"windlass/eventstore/event"
	"windlass/functions/internal/transcript"
	"windlass/functions/internal/turn"
)

// folds: the fold that went on commit by commit is the fold of all events, and the
// newest commit's summary is its.
func folds(w *world) string {
	all := turn.Fold(w.log.all())
	if !bytes.Equal(all.Summary().Encode(), w.log.summary) {
		return fmt.Sprintf("the summary of the commit at seq %d is not that of the fold", w.log.first)
	}
	if !reflect.DeepEqual(all, w.state) {
		return fmt.Sprintf("the fold of all events is %s, the fold that went on is %s", shown(all), shown(w.state))
	}
	return ""
}

func shown(s *turn.State) []byte {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // plain values
	}
	return b
}

// transcripts: whenever the model is asked, what it is shown is whole; and when a
// turn is completed, its model has read all that was said.
func transcripts(c *commit) string {
	if !asksOrCompletes(c) {
		return ""
	}
	var t transcript.Transcript
	said := map[string]int{}
	for _, e := range c.all() {
		switch e.Data.(type) {
		case event.MessageSteered:
			said[e.Operation]++
		case event.OperationCompleted:
			if n := len(t.Kept().Notes[e.Operation]); n > 0 {
				return fmt.Sprintf("seq %d: %d messages were not shown to the model", e.Seq, n)
			}
		}
		t.Apply(e)
		if _, ok := e.Data.(event.ModelStarted); ok && e.Seq >= c.first {
			var items []transcript.Item
			for _, p := range t.Shown() {
				items = append(items, p.Item)
			}
			if why := whole(items); why != "" {
				return fmt.Sprintf("seq %d: the model is shown a transcript that is not whole: %s", e.Seq, why)
			}
		}
	}
	return ""
}

func asksOrCompletes(c *commit) bool {
	for _, e := range c.events {
		switch e.Data.(type) {
		case event.ModelStarted, event.OperationCompleted:
			return true
		}
	}
	return false
}

// whole: each call is followed by its result, behind its batch and before anything
// else, and the model is not shown its own words last.
func whole(items []transcript.Item) string {
	var open []*event.ToolCall
	results := false
	for i, it := range items {
		switch {
		case it.Kind == transcript.ToolCall:
			if results {
				return fmt.Sprintf("item %d is a call between results", i)
			}
			open = append(open, it.Call)
			continue
		case it.Kind != transcript.ToolResult:
			if len(open) > 0 {
				return fmt.Sprintf("item %d comes before the results of %d calls", i, len(open))
			}
			continue
		case len(open) == 0 || open[0] != it.Call:
			return fmt.Sprintf("item %d is not the result that is next", i)
		}
		open = open[1:]
		results = len(open) > 0
	}
	if n := len(items); len(open) > 0 || n == 0 || items[n-1].Kind != transcript.User && items[n-1].Kind != transcript.ToolResult {
		return fmt.Sprintf("it ends with %d calls without results", len(open))
	}
	return ""
}
