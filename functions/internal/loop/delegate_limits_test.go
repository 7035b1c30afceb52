package loop_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"windlass/eventstore"
	"windlass/eventstore/event"
	"windlass/functions/internal/agent"
	"windlass/functions/internal/delegation"
	"windlass/functions/internal/model"
)

// What a definition does not allow, or cannot be done, is an error that the model reads;
// nobody is asked.
func TestDelegationsThatAreDenied(t *testing.T) {
	for name, c := range map[string]struct {
		call model.Part
		code string
	}{
		"an agent that it may not ask": {ask("a", "stranger", "one"), "denied"},
		"no agent":                     {ask("a", "", "one"), "denied"},
		"an empty prompt":              {ask("a", "worker", " \n"), "invalid_arguments"},
		"no prompt":                    {call("a", "delegate", `{"agent":"worker"}`), "invalid_arguments"},
		"two agents":                   {call("a", "delegate", `{"agent":"stranger","Agent":"worker","prompt":"one"}`), "invalid_arguments"},
	} {
		synctest.Test(t, func(t *testing.T) {
			f := newFamily(t, c.call)
			if end := f.drive(stream); end != "done" {
				t.Fatal(name, end)
			}
			if len(f.read) != 1 || !strings.Contains(f.read[0].Output, `"code":"`+c.code+`"`) || f.tally(stream)["child.submitted"] != 0 {
				t.Errorf("%s: the model read %+v\n%s", name, f.read, f.types())
			}
		})
	}
}

// An agent that asks itself comes to an end: the last one does it itself.
func TestADelegationTooDeepIsDenied(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFamily(t, ask("a", "boss", "1"))
		f.work = func(_ context.Context, prompt string, r model.Request) ([]model.Part, error) {
			if all := results(r); len(all) > 0 {
				return []model.Part{{Text: prompt + " " + outputs(all)}, spoken}, nil
			}
			return []model.Part{ask("a", "boss", prompt+"1"), spoken}, nil
		}
		f.play()
		everybody := f.everybody(stream)
		if len(everybody) != delegation.MaxDepth+1 {
			t.Errorf("%d sessions", len(everybody))
		}
		if got := f.operation(stream, "op").Output.Inline(); !strings.HasPrefix(got, `1 11 111 {"error":{"code":"denied"`) {
			t.Errorf("the answer is %s", got)
		}
	})
}

// Children share what their parent has left; with nothing to bound the parent, each may
// use what its own agent allows.
func TestChildrenShareWhatTheirParentHasLeft(t *testing.T) {
	one, two := []model.Part{ask("a", "worker", "one")}, []model.Part{ask("a", "worker", "one"), ask("b", "worker", "two")}
	for _, c := range []struct {
		limits string
		calls  []model.Part
		want   agent.Limits
	}{
		{"{maxTurnTokens: 1000, maxTurnCost: 0.01}", one, agent.Limits{MaxTurnTokens: 900, MaxTurnCost: "0.0099"}},
		{"{maxTurnTokens: 1000, maxTurnCost: 0.01}", two, agent.Limits{MaxTurnTokens: 450, MaxTurnCost: "0.00495"}},
		{"{maxTurnTokens: 100, maxTurnCost: 0.0001}", one, agent.Limits{MaxTurnTokens: 1, MaxTurnCost: "0.000000000001"}}, // it is used up
		{"{}", one, agent.Limits{}},
	} {
		synctest.Test(t, func(t *testing.T) {
			f := newLimited(t, c.limits, c.calls...)
			f.drive(stream)
			for _, child := range f.children(stream) {
				if got := f.limits(child); got != c.want {
					t.Errorf("%s: one of %d children may use %+v, want %+v", c.limits, len(c.calls), got, c.want)
				}
			}
		})
	}
}

// limits are those of tokens and cost that a child was accepted with.
func (f *family) limits(child eventstore.Stream) agent.Limits {
	f.t.Helper()
	for _, c := range f.log(child) {
		for _, e := range c.Events {
			if a, ok := e.Data.(event.OperationAccepted); ok {
				def, err := agent.Pinned(a.Agent)
				if err != nil {
					f.t.Fatal(err)
				}
				return agent.Limits{MaxTurnTokens: def.Limits.MaxTurnTokens, MaxTurnCost: def.Limits.MaxTurnCost}
			}
		}
	}
	f.t.Fatal("it was not accepted")
	return agent.Limits{}
}

// What its children used bounds the parent: it is not asked again.
func TestWhatChildrenUseCountsAgainstTheParentsBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFamily(t, ask("a", "worker", "one"))
		f.work = func(context.Context, string, model.Request) ([]model.Part, error) {
			return []model.Part{{Text: "much"}, {Stop: model.StopEnd, Usage: event.Tokens{InputTokens: 10000}}}, nil
		}
		f.play()
		if o := f.operation(stream, "op"); o.Status != "failed" || o.Error.Code != "budget_exhausted" || o.Usage.InputTokens != 10080 || f.read != nil {
			t.Errorf("%+v, it read %+v", o, f.read)
		}
	})
}
