package turn_test

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windlass/eventstore/event"
	"windlass/functions/internal/turn"
)

var update = flag.Bool("update", false, "rewrite the transcripts in testdata")

// A transcript is a text file of commands and what they gave:
//
//	# a comment
//	> accept a                 operation a is accepted
//	> next D [option…]         driver D asks what comes next; what it appends is appended
//	                           options: gen=N rounds=N left=DURATION history max=N loops
//	                           models=a,b tokens=N compactAt=N maxTokens=N maxCost=USD unpriced wait=DURATION
//	> answer D text=… | calls=name,… | file=path | fault=code [after=DURATION] [permanent] [again] [partial=…]
//	           | compacted=ITEMS [stop=…] [usage=IN/OUT/CACHED] [cost=USD] [repaired]
//	> outcome D 0,2            driver D holds results of these calls
//	> notbegun D 1             its turn came too late to begin
//	> unknown D 1              what came of this call is not known
//	> found D 1 happened|didnot|nothing  driver D found out about it
//	> resolve 1 happened|did_not_happen  a person did
//	> decide a ROUND INDEX approve|deny|… [arguments]  a person answers, by the API; of an
//	                                                   unknown outcome with its seq
//	> handed D 1               driver D has handed the call to its agent
//	> settled a ROUND INDEX completed|failed|cancelled  the child's end is told
//	> cancel a                 somebody cancels it
//	> steer a                  somebody says more
//	> flush D                  they have been held for long enough
//	> crash D                  driver D is gone, with what it held
//	> revive                   a waker finds the execution closed
//	> pass DURATION            time goes by
//	> state                    the head as the log tells it
//
// Calls named "bad…" are refused, calls named "slow…" need ten minutes, calls named
// "once…" must not be repeated, "ask…" neither and it can be found out whether they
// took effect; a person has to allow those named "gate…", within an hour; what
// follows a "@" is the call's target. Those named "child…" are another agent's.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := play(t, string(want))
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if d := cmp.Diff(string(want), got); d != "" {
				t.Errorf("transcript (-want +got):\n%s", d)
			}
		})
	}
}

func play(t *testing.T, script string) string {
	w := &stage{state: &turn.State{}, now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), drivers: map[string]*turn.Situation{}}
	lines := bufio.NewScanner(strings.NewReader(script))
	for lines.Scan() {
		switch line := lines.Text(); {
		case line == "" || strings.HasPrefix(line, "#"):
			fmt.Fprintln(&w.out, line)
		case strings.HasPrefix(line, "> "):
			fmt.Fprintln(&w.out, line)
			w.command(t, strings.Fields(line[2:]))
		}
	}
	return w.out.String()
}

type stage struct {
	out     strings.Builder
	log     []event.Event
	state   *turn.State
	now     time.Time
	drivers map[string]*turn.Situation
}

func (w *stage) command(t *testing.T, words []string) {
	switch words[0] {
	case "accept":
		w.accept(words[1])
	case "next":
		w.next(t, words[1], words[2:])
	case "answer":
		w.driver(words[1]).Answer = answer(t, words[2:])
	case "outcome":
		w.outcome(t, words[1], words[2])
	case "unknown":
		d, i := w.driver(words[1]), number(t, words[2])
		delete(d.Running, i)
		d.Outcomes[i] = turn.Outcome{event.ToolUnknown{Index: i, Name: w.state.Head().Calls[i].Name}}
	case "found":
		w.found(t, words[1], number(t, words[2]), words[3])
	case "resolve":
		i := number(t, words[1])
		w.append("", []event.Event{{At: event.At(w.now), Operation: w.state.Head().ID, Round: w.state.Head().Round, Data: event.ApprovalResolved{Index: i, Decision: words[2]}}})
	case "decide":
		answer := event.ApprovalResolved{Index: number(t, words[3]), Decision: words[4]}
		if len(words) > 5 && (answer.Decision == event.Happened || answer.Decision == event.DidNotHappen) {
			answer.UnknownSeq = uint64(number(t, words[5]))
		} else if len(words) > 5 {
			v := event.Text(words[5])
			answer.Arguments = &v
		}
		events, verdict := turn.Resolve(w.state, words[1], number(t, words[2]), answer, w.now)
		fmt.Fprintln(&w.out, verdict)
		if events != nil {
			w.append("", events)
		}
	case "handed":
		d, i := w.driver(words[1]), number(t, words[2])
		delete(d.Running, i)
		d.Handed[i] = true
	case "later": // later DRIVER INDEX DURATION [again]
		d, i := w.driver(words[1]), number(t, words[2])
		delete(d.Running, i)
		d.Outcomes[i] = turn.Outcome{event.ToolDeferred{Index: i, Name: w.state.Head().Calls[i].Name, Until: event.At(w.now.Add(duration(t, words[3]))), Again: len(words) > 4}}
	case "called": // called OPERATION ROUND INDEX OUTPUT
		text := event.Text(words[4])
		if events := turn.CalledBack(w.state, words[1], number(t, words[2]), event.ToolAnswered{Index: number(t, words[3]), Output: &text}, w.now); events == nil {
			fmt.Fprintln(&w.out, "nobody waits for it")
		} else {
			w.append("", events)
		}
	case "settled":
		w.settled(t, words)
	case "cancel":
		if events := turn.Cancel(w.state, words[1], w.now); events == nil {
			fmt.Fprintln(&w.out, "nothing to cancel")
		} else {
			w.append("", events)
		}
	case "steer":
		w.append("", []event.Event{{At: event.At(w.now), Operation: words[1], Data: event.MessageSteered{Text: event.Text("more")}}})
	case "notbegun":
		delete(w.driver(words[1]).Running, number(t, words[2]))
	case "flush":
		w.driver(words[1]).Flush = true
	case "crash":
		delete(w.drivers, words[1])
	case "revive":
		w.append("", turn.Revive(w.state.Head(), w.now))
	case "pass":
		w.now = w.now.Add(duration(t, words[1]))
	case "state":
		w.printState()
	default:
		t.Fatalf("no command %q", words[0])
	}
}

