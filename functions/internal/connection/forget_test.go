package connection_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windlass/functions/internal/connection"
	"windlass/functions/internal/fault"
	"windlass/localstack/dynamodb"
)

func TestForgetLeavesNothingOfOneConnectionAndAllOfOthers(t *testing.T) {
	w := newWorld(t)
	stays := w.open(t, "c2=", acme)
	try(t, w.Subscribe(t.Context(), stays, demo))
	before := w.rows(t)
	c := w.open(t, "c1=", acme)
	for n := range connection.MaxSubscriptions {
		try(t, w.Subscribe(t.Context(), c, connection.Subscription{Session: fmt.Sprint("s", n%7), Operation: fmt.Sprint("op-", n)}))
	}
	for range 2 {
		try(t, w.Forget(t.Context(), c.ID))
		if d := cmp.Diff(before, w.rows(t)); d != "" {
			t.Fatalf("left behind (-before +after):\n%s", d)
		}
	}
	_, err := w.Connection(t.Context(), c.ID)
	wants(t, "the connection", err, fault.NotFound)
	wants(t, "a late subscribe", w.Subscribe(t.Context(), c, demo), fault.NotFound)
	wants(t, "a late unsubscribe", w.Unsubscribe(t.Context(), c, demo), "")
	if d := cmp.Diff(before, w.rows(t)); d != "" {
		t.Errorf("left behind by late frames (-before +after):\n%s", d)
	}
}

// between runs other before the nth call of do, and tells whether there was one.
func (w *world) between(operation string, n int, do, other func()) bool {
	calls := 0
	w.faulty(func(called string) *dynamodb.Fault {
		if operation == "" || called == operation {
			calls++
		}
		if calls == n {
			w.healed()
			other()
		}
		return nil
	})
	do()
	w.healed()
	return calls >= n
}

// Whatever comes between the calls of one, nothing is left of the connection, and
// a subscribe that succeeded was before it was forgotten.
func TestForgetAndSubscribeBetweenEachOthersCallsLeaveNothing(t *testing.T) {
	w := newWorld(t)
	interleavings := 0
	for _, has := range []bool{false, true} {
		for n := 1; ; n++ {
			subscribe := func() {
				err := w.Subscribe(t.Context(), connection.Connection{ID: "c1=", Grant: acme, ClosesAt: start}, demo)
				if err != nil {
					wants(t, "subscribe", err, fault.NotFound)
				}
			}
			forget := func() { try(t, w.Forget(t.Context(), "c1=")) }
			prepare := func() {
				c := w.open(t, "c1=", acme)
				try(t, w.Subscribe(t.Context(), c, op))
				if has {
					try(t, w.Subscribe(t.Context(), c, demo))
				}
			}
			prepare()
			first := w.between("", n, subscribe, forget)
			if !first {
				forget()
			}
			empty(t, w)
			prepare()
			second := w.between("", n, forget, subscribe)
			if !second {
				subscribe()
			}
			empty(t, w)
			interleavings++
			if !first && !second {
				break
			}
		}
	}
	if interleavings < 6 {
		t.Errorf("only %d interleavings: the calls are not seen", interleavings)
	}
}

func TestForgetAndSubscribeAtTheSameTimeLeaveNothing(t *testing.T) {
	w := newWorld(t)
	won := 0
	for n := range 200 {
		c := w.open(t, fmt.Sprint("c", n), acme)
		var subscribed [4]error
		var all sync.WaitGroup
		for i := range subscribed {
			if i == n%4 {
				all.Go(func() { try(t, w.Forget(t.Context(), c.ID)) })
			}
			all.Go(func() {
				subscribed[i] = w.Subscribe(t.Context(), c, connection.Subscription{Session: "demo", Operation: fmt.Sprint("op-", i%3)})
			})
		}
		all.Wait()
		for _, err := range subscribed {
			if err == nil {
				won++
				continue
			}
			wants(t, "subscribe", err, fault.NotFound)
		}
		empty(t, w)
	}
	if won == 0 || won == 800 {
		t.Errorf("%d of 800 subscribes came first: nothing was raced", won)
	}
}

// A crash in the middle is a call that never came back.
func TestForgetGoesOnAfterACrash(t *testing.T) {
	for n := 1; ; n++ {
		w := newWorld(t)
		c := w.open(t, "c1=", acme)
		try(t, w.Subscribe(t.Context(), c, demo))
		try(t, w.Subscribe(t.Context(), c, op))
		calls := 0
		w.faulty(func(string) *dynamodb.Fault {
			if calls++; calls == n {
				return &dynamodb.Fault{Error: dynamodb.Internal, AnswerLost: n%2 == 0}
			}
			return nil
		})
		err := w.Forget(t.Context(), c.ID)
		w.healed()
		if calls < n {
			if n < 4 {
				t.Errorf("it made %d calls: the crashes are not seen", calls)
			}
			return
		}
		wants(t, fmt.Sprint("call ", n, " failed"), err, fault.Unavailable)
		try(t, w.Forget(t.Context(), c.ID))
		empty(t, w)
	}
}

func empty(t *testing.T, w *world) {
	t.Helper()
	if rows := w.rows(t); len(rows) != 0 {
		t.Fatalf("left behind: %v", rows)
	}
}
