package storetest

import (
	"errors"
	"sync"
	"testing"

	"windlass/eventstore"
)

const racers, races = 32, 20

// race lets all writes go at once and returns their answers.
func race(t *testing.T, d eventstore.Driver, writes []eventstore.Write) []error {
	answers := make([]error, len(writes))
	start := make(chan struct{})
	var wg sync.WaitGroup
	for i, w := range writes {
		wg.Go(func() {
			<-start
			answers[i] = send(t, d, w)
		})
	}
	close(start)
	wg.Wait()
	return answers
}

func racersForAPlace(t *testing.T, d eventstore.Driver) {
	s := newStream()
	for n := range uint64(races) {
		var writes []eventstore.Write
		for range racers {
			writes = append(writes, eventstore.Write{Record: newRecord(s, n+1, 1)})
		}
		answers := race(t, d, writes)
		winner := theWinner(t, writes, answers)
		for i, err := range answers {
			var lost *eventstore.Conflict
			if i != winner && (!errors.As(err, &lost) || lost.Existing.ID != writes[winner].Record.ID) {
				t.Fatalf("racer %d: %v, want to have lost to %s", i, err, writes[winner].Record.ID)
			}
		}
	}
	if got, _ := all(t, d, forward(s)); len(got) != races {
		t.Errorf("%d records, want %d", len(got), races)
	}
}

// theWinner is the one racer that was told so. Over a network its answer may be
// that its own commit stands there.
func theWinner(t *testing.T, writes []eventstore.Write, answers []error) int {
	t.Helper()
	winner := -1
	for i, err := range answers {
		if err == nil {
			if winner >= 0 {
				t.Fatalf("racers %d and %d both won", winner, i)
			}
			winner = i
		}
	}
	if winner < 0 {
		t.Fatalf("none of %d racers won: %v", len(writes), answers[0])
	}
	return winner
}

// All racers claim one key, each at a place of its own.
func racersForAClaim(t *testing.T, d eventstore.Driver) {
	s := newStream()
	for n := range races {
		var writes []eventstore.Write
		for i := range racers {
			first := uint64(n*racers + i + 1)
			writes = append(writes, eventstore.Write{Record: newRecord(s, first, 1),
				Claim: &eventstore.Claim{Key: "key-" + name(n), Fingerprint: "f-" + name(i), First: first}})
		}
		answers := race(t, d, writes)
		winner := theWinner(t, writes, answers)
		for i, err := range answers {
			var claimed *eventstore.Claimed
			if i != winner && (!errors.As(err, &claimed) || claimed.Existing != *writes[winner].Claim || claimed.Commit != nil) {
				t.Fatalf("racer %d: %v, want claimed by racer %d and nobody at the place", i, err, winner)
			}
		}
	}
	if got, _ := all(t, d, forward(s)); len(got) != races {
		t.Errorf("%d records, want %d", len(got), races)
	}
}
