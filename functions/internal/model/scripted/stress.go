package scripted

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"windlass/functions/internal/model"
)

// load is what a stress prompt asks for. A newline and padding may follow it.
type load struct {
	Rounds         int `json:"rounds"`
	CallsPerRound  int `json:"callsPerRound"`
	ToolBytes      int `json:"toolBytes"`
	AnswerBytes    int `json:"answerBytes"`
	ReasoningBytes int `json:"reasoningBytes"`
	LatencyMs      int `json:"latencyMs"`
	// ChunkBytes is how much text comes at a time, with ChunkMs behind it.
	ChunkBytes int `json:"chunkBytes"`
	ChunkMs    int `json:"chunkMs"`
}

// Bounds of a load: a prompt must not ask for more memory than a function has.
const (
	maxCalls = 10_000
	maxBytes = 16 << 20
	maxSum   = 64 << 20
	maxPause = 60_000 // ms: a prompt must not buy hours of a function
)

// stress makes load to order: in each round reasoning and calls, then an answer,
// which is never empty: that would be no answer. Even calls write a file, odd ones
// read the one before.
func stress(t turn) (answer, *model.Fault) {
	first, _, _ := strings.Cut(t.prompt, "\n")
	l, err := parseLoad(first)
	if err != nil {
		return answer{}, badLoad(err.Error())
	}
	a := answer{latency: milliseconds(l.LatencyMs), chunk: l.ChunkBytes, chunkPause: milliseconds(l.ChunkMs)}
	r := t.stressRound()
	if l.ReasoningBytes > 0 && r <= l.Rounds {
		a.parts = append(a.parts, model.Part{Reasoning: fill(l.ReasoningBytes, r)})
	}
	if r > l.Rounds {
		a.parts = append(a.parts, model.Part{Text: fill(max(l.AnswerBytes, 1), r)})
		return a, nil
	}
	for i := range l.CallsPerRound {
		a.parts = append(a.parts, model.Part{Call: stressCall(l, r, i)})
	}
	return a, nil
}

func milliseconds(n int) time.Duration { return time.Duration(n) * time.Millisecond }

// stressRound is the round that is asked for. The files of the one before name theirs:
// the transcript may begin anywhere, and calls may have other ids than they were given.
func (t turn) stressRound() int {
	for _, m := range slices.Backward(t.messages) {
		for _, p := range m.Parts {
			if p.Call == nil {
				continue
			}
			_, file, _ := strings.Cut(p.Call.Arguments, `"path":"/stress/file-`)
			var r int
			if _, err := fmt.Sscanf(file, "%d-", &r); err == nil {
				return r + 1
			}
		}
	}
	return t.answers() + 1
}

func parseLoad(s string) (l load, err error) {
	d := json.NewDecoder(bytes.NewReader([]byte(s)))
	d.DisallowUnknownFields()
	if err := d.Decode(&l); err != nil {
		return l, fmt.Errorf("the first line is not a load: %v", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return l, fmt.Errorf("something follows the load on its line")
	}
	for _, n := range []int{l.Rounds, l.CallsPerRound, l.ToolBytes, l.AnswerBytes, l.ReasoningBytes, l.LatencyMs, l.ChunkBytes, l.ChunkMs} {
		if n < 0 || n > maxBytes {
			return l, fmt.Errorf("each number is from 0 to %d", maxBytes)
		}
	}
	if l.LatencyMs > maxPause || l.ChunkMs > maxPause {
		return l, fmt.Errorf("latencyMs and chunkMs are at most %d", maxPause)
	}
	if l.ChunkMs > 0 && l.ChunkBytes == 0 {
		return l, fmt.Errorf("chunkMs wants chunkBytes")
	}
	if l.CallsPerRound > maxCalls || l.CallsPerRound*l.ToolBytes > maxSum {
		return l, fmt.Errorf("at most %d calls a round, and %d bytes in all of them", maxCalls, maxSum)
	}
	return l, nil
}

func badLoad(why string) *model.Fault {
	return &model.Fault{Code: "model_error", Permanent: true, Message: "the stress agent's prompt is JSON such as " +
		`{"rounds":3,"callsPerRound":2,"toolBytes":256,"answerBytes":64,"reasoningBytes":0,"latencyMs":0,"chunkBytes":0,"chunkMs":0}: ` + why}
}

func stressCall(l load, r, i int) *model.Call {
	c := &model.Call{ID: fmt.Sprintf("call-%d-%d", r, i), Name: "workspace_write"}
	path := fmt.Sprintf("/stress/file-%d-%d.txt", r, i/2)
	args := map[string]any{"path": path}
	if i%2 == 0 {
		args["content"] = fill(l.ToolBytes, r)
	} else {
		c.Name, args["max_bytes"] = "workspace_read", l.ToolBytes
	}
	b, err := json.Marshal(args)
	if err != nil {
		panic(err) // strings and numbers
	}
	c.Arguments = string(b)
	return c
}

// fill makes n bytes of text that differ from round to round.
func fill(n, round int) string {
	unit := fmt.Sprintf("round %d of the stress script. ", round)
	return strings.Repeat(unit, n/len(unit)+1)[:n]
}
