package tools

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

	"windlass/tests/client"
	"windlass/tests/embedded"
	"windlass/tests/providers"
)

// family is a boss that hands two tasks to workers, at the same time.
type family struct {
	deaths
	ctx context.Context

	mu sync.Mutex
	// asked are the requests to the model so far, by who asks for what.
	asked map[string]int
	// plans say in whose first request the process is killed.
	plans map[string]bool
	// held is where workers wait, if there is one.
	held chan struct{}
	// begun tells of a worker's request.
	begun chan string
}

var definitions = map[string]string{
	"boss":   "\ntools: [{name: delegate, with: {agents: [worker]}}]\n",
	"worker": "\ntools: [workspace_write]\n",
}

func newFamily(ctx context.Context, killedAt ...string) *family {
	f := &family{deaths: make(deaths), ctx: ctx, asked: map[string]int{}, plans: map[string]bool{}, begun: make(chan string, 100)}
	for _, at := range killedAt {
		f.plans[at] = true
	}
	return f
}

// answer is the model's of all of them.
func (f *family) answer(a asked) providers.Answer {
	who := a.prompt
	if len(a.results) > 0 {
		who += ", then"
	}
	f.mu.Lock()
	f.asked[who]++
	dies := f.plans[who] && f.asked[who] == 1
	f.mu.Unlock()
	if dies {
		f.deaths.wait(f.ctx)
		return say("to nobody")
	}
	task := strings.TrimPrefix(a.prompt, "do ")
	switch {
	case a.prompt == "go" && len(a.results) == 0:
		return ask(call("c0", "delegate", object{"agent": "worker", "prompt": "do A"}), call("c1", "delegate", object{"agent": "worker", "prompt": "do B"}))
	case a.prompt == "go":
		return say(strings.Join(a.results, " and "))
	case len(a.results) == 0:
		if f.held != nil {
			f.begun <- task
			<-f.held
		}
		return ask(call("c0", "workspace_write", object{"path": "/" + task, "content": task}))
	}
	return say("did " + task)
}

// submitted is a child as its parent's log names it.
type submitted struct {
	Session string `json:"session"`
	ID      string `json:"operationId"`
	Agent   string `json:"agent"`
}

func children(t *testing.T, parent []client.Event) (all []submitted) {
	t.Helper()
	for _, e := range parent {
		if e.Type == "child.submitted" {
			var c submitted
			unmarshal(t, e.Data, &c)
			all = append(all, c)
		}
	}
	if len(all) != 2 || all[0].Session == all[1].Session || all[0].Agent != "worker" {
		t.Fatalf("the parent's log names %+v", all)
	}
	return all
}

// listed: the sessions' list has the parent and its two children, and nobody else.
func listed(ctx context.Context, t *testing.T, s *embedded.Stack, all []submitted) {
	t.Helper()
	sessions, err := s.Client().Sessions(ctx, 2)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, one := range sessions {
		got = append(got, one.SessionID+" "+one.Agent)
	}
	want := []string{"s boss", all[0].Session + " worker", all[1].Session + " worker"}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("the list of sessions has %v, want %v", got, want)
	}
}

// The process is killed while the boss thinks, while each child does, and when the boss
// hears of their ends: both tasks are done once, in a session each, and told once.
func TestTasksAreDelegatedThroughKills(t *testing.T) {
	t.Parallel()
	ctx := patience(t)
	killedAt := []string{"go", "do A", "do B", "do A, then", "do B, then", "go, then"}
	f := newFamily(ctx, killedAt...)
	stack := embedded.Start(t, folder(t, definitions), model(t, f.answer))
	submit(ctx, t, stack, "s", "boss", "go")
	for range killedAt {
		f.kill(ctx, t, stack)
	}
	if out := *settled(ctx, t, stack, "s").Output; out != "did A and did B" {
		t.Errorf("the boss was told %q", out)
	}
	events := verified(ctx, t, stack, "s")
	both := children(t, events)
	if n, results := count(events, "child.settled"), count(events, "tool.completed"); n != 2 || results != 2 || count(events, "child.abandoned") != 0 {
		t.Errorf("%d ends were told, with %d results", n, results)
	}
	for i, c := range both {
		its := verified(ctx, t, stack, c.Session)
		if count(its, "operation.accepted") != 1 || count(its, "operation.completed") != 1 || count(its, "workspace.written") != 1 {
			t.Errorf("child %d: %d times accepted, %d completed, %d files", i, count(its, "operation.accepted"), count(its, "operation.completed"), count(its, "workspace.written"))
		}
	}
	listed(ctx, t, stack, both)
}

// A boss that is cancelled has its workers cancelled, though the process is killed right
// behind the cancel.
func TestACancelReachesTheDelegatedThroughAKill(t *testing.T) {
	t.Parallel()
	ctx := patience(t)
	f := newFamily(ctx)
	f.held = make(chan struct{})
	defer close(f.held)
	stack := embedded.Start(t, folder(t, definitions), model(t, f.answer))
	submit(ctx, t, stack, "s", "boss", "go")
	for range 2 {
		select {
		case <-f.begun:
		case <-ctx.Done():
			t.Fatal("the workers are not at work")
		}
	}
	if _, err := stack.Client().Cancel(ctx, "s", "op"); err != nil {
		t.Fatal(err)
	}
	stack.Kill()
	stack.Restart()
	ended := func(session, id string) {
		t.Helper()
		if o, err := stack.Client().Wait(ctx, session, id); err != nil || o.Status != "cancelled" {
			t.Errorf("%s: %+v, %v", session, o, err)
		}
	}
	ended("s", "op")
	events := verified(ctx, t, stack, "s")
	both := children(t, events)
	for _, c := range both {
		ended(c.Session, c.ID)
		its := verified(ctx, t, stack, c.Session)
		if count(its, "operation.accepted") != 1 || count(its, "operation.cancelled") != 1 || count(its, "workspace.written") != 0 {
			t.Errorf("%s: %d times accepted, %d cancelled, %d files", c.Session, count(its, "operation.accepted"), count(its, "operation.cancelled"), count(its, "workspace.written"))
		}
	}
	if count(events, "child.abandoned") != 2 || count(events, "child.settled") != 0 {
		t.Errorf("%d are abandoned, %d told", count(events, "child.abandoned"), count(events, "child.settled"))
	}
	listed(ctx, t, stack, both)
}
