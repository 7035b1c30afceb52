package loop

import (
	"fmt"
	"time"

	"windlass/eventstore/event"
	"windlass/functions/internal/execution"
)

// Task is what the state machine hands to one Drive invocation.
type Task struct {
	Turn       Document `json:"turn"`
	Execution  string   `json:"execution"`
	EnteredAt  string   `json:"enteredAt"`
	RetryCount int      `json:"retryCount"`
	// Token is the Park state's: then the turn waits until it is answered.
	Token string `json:"token,omitempty"`
}

// Document is the state machine's state: the execution's input, and Drive's last
// answer. It stays small however long the turn is.
type Document struct {
	execution.Turn
	// Attempts counts the execution's invocations so far, for its history's sake;
	// those that failed or were throttled too.
	Attempts int `json:"attempts,omitempty"`
	// Next is the state to go to: drive, backoff, park or done.
	Next string `json:"next,omitempty"`
	// Until is when Backoff ends.
	Until *event.Time `json:"until,omitempty"`
	// ParkSeconds is how long Park waits at most.
	ParkSeconds int `json:"parkSeconds,omitempty"`
	// ParkedAt is the seq of the log at which there was nothing to do but wait.
	ParkedAt uint64 `json:"parkedAt,omitempty"`
}

// counted is the document with this invocation, and its retries, counted.
func (t Task) counted() Document {
	d := t.Turn
	d.Attempts += 1 + t.RetryCount
	return d
}

// by names this invocation: no two share entry time, retry count and request.
func (t Task) by(requestID string) string {
	return fmt.Sprintf("%s/%s/%d/%s", t.Execution, t.EnteredAt, t.RetryCount, requestID)
}

func (d Document) drive() Document          { return d.to("drive", nil) }
func (d Document) done() Document           { return d.to("done", nil) }
func (d Document) at(t event.Time) Document { return d.to("backoff", &t) }

// longestPark is how long a turn waits before it is looked at again, as a backstop.
const longestPark = 24 * time.Hour

// park waits for a person; not longer than the wait, if that is bounded.
func (d Document) park(seq uint64, wait time.Duration, bounded bool) Document {
	d = d.to("park", nil)
	d.ParkedAt = seq
	d.ParkSeconds = int(longestPark / time.Second)
	if bounded && wait < longestPark {
		d.ParkSeconds = max(int((wait+time.Second-1)/time.Second), 1)
	}
	return d
}

func (d Document) to(next string, until *event.Time) Document {
	d.Next, d.Until, d.ParkSeconds, d.ParkedAt = next, until, 0, 0
	return d
}