func (w *stage) settled(t *testing.T, words []string) {
	round, i := number(t, words[2]), number(t, words[3])
	end := event.ChildSettled{Status: words[4], Usage: event.Usage{Tokens: event.Tokens{InputTokens: 100}, ModelCalls: 2, CostUSD: "0.25"}}
	if text := event.Text("the child's answer"); end.Status == "completed" {
		end.Output = &text
	} else {
		end.Error = &event.Error{Code: end.Status, Message: "m"}
	}
	events := turn.Report(w.state, event.Parent{Session: "s", Operation: words[1], Round: round, Index: i}, event.ChildSubmitted{Session: fmt.Sprint("child-", i), Operation: "task"}, end, w.now)
	if events == nil {
		fmt.Fprintln(&w.out, "nobody waits for it")
		return
	}
	w.append("", events)
}

func (w *stage) accept(id string) {
	var events []event.Event
	at := event.At(w.now)
	if w.state.StreamID == "" {
		events = append(events, event.Event{At: at, Data: event.SessionOpened{StreamID: "stream", Agent: "demo"}})
	}
	w.append("", append(events, event.Event{At: at, Operation: id, Data: event.OperationAccepted{Prompt: event.Text("prompt of " + id)}}))
}

func (w *stage) driver(name string) *turn.Situation {
	d, ok := w.drivers[name]
	if !ok {
		head := "?"
		if op := w.state.Head(); op != nil {
			head = op.ID
		}
		d = &turn.Situation{
			Me: name, First: true, Operation: head, Generation: 1, RoundsLeft: 128, TimeLeft: 14 * time.Minute,
			Outcomes: map[int]turn.Outcome{}, Running: map[int]bool{}, Found: map[int]turn.Finding{}, Handed: map[int]bool{}, MaxRounds: 3, Models: []string{"scripted/x"}, ModelTimeout: 9 * time.Minute,
			StartDelays: turn.DefaultStartDelays, Plan: plan,
		}
		w.drivers[name] = d
	}
	return d
}

func plan(c event.ToolCall) turn.Plan {
	p := planOf(c)
	_, p.Target, _ = strings.Cut(c.Name, "@")
	return p
}

func planOf(c event.ToolCall) turn.Plan {
	if rest, gated := strings.CutPrefix(c.Name, "gate"); gated {
		c.Name = rest
		p := planOf(c)
		p.Ask, p.AskFor = true, time.Hour
		return p
	}
	switch {
	case strings.HasPrefix(c.Name, "child"):
		return turn.Plan{Effect: "idempotent", Timeout: 30 * time.Second, Delegate: &turn.Delegation{Session: fmt.Sprint("child-", c.Index), Operation: "task", Agent: "coder"}}
	case strings.HasPrefix(c.Name, "once"), strings.HasPrefix(c.Name, "ask"):
		return turn.Plan{Effect: "once", Timeout: 30 * time.Second, Reconciles: c.Name[0] == 'a'}
	case strings.HasPrefix(c.Name, "bad"):
		return turn.Plan{Refusal: &event.Error{Code: "unknown_tool", Message: "no such tool"}}
	case strings.HasPrefix(c.Name, "slow"):
		return turn.Plan{Effect: "read", Timeout: 10 * time.Minute}
	}
	return turn.Plan{Effect: "idempotent", Timeout: 30 * time.Second}
}

