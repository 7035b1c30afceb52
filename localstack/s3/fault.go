package s3

import (
	"net/http"
	"time"
)

// Fault is one misbehaviour for tests, chosen by Options.Fault. Delay comes
// first; then, unless AnswerLost is set, Error is the answer and nothing is done.
type Fault struct {
	Delay time.Duration
	Error error // such as SlowDown

	// AnswerLost: the operation is done, but the client sees the connection
	// close.
	AnswerLost bool
}

// SlowDown is what AWS answers, now and then, to anybody.
var SlowDown error = fault("SlowDown")

func (f *Fault) run(c *call, op *operation) error {
	if f.Delay > 0 {
		timer := time.NewTimer(f.Delay)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-c.r.Context().Done():
			return c.r.Context().Err()
		}
	}
	if !f.AnswerLost {
		if f.Error != nil {
			return f.Error
		}
		return op.run(c)
	}
	c.w = nowhere{header: http.Header{}}
	_ = op.run(c) // whatever it was, nobody will know
	panic(http.ErrAbortHandler)
}

// nowhere takes an answer that is not to arrive.
type nowhere struct{ header http.Header }

func (n nowhere) Header() http.Header         { return n.header }
func (n nowhere) Write(p []byte) (int, error) { return len(p), nil }
func (n nowhere) WriteHeader(int)             {}
