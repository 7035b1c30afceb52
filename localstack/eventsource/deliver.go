package eventsource

import (
	"bytes"
	"context"
	"time"
)

// maxPayload is Lambda's limit for one invocation.
const maxPayload = 6 << 20

// A portion is a part of a batch with the attempts that have failed at its first
// record.
type portion struct {
	entries []*entry
	failed  int
	pause   int // how often it was put off, for the back-off
}

// deliver settles a batch, however often that must be tried. It returns false if
// the service is closing.
func (p *poller) deliver(ctx context.Context, batch []*entry) bool {
	todo := []portion{{entries: batch}}
	for len(todo) > 0 {
		now := todo[0]
		todo = todo[1:]
		if now.entries = p.expire(now.entries); len(now.entries) == 0 {
			continue
		}
		verdict := p.invoke(ctx, now.entries)
		if ctx.Err() != nil {
			return false
		}
		if verdict.settled > 0 {
			p.settle(now.entries[:verdict.settled])
		}
		left := p.next(now, verdict)
		if len(left) == 0 {
			continue
		}
		todo = append(left, todo...)
		if !sleep(ctx, backoff(left[0].pause)) {
			return false
		}
	}
	return true
}

// next decides what becomes of the part of a portion that was not settled.
func (p *poller) next(was portion, v verdict) []portion {
	rest := was.entries[v.settled:]
	if len(rest) == 0 {
		return nil
	}
	log := p.service.opts.Log.With("mapping", p.Name, "records", len(rest), "error", v.reason)
	if v.notRun {
		log.Warn("the function could not be invoked: trying again")
		return []portion{{rest, was.failed, was.pause + 1}}
	}
	if v.settled > 0 { // the first record of the rest has failed once
		was.failed, was.pause = 0, 0
	}
	if p.Bisect && v.settled == 0 && len(rest) > 1 {
		log.Info("the batch failed: halving it")
		half := len(rest) / 2
		return []portion{{rest[:half:half], was.failed, was.pause + 1}, {rest[half:], was.failed, 0}}
	}
	if was.failed++; p.MaximumRetries >= 0 && was.failed > p.MaximumRetries {
		p.giveUp(rest, "RetryAttemptsExhausted", was.failed, v.reason)
		return nil
	}
	log.Info("the batch failed: trying again", "failed", was.failed)
	return []portion{{rest, was.failed, was.pause + 1}}
}

// expire gives up what has become too old.
func (p *poller) expire(entries []*entry) []*entry {
	if p.MaximumRecordAge < 0 {
		return entries
	}
	oldest := p.service.opts.Now().Add(-p.MaximumRecordAge)
	n := 0
	for n < len(entries) && entries[n].record.Created.Before(oldest) {
		n++
	}
	if n > 0 {
		p.giveUp(entries[:n], "RecordAgeExceeded", 0, nil)
	}
	return entries[n:]
}

// A verdict says how many records from the front are settled, and why not all.
type verdict struct {
	settled int
	notRun  bool
	reason  error
}

func (p *poller) invoke(ctx context.Context, entries []*entry) verdict {
	event := render(entries)
	if told := p.service.opts.Age; told != nil {
		told(p.Function, p.service.opts.Now().Sub(entries[0].record.Created))
	}
	v := p.invokeOnce(ctx, event, entries)
	if p.service.opts.Redeliver && ctx.Err() == nil {
		if again := p.invokeOnce(ctx, event, entries); again.settled < v.settled {
			v = again
		}
	}
	return v
}

func (p *poller) invokeOnce(ctx context.Context, event []byte, entries []*entry) verdict {
	result, failure, err := p.service.opts.Invoke(ctx, p.Function, event)
	switch {
	case err != nil:
		return verdict{notRun: true, reason: err}
	case failure != nil:
		return verdict{reason: failure}
	case !p.PartialFailures:
		return verdict{settled: len(entries)}
	}
	n, err := firstFailure(result, entries)
	return verdict{settled: n, reason: err}
}

func render(entries []*entry) []byte {
	var b bytes.Buffer
	b.WriteString(`{"Records":[`)
	for i, e := range entries {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(e.body)
	}
	b.WriteString(`]}`)
	return b.Bytes()
}

// backoff grows from 200 ms to 30 s.
func backoff(n int) time.Duration {
	return min(100*time.Millisecond<<min(n, 20), 30*time.Second)
}

func sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}