func (w *stage) next(t *testing.T, name string, options []string) {
	d := w.driver(name)
	d.Now, d.HistoryFull = event.At(w.now), false
	for _, o := range options {
		key, value, _ := strings.Cut(o, "=")
		switch key {
		case "gen":
			d.Generation = number(t, value)
		case "rounds":
			d.RoundsLeft = number(t, value)
		case "left":
			d.TimeLeft = duration(t, value)
		case "history":
			d.HistoryFull = true
		case "max":
			d.MaxRounds = number(t, value)
		case "loops":
			d.LoopsAllowed = true
		case "models":
			d.Models = strings.Split(value, ",")
		case "tokens":
			d.Tokens = int64(number(t, value))
		case "compactAt":
			d.CompactAt = int64(number(t, value))
		case "maxTokens":
			d.Budget.Tokens = int64(number(t, value))
		case "maxCost":
			d.Budget.Cost, d.Budget.Priced = event.USD(value), true
		case "unpriced":
			d.Budget.Priced = false
		case "wait":
			d.WaitHere = duration(t, value)
		default:
			t.Fatalf("no option %q", o)
		}
	}
	effect := turn.Next(w.state, *d)
	switch e := effect.(type) {
	case turn.Append:
		w.append(name, e.Events)
		return
	case turn.Act:
		fmt.Fprint(&w.out, "act")
		for _, c := range e.Calls {
			d.Running[c.Index] = true
			fmt.Fprintf(&w.out, " %d:%s", c.Index, c.Name)
		}
		fmt.Fprintln(&w.out)
		return
	case turn.Reconcile:
		fmt.Fprintf(&w.out, "reconcile %d:%s\n", e.Call.Index, e.Call.Name)
		return
	case turn.Park:
		fmt.Fprint(&w.out, "park")
		if !e.Until.IsZero() {
			fmt.Fprintf(&w.out, " for %s", e.Until.Sub(w.now))
		}
		fmt.Fprintln(&w.out)
		return
	case turn.Backoff:
		fmt.Fprintf(&w.out, "backoff %s\n", e.Until.Sub(w.now))
		return
	case turn.Think:
		fmt.Fprintf(&w.out, "think round %d, attempt %d: %s\n", e.Round, e.Attempt, e.Model)
		return
	case turn.Compact:
		fmt.Fprintf(&w.out, "compact round %d, attempt %d: %s, overflowed %t\n", e.Round, e.Attempt, e.Model, e.Overflowed)
		return
	case turn.Wait:
		fmt.Fprintf(&w.out, "wait %s\n", e.Until.Sub(w.now))
		return
	}
	fmt.Fprintln(&w.out, strings.ToLower(strings.TrimPrefix(fmt.Sprintf("%T", effect), "turn.")))
}

// append is the log's part: every other driver that looked has lost now.
func (w *stage) append(by string, events []event.Event) {
	fmt.Fprintln(&w.out, "append")
	for _, e := range events {
		e.Seq, e.By = w.state.Seq+1, by
		w.log = append(w.log, e)
		w.state.Apply(e)
		fmt.Fprintf(&w.out, "  %s\n", describe(e))
	}
	for name, d := range w.drivers {
		if name == by {
			d.First, d.Answer, d.Flush = false, nil, false
			w.forget(d)
		} else if by != "" {
			d.Lost = true
		}
	}
}

// forget drops what a driver holds for calls that are not open any more.
func (w *stage) forget(d *turn.Situation) {
	open := map[int]bool{}
	if op := w.state.Head(); op != nil {
		for i, c := range op.Calls {
			open[i] = c.Phase == turn.Open
		}
	}
	for i := range d.Outcomes {
		if !open[i] {
			delete(d.Outcomes, i)
		}
	}
	for i := range d.Running {
		if !open[i] {
			delete(d.Running, i)
		}
	}
}

func (w *stage) outcome(t *testing.T, name, indexes string) {
	d := w.driver(name)
	for _, s := range strings.Split(indexes, ",") {
		i := number(t, s)
		c := w.state.Head().Calls[i]
		delete(d.Running, i)
		d.Outcomes[i] = turn.Outcome{event.ToolCompleted{Index: i, CallID: c.CallID, Name: c.Name, Output: event.Text("ok")}}
	}
}

func (w *stage) found(t *testing.T, name string, i int, what string) {
	c := w.state.Head().Calls[i]
	f := turn.Finding{UnknownSeq: c.UnknownSeq}
	switch what {
	case "happened":
		f.Outcome = turn.Outcome{event.ToolCompleted{Index: i, CallID: c.CallID, Name: c.Name, Output: event.Text("it was done")}}
	case "later":
		f.Outcome = turn.Outcome{event.ToolDeferred{Index: i, Name: c.Name, Until: event.At(w.now.Add(time.Hour))}}
	case "didnot":
		f.DidNot = true
	case "nothing":
	default:
		t.Fatalf("no finding %q", what)
	}
	w.driver(name).Found[i] = f
}

func (w *stage) printState() {
	op := w.state.Head()
	if op == nil {
		fmt.Fprintln(&w.out, "all settled")
		return
	}
	fmt.Fprintf(&w.out, "%s generation %d round %d model %s attempt %d by %q starts %d, %d in queue, %d model calls\n",
		op.ID, op.Generation, op.Round, op.Model.Phase, op.Model.Attempt, op.Model.Start.By, op.Model.Start.Count, len(w.state.Queue), op.Usage.ModelCalls)
	for _, c := range op.Calls {
		fmt.Fprintf(&w.out, "  call %d:%s %s by %q starts %d\n", c.Index, c.Name, c.Phase, c.Start.By, c.Start.Count)
	}
}
