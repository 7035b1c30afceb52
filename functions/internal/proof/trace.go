package proof

import (
	"fmt"
	"slices"
	"strings"

	"windlass/eventstore/event"
)

// told is a step in words, and where it leads.
type told struct {
	kind kind
	step string
	to   *world
}

// tell lists all that may happen next, in the order of the search.
func (s scenario) tell(w *world) []told {
	x := s.beginning()
	x.telling = true
	x.steps(w)
	return x.told
}

// walk plays one path: the nth step of each world.
func (s scenario) walk(script []uint16, see func(step string, before, after *world)) *world {
	w := s.beginning().start
	see("client: submits a", &world{}, w)
	for _, nth := range script {
		next := s.tell(w)[nth]
		see(next.step, w, next.to)
		w = next.to
	}
	return w
}

// script is a shortest path to a node.
func (x *explorer) script(n int32) (script []uint16) {
	for ; n > 0; n = x.nodes[n].parent {
		script = append(script, x.nodes[n].nth)
	}
	slices.Reverse(script)
	return script
}

// trace tells how a node was reached: each step one line, and what it appended.
func (x *explorer) trace(n int32) (lines []string) {
	last := x.walk(x.script(n), func(step string, before, after *world) { lines = append(lines, line(step, before, after)...) })
	return append(lines, last.String())
}

func line(step string, before, after *world) []string {
	lines := []string{"> " + step}
	for _, c := range after.log.since(before.log) {
		lines = append(lines, "append")
		for _, e := range c.events {
			lines = append(lines, "  "+describe(e))
		}
	}
	return lines
}

// lap tells how a node is reached, and how it is reached from itself again, over to.
func (x *explorer) lap(n, to int32) []string {
	lines := x.trace(n)
	lines[len(lines)-1] = "and again and again"
	w := x.walk(x.script(n), func(string, *world, *world) {})
	for _, next := range x.edges.path(to, n) {
		for _, t := range x.tell(w) {
			if _, m, _ := x.find(t.to); t.kind == normal && m == next {
				lines, w = append(lines, line(t.step, w, t.to)...), t.to
				break
			}
		}
	}
	return append(lines, w.String())
}

func describe(e event.Event) string {
	b, err := e.MarshalJSON()
	if err != nil {
		return err.Error()
	}
	_, data, _ := strings.Cut(string(b), `"data":`)
	at := ""
	if e.Operation != "" {
		at = " " + e.Operation
	}
	if e.Round > 0 {
		at += fmt.Sprintf(" r%d", e.Round)
	}
	return fmt.Sprintf("%d %s%s %s", e.Seq, e.Data.EventType(), at, strings.TrimSuffix(data, "}"))
}

// String is where everybody stands.
func (w *world) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "then: head %s, to be handled: %v", w.log.digest().Encode(), w.unhandled)
	for op := range w.exec {
		for g, e := range w.exec[op] {
			if e.at != none {
				fmt.Fprintf(&b, "; execution %s/%d %s", operationIDs[op], g+1, placeNames[e.at])
			}
		}
	}
	for i := range w.driver {
		if d := &w.driver[i]; d.on {
			fmt.Fprintf(&b, "; %s of %s/%d, attached: %v", d.name, operationIDs[d.op], d.gen, d.attached)
		}
	}
	return b.String()
}

var placeNames = map[place]string{ready: "is about to invoke Drive", driving: "waits for Drive", waiting: "waits", entering: "is about to park", parked: "is parked", closed: "has ended"}
