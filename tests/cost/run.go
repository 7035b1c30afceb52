package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"windlass/tests/client"
	"windlass/tests/embedded"
)

// load is what a turn of the stress agent does. Its last round is the answer's.
type load struct {
	rounds, calls, bytes int
	// answer is its last answer's length; it comes in pieces over a time if that is given.
	answer int
	over   time.Duration
}

const pieces = 100

func (l load) modelCalls() int { return l.rounds + 1 }

func (l load) String() string {
	if l.rounds == 0 {
		return "a turn of 1 round"
	}
	size := fmt.Sprintf("%d B", l.bytes)
	if l.bytes >= 1024 {
		size = fmt.Sprintf("%d KB", l.bytes>>10)
	}
	return fmt.Sprintf("a turn of %d rounds, %d calls of %s in each", l.modelCalls(), l.calls, size)
}

func (l load) prompt() string {
	p := fmt.Sprintf(`{"rounds":%d,"callsPerRound":%d,"toolBytes":%d,"answerBytes":%d`, l.rounds, l.calls, l.bytes, l.answer)
	if l.over > 0 {
		p += fmt.Sprintf(`,"chunkBytes":%d,"chunkMs":%d`, l.answer/pieces, l.over.Milliseconds()/pieces)
	}
	return p + "}"
}

// A turn is what was counted of one.
type turn struct {
	load             load
	summaries        int
	counts, follower counts
}

// A stream is what an answer that comes slowly needs more than one that is there at once.
type stream struct {
	bytes int
	extra counts
}

// idling is what was counted in some minutes of nothing.
type idling struct {
	minutes      int64
	counts       counts
	alarmMetrics int
}

// A stack is an embedded one that counts. Nothing runs in it by itself, and each stream
// record is delivered alone.
type stack struct {
	client.Client
	functions map[string]function
	sessions  int
}

var counting = []string{"WINDLASS_LOCAL_USAGE=1", "WINDLASS_LOCAL_STREAM=alone", "WINDLASS_LOCAL_MINUTE=24h"}

func open(ctx context.Context, h *embedded.Host) (*stack, error) {
	var s *embedded.Stack
	if err := h.Try(func() { s = embedded.Start(h, counting...) }); err != nil {
		return nil, err
	}
	return opened(ctx, s)
}

func opened(ctx context.Context, s *embedded.Stack) (*stack, error) {
	r, err := idle(ctx, s.Client())
	return &stack{Client: s.Client(), functions: r.Functions}, err
}

func (s *stack) session() string {
	s.sessions++
	return fmt.Sprintf("cost-%d", s.sessions)
}

// during is what was counted while f ran, and what it began.
func (s *stack) during(ctx context.Context, f func() error) (counts, error) {
	before, err := idle(ctx, s.Client)
	if err != nil {
		return nil, err
	}
	if err := f(); err != nil {
		return nil, err
	}
	after, err := idle(ctx, s.Client)
	if err != nil {
		return nil, err
	}
	return after.counts().since(before.counts()), nil
}

// submit hands a load over, lets it end, and looks at its snapshot: nobody waits over the
// API meanwhile, which would be counted. A long turn is summarised on its way.
func (s *stack) submit(ctx context.Context, session string, l load) (summaries int, err error) {
	r, err := s.Submit(ctx, session, client.Submission{Agent: "stress", Prompt: l.prompt()})
	if err != nil {
		return 0, err
	}
	if _, err := idle(ctx, s.Client); err != nil {
		return 0, err
	}
	o, err := s.Operation(ctx, session, r.OperationID, 0)
	if summaries = int(o.Usage.ModelCalls) - l.modelCalls(); err == nil && (o.Status != "completed" || summaries < 0) {
		err = fmt.Errorf("%s: %s after %d model calls, want completed after %d", l, o.Status, o.Usage.ModelCalls, l.modelCalls())
	}
	return summaries, err
}

// turn counts a turn in a session of its own.
func (s *stack) turn(ctx context.Context, l load) (m turn, err error) {
	m.load = l
	session := s.session()
	m.counts, err = s.during(ctx, func() (err error) { m.summaries, err = s.submit(ctx, session, l); return err })
	return m, err
}

// followed counts what a client adds that follows a turn from its beginning.
func (s *stack) followed(ctx context.Context, l load) (counts, error) {
	session := s.session()
	if _, err := s.submit(ctx, session, load{answer: 1}); err != nil { // so that it is there
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var f *follower
	opening, err := s.during(ctx, func() (err error) { f, err = follow(ctx, s.Client, session); return err })
	if err != nil {
		return nil, err
	}
	live, err := s.during(ctx, func() error {
		if _, err := s.submit(ctx, session, l); err != nil {
			return err
		}
		return f.settled(ctx)
	})
	posts := live.only(func(u use) bool { return u.Service == "execute-api" || u.Caller == "socket" })
	return opening.plus(posts), err
}

// streamed counts what an answer needs that takes its time.
func (s *stack) streamed(ctx context.Context, bytes int, over time.Duration) (stream, error) {
	atOnce, err := s.turn(ctx, load{answer: bytes})
	if err != nil {
		return stream{}, err
	}
	slow, err := s.turn(ctx, load{answer: bytes, over: over})
	if err != nil {
		return stream{}, err
	}
	drive := func(c counts) counts { return c.only(by("drive", of("dynamodb"))) }
	return stream{bytes, drive(slow.counts).since(drive(atOnce.counts))}, nil
}

// follower is a client with a socket, up to the end of the next turn.
type follower struct{ done chan error }

var errSettled = errors.New("settled")

// follow returns once what there is has come. It never asks again by itself.
func follow(ctx context.Context, c client.Client, session string) (*follower, error) {
	f, caught := &follower{make(chan error, 1)}, make(chan struct{}, 1)
	up := false // the follower's goroutine alone
	its := client.Follower{
		Client: func() client.Client { return c }, Session: session, Quiet: time.Hour,
		Frame: func(_ *client.Socket, frame client.Frame) {
			if frame.Type == "caught_up" && !up {
				up = true
				caught <- struct{}{}
			}
		},
		See: func(e client.Event, _ []byte) error {
			if up && e.Type == "operation.completed" {
				return errSettled
			}
			return nil
		},
	}
	go func() { f.done <- its.Run(ctx) }()
	select {
	case <-caught:
		return f, nil
	case err := <-f.done:
		return nil, fmt.Errorf("follow: %w", err)
	}
}

func (f *follower) settled(ctx context.Context) error {
	select {
	case err := <-f.done:
		if errors.Is(err, errSettled) {
			return nil
		}
		return fmt.Errorf("follow: %w", err)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// sits counts some minutes, which are short ones, of a stack that nobody uses.
func sits(ctx context.Context, c client.Client) (i idling, err error) {
	recovers := by("recover", func(use) bool { return true })
	var first counts
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		var r report
		if _, err := c.Do(ctx, http.MethodGet, "/_local/usage", nil, &r); err != nil {
			return i, err
		}
		now := r.counts()
		if r.Idle {
			if first == nil {
				first = now
			}
			d := now.since(first).only(func(u use) bool {
				return u.Service == "lambda" || u.Service == "logs" || u.Service == "states" || recovers(u)
			})
			if n := d.requests(of("lambda")); n >= 3 {
				return idling{n, d, r.AlarmMetrics}, nil
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return i, fmt.Errorf("recover did not run: %w", ctx.Err())
		}
	}
}
