package loop_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"windlass/eventstore"
	"windlass/eventstore/flaky"
	"windlass/eventstore/memory"
	"windlass/functions/internal/execution"
	"windlass/functions/internal/loop"
	"windlass/functions/internal/session"
	"windlass/tests/checker"
)

// Tasks time out while their Lambda goes on, Lambdas die, answers are lost: late
// drivers live beside their successors, and none of them writes what is not its
// to write. Each seed is a schedule of its own.
func TestLateDriversBesideTheirSuccessors(t *testing.T) {
	for seed := range uint64(150) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { lateDrivers(t, rand.New(rand.NewPCG(seed, 0)), rand.New(rand.NewPCG(seed, 1))) })
		})
	}
}

func lateDrivers(t *testing.T, dice, loss *rand.Rand) {
	w := newWorld(t)
	losing := flaky.Script{{When: func(flaky.Call) bool { return loss.IntN(12) == 0 }, Do: flaky.Lose}}
	w.journal = eventstore.New(flaky.New(memory.New(), losing), eventstore.WithBlobs(w.blobs))
	w.service.Journal, w.loop.Journal = w.journal, w.journal
	const operations = 3
	for i := range operations {
		w.submit(session.Submission{Prompt: `{"rounds":3,"callsPerRound":4,"toolBytes":20,"answerBytes":9,"reasoningBytes":5,"latencyMs":2500}`, OperationID: fmt.Sprint("op-", i), Agent: "stress"})
	}
	for i := range operations {
		w.driveBadly(t, dice, fmt.Sprint("op-", i))
	}
	synctest.Wait()
	w.oneDriverAfterTheOther(t)
	events := w.events()
	report := checker.Check(seen(t, events))
	for _, v := range report.Violations {
		t.Error(v)
	}
	for id, op := range report.Operations {
		// Poison is a right ending here: the dice may hit one step five times.
		if op.Terminal != 1 || op.Status == "completed" && (op.Rounds != 4 || op.Results != 12) {
			t.Errorf("%s: %+v", id, op)
		}
	}
}

// oneDriverAfterTheOther: who was followed by another driver never writes again.
func (w *world) oneDriverAfterTheOther(t *testing.T) {
	last, gone := "", map[string]bool{}
	for c, err := range w.journal.Read(t.Context(), stream, 0) {
		if err != nil {
			t.Fatal(err)
		}
		if c.By == "" || c.By == last {
			continue
		}
		if gone[c.By] {
			t.Errorf("seq %d is by %s, which %s had followed", c.First, c.By, last)
		}
		gone[last], last = true, c.By
	}
}

// driveBadly plays a state machine whose tasks time out, and Lambdas that die.
func (w *world) driveBadly(t *testing.T, dice *rand.Rand, operation string) {
	type answer struct {
		document loop.Document
		err      error
	}
	doc := loop.Document{Turn: execution.Turn{Tenant: "t", Session: "s", Operation: operation, Generation: 1}}
	for entry := 0; doc.Next != "done"; entry++ {
		if entry > 300 {
			t.Fatalf("no end:\n%s", w.types())
		}
		life, patience := 14*time.Minute, 20*time.Minute
		if dice.IntN(4) == 0 { // it dies
			life = time.Duration(dice.IntN(3000)) * time.Millisecond
		}
		if dice.IntN(3) == 0 { // the task times out, its Lambda goes on
			patience = time.Duration(dice.IntN(3000)) * time.Millisecond
		}
		answered := make(chan answer, 1)
		go func(in loop.Document, entry int) {
			ctx, cancel := context.WithTimeout(context.Background(), 15*time.Minute)
			defer cancel()
			defer time.AfterFunc(life, cancel).Stop()
			d, err := w.loop.Drive(ctx, loop.Task{Turn: in, Execution: operation, EnteredAt: fmt.Sprint(entry)}, "r")
			answered <- answer{d, err}
		}(doc, entry)
		select {
		case a := <-answered:
			if a.err != nil {
				time.Sleep(time.Second) // Retry
				continue
			}
			if doc = a.document; doc.Next == "backoff" {
				time.Sleep(time.Until(doc.Until.Time))
			}
		case <-time.After(patience):
			time.Sleep(time.Second)
		}
	}
}
