package disaster

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"windlass/eventstore"
	"windlass/eventstore/event"
	"windlass/functions/internal/delegation"
	"windlass/functions/internal/execution"
	"windlass/functions/internal/loop"
	"windlass/functions/internal/session"
	"windlass/functions/internal/view"
)

// starter starts a session's turns.
type starter interface {
	Start(context.Context, execution.Turn) (bool, error)
	Wake(context.Context, eventstore.Stream) error
}

// elsewhere starts no turns: dispatch hears of each commit that wants one.
type elsewhere struct{}

func (elsewhere) Start(context.Context, execution.Turn) (bool, error) { return true, nil }
func (elsewhere) Wake(context.Context, eventstore.Stream) error       { return nil }

// relations are child sessions as a parent's side reaches them: what hands over and
// what cancels are told apart.
type relations struct {
	*session.Service
	cancels *session.Service
}

func (r relations) Cancel(ctx context.Context, s eventstore.Stream, id string) (view.Operation, error) {
	return r.cancels.Cancel(ctx, s, id)
}

// families is what drive hands calls over with, and what dispatch heeds commits with.
func (p *process) families(t starter, wake func(context.Context, eventstore.Stream) error) *delegation.Families {
	return &delegation.Families{
		Sessions: relations{p.serviceOf(handOver, t), p.serviceOf(abandonment, t)},
		Journal:  p.journalOf(telling), Wake: wake, Now: time.Now,
	}
}

// heed is what dispatch does about a commit besides waking its session.
func (p *process) heed(ctx context.Context, r events.DynamoDBEventRecord) error {
	commit, err := p.w.record(r)
	if err != nil {
		return err
	}
	return p.families(p.starter(), p.starterOf(wakes, wakes).Wake).Heed(ctx, commit)
}

// Nobody tells a parent that its children have ended, until dispatch has given up: it
// finds out when it looks again.
func TestAParentThatNobodyTellsFindsOut(t *testing.T) {
	in(t, loop.DefaultLimits, func(w *world) {
		began := time.Now()
		w.plan.also = func(what what, n int) disaster {
			if what == telling && time.Since(began) < 4*time.Minute {
				return fails
			}
			return ""
		}
		w.submit("parent")
		_, ops := w.rest(12 * time.Minute)
		v := verdict{}
		kinship(&v, w.whole())
		if ops["parent"].Status != "completed" || len(v.wrong) > 0 || w.plan.seen[telling] < 10 {
			t.Errorf("%+v after %d tries to tell; %v", ops["parent"], w.plan.seen[telling], v.wrong)
		}
	})
}

// A child whose every step kills its process ends as poison, and its parent goes on.
func TestAChildThatKillsItsProcessIsAnErrorForItsParent(t *testing.T) {
	in(t, loop.DefaultLimits, func(w *world) {
		w.plan.also = func(what what, n int) disaster {
			if what == reads { // the one of the child that looks
				return killedAfter
			}
			return ""
		}
		w.submit("parent")
		all, ops := w.rest(patience)
		var codes []string
		for _, e := range those[event.ChildSettled](all) {
			if d := e.Data.(event.ChildSettled); d.Error != nil {
				codes = append(codes, d.Error.Code)
			}
		}
		v := verdict{}
		kinship(&v, w.whole())
		if ops["parent"].Status != "completed" || !slices.Equal(codes, []string{"step_poisoned"}) || len(v.wrong) > 0 {
			t.Errorf("%+v, children's errors %q; %v", ops["parent"], codes, v.wrong)
		}
	})
}
