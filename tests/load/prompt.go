package main

import (
	"fmt"
	"strings"
)

// load is what a stress prompt asks for. Its turn has one round more than rounds: the
// answer's.
type load struct {
	rounds, calls, tool, answer, latency int
	// padded is how long the whole prompt is, with text behind the load; 0 for none.
	padded int
}

// of is a load with an answer of the usual length.
func of(rounds, calls, tool int) load {
	return load{rounds: rounds, calls: calls, tool: tool, answer: 64}
}

func (l load) String() string {
	return fmt.Sprintf(`{"rounds":%d,"callsPerRound":%d,"toolBytes":%d,"answerBytes":%d,"latencyMs":%d}`, l.rounds, l.calls, l.tool, l.answer, l.latency)
}

// prompt is the load with its padding, which is like no other's of another name.
func (l load) prompt(name string) string {
	head := l.String()
	if l.padded == 0 {
		return head
	}
	head += "\n" + name + " "
	return head + strings.Repeat("All work and no play. ", l.padded/22+1)[:l.padded-len(head)]
}

// modelCalls is how often the model is asked for an answer, if nothing fails.
func (l load) modelCalls() int { return l.rounds + 1 }

// writes is how many of the calls write a file; the others read it.
func (l load) writes() int { return l.rounds * ((l.calls + 1) / 2) }

func (l load) reads() int { return l.rounds * (l.calls / 2) }

// A transcript under shortest bytes is for no agent so long that its model is asked for
// a summary of it; perCall is what a call adds around its content, at most.
const (
	shortest = 256 << 10
	perCall  = 300
)

// short reports whether each call to the model must have been for an answer.
func (l load) short() bool {
	return l.padded+l.rounds*l.calls*(l.tool+perCall) < shortest
}
