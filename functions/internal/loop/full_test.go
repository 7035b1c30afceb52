package loop_test

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"windlass/eventstore/event"
	"windlass/functions/internal/model"
	"windlass/functions/internal/projection"
)

// full sees compaction requests too.
type full struct {
	say func(r model.Request) ([]model.Part, event.Tokens, error)
}

func (*full) Rules() projection.Rules { return projection.Rules{} }
func (m *full) Stream(_ context.Context, r model.Request) iter.Seq2[model.Part, error] {
	return func(yield func(model.Part, error) bool) {
		parts, u, err := m.say(r)
		if err != nil {
			yield(model.Part{}, err)
			return
		}
		stop := "end"
		for _, p := range parts {
			if p.Stop != "" {
				stop = p.Stop
				continue
			}
			if p.Call != nil {
				stop = "tools"
			}
			if !yield(p, nil) {
				return
			}
		}
		yield(model.Part{Stop: stop, Usage: u}, nil)
	}
}

func weigh(r model.Request) (n int) {
	for _, p := range shown(r) {
		n += len(p.Text)
		if p.Call != nil {
			n += len(p.Call.Arguments)
		}
		if p.Result != nil {
			n += len(p.Result.Output)
		}
		if p.File != nil {
			n += len(p.File.Data)
		}
	}
	return n
}

func requestText(r model.Request) string {
	var b strings.Builder
	for _, p := range shown(r) {
		b.WriteString(p.Text)
		if p.Result != nil {
			b.WriteString(p.Result.Output)
		}
	}
	return b.String()
}

func lookCalls(n, bytes int) (all []model.Part) {
	for i := range n {
		all = append(all, call(fmt.Sprint("c", i), "look", fmt.Sprintf(`{"bytes":%d}`, bytes+i)))
	}
	return all
}
