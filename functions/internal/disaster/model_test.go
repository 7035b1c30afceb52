package disaster

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"windlass/functions/internal/model"
	"windlass/functions/internal/projection"
)

// asks is a call that the script asks for.
type asks struct {
	tool      string
	arguments any
}

type file struct {
	Path    string `json:"path"`
	Content string `json:"content"`
}

type path struct {
	Path string `json:"path"`
}

// task is what a parent asks another agent for.
type task struct {
	Agent  string `json:"agent"`
	Prompt string `json:"prompt"`
}

// large is over what stands in the log itself.
const large = 17 << 10

// turns are what the model does, by the first word of the prompt: rounds of
// parallel calls of all classes, large values, and one order whose answer is
// always lost, so that a person is asked, and one where the shop can be asked.
var turns = map[string][][]asks{
	"first": {
		{{"look", order{Item: "l1"}}, {"put", order{Item: "p1"}}, {"workspace_write", file{"/a", "small"}}, {"look", order{Item: "l2", Bytes: large}}},
		{{"charge", order{Item: "c1"}}, {"look", order{Item: "l3", Ms: 700}}, {"workspace_write", file{"/b", strings.Repeat("big ", large/4)}}},
		{{"wire", order{Item: "w1", Deaf: true}}, {"put", order{Item: "p2"}}},
		{{"charge", order{Item: "c2", Deaf: true}}, {"wire", order{Item: "w2"}}, {"put", order{Item: "p3"}}, {"put", order{Item: "p4", Ms: 400}}},
		{{"workspace_read", path{"/b"}}, {"workspace_write", file{"/a", "again"}}},
	},
	"second": {
		{{"put", order{Item: "p5"}}, {"wire", order{Item: "w3"}}},
	},
	// A parent, whose round has two children beside a call of its own; one has a large
	// task, and both give large answers. Then the children.
	"parent": {
		{{"delegate", task{"clerk", "left"}}, {"put", order{Item: "f1"}}, {"delegate", task{"clerk", "right " + strings.Repeat("y", large)}}},
		{{"charge", order{Item: "f2", Deaf: true}}},
	},
	"left":  {{{"put", order{Item: "k1", Ms: 1500}}, {"look", order{Item: "k2"}}}},
	"right": {{{"charge", order{Item: "k3", Ms: 2500}}}, {{"wire", order{Item: "k4", Deaf: true}}}},
	// Those of the single failures.
	"slow":  {{{"look", order{Item: "s1", Ms: 60_000}}}},
	"busy":  {{{"charge", order{Item: "b1", Ms: 8_000}}, {"look", order{Item: "b2", Ms: 20_000}}}},
	"batch": {{{"put", order{Item: "1"}}, {"put", order{Item: "2"}}, {"put", order{Item: "3", Ms: 3000}}, {"put", order{Item: "4", Ms: 3000}}, {"charge", order{Item: "5", Ms: 3000}}}},
	"again": {{{"put", order{Item: "a1"}}}, {{"put", order{Item: "a2"}}}},
	"loop":  slices.Repeat([][]asks{{{"look", order{Item: "same"}}}}, 220),
	"long":  long(127),
}

// long is so many rounds with calls, each another one.
func long(rounds int) (all [][]asks) {
	for n := range rounds {
		all = append(all, []asks{{"look", order{Item: fmt.Sprint("r", n)}}})
	}
	return all
}

// prompts begin with the name of what the model does; the first one is large.
var prompts = map[string]string{"first": "first " + strings.Repeat("x", large)}

// agents are those of prompts that the clerk does not work on.
var agents = map[string]string{"parent": "chief"}

// script is the model, as a process reaches it.
type script struct{ p *process }

func (s script) Rules() projection.Rules { return projection.Rules{} }

func (s script) Stream(ctx context.Context, r model.Request) iter.Seq2[model.Part, error] {
	return func(yield func(model.Part, error) bool) {
		name, round := where(r)
		var err error
		if !pause(ctx, 100*time.Millisecond) {
			err = ctx.Err()
		}
		if err == nil {
			err = s.p.call(ctx, theModel, func() error { return nil })
		}
		if err == nil && !pause(ctx, 100*time.Millisecond) {
			err = ctx.Err()
		}
		if err != nil {
			yield(model.Part{}, err)
			return
		}
		for _, part := range says(name, round) {
			if !yield(part, nil) {
				return
			}
		}
		yield(model.Part{Stop: model.StopEnd}, nil)
	}
}

// where finds the newest prompt, and how many rounds were answered since.
func where(r model.Request) (name string, round int) {
	for _, m := range r.Messages {
		if m.Role == projection.Assistant {
			round++
			continue
		}
		for _, p := range m.Parts {
			if p.Text != "" && !strings.HasPrefix(p.Text, "You have asked") { // a warning is no prompt
				name, _, _ = strings.Cut(p.Text, " ")
				round = 0
			}
		}
	}
	return name, round
}

func says(name string, round int) (parts []model.Part) {
	rounds := turns[name]
	if name == "nothing" {
		return nil
	}
	if round >= len(rounds) {
		return []model.Part{{Text: name + " is done. " + strings.Repeat("word ", large/5)}}
	}
	for i, a := range rounds[round] {
		b, err := json.Marshal(a.arguments)
		if err != nil {
			panic(err) // strings and numbers
		}
		parts = append(parts, model.Part{Call: &model.Call{ID: fmt.Sprint("call-", i), Name: a.tool, Arguments: string(b)}})
	}
	return parts
}
