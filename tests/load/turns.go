package main

import (
	"context"
	"fmt"
	"time"

	"windlass/tests/client"
)

// A turnRow is a row whose sample is one turn in a session of its own.
type turnRow struct {
	row
	load
}

// The goals, and what others needed, are of a 2-core Linux machine without model
// latency, medians, from submit to settled.
var (
	baseline = []turnRow{
		{row{Name: "baseline: 1×2, 256 B", Goal: 3.5, Peer: "14–21", Fastest: "3.8–5.2", often: 11}, of(1, 2, 256)},
	}
	deep = []turnRow{
		{row{Name: "deep: 12×2", Goal: 14, Peer: "66–78", Fastest: "17–30"}, of(12, 2, 256)},
		{row{Name: "deep: 60×2", Goal: 60, Peer: "313–464"}, of(60, 2, 256)},
		{row{Name: "deep: 100×2", Goal: 100, Peer: "622", Fastest: "130–229"}, of(100, 2, 256)},
		{row{Name: "deep: 127×1, 128 model calls", Goal: 110, Peer: "539"}, of(127, 1, 256)},
	}
	wide = []turnRow{
		{row{Name: "wide: 1×200", Goal: 50, Peer: "332–415", Fastest: "115–174"}, of(1, 200, 256)},
		{row{Name: "wide: 1×1000", Goal: 250, Peer: "5400"}, of(1, 1000, 256)},
		{row{Name: "wide: 1×2000", Goal: 500, Peer: "14500"}, of(1, 2000, 256)},
	}
	bigTools = []turnRow{
		{row{Name: "big-tools: 3×2 of 128 KB", Goal: 25, Peer: "46–64"}, of(3, 2, 128<<10)},
		{row{Name: "big-tools: 3×2 of 1 MB", Goal: 80, Peer: "177–197", Fastest: "133–141"}, of(3, 2, 1<<20)},
		{row{Name: "big-tools: 3×2 of 4 MB", Goal: 250, Peer: "1066"}, of(3, 2, 4<<20)},
		{row{Name: "big-tools: 3×2 of 8 MB", Goal: 500, Peer: "1369–2072"}, of(3, 2, 8<<20)},
	}
)

// turns measures each row by turns in new sessions.
func turns(rows []turnRow) func(context.Context, *bench) error {
	return func(ctx context.Context, b *bench) error {
		for _, r := range rows {
			b.measure(ctx, r.row, func(ctx context.Context) (float64, error) {
				return b.turn(ctx, r.load, b.asking(r.load))
			})
		}
		return nil
	}
}

// turn is one sample: a turn in a session that a client follows. It begins when the
// client begins to submit, and ends when the client has the last event; then the work
// is looked at.
func (b *bench) turn(ctx context.Context, l load, submit func(context.Context, string) (string, error)) (float64, error) {
	session, err := b.open(ctx)
	if err != nil {
		return 0, err
	}
	w, err := watched(ctx, b.Client, session, nil)
	if err != nil {
		return 0, err
	}
	defer w.close()
	began := time.Now()
	id, err := submit(ctx, session)
	if err != nil {
		return 0, err
	}
	at, err := w.settled(ctx, id)
	if err != nil {
		return 0, err
	}
	return ms(at.Sub(began)), b.done(ctx, session, id, l)
}

// open makes a session: who follows one must find it.
func (b *bench) open(ctx context.Context) (string, error) {
	session := b.session()
	_, _, err := b.PutFile(ctx, session, "/first", []byte("x"), nil)
	return session, err
}

// submit hands a prompt to the stress agent, and returns the operation's id.
func submit(ctx context.Context, c client.Client, session string, s client.Submission) (string, error) {
	s.Agent = "stress"
	r, err := c.Submit(ctx, session, s)
	return r.OperationID, err
}

// asking submits a load as it is.
func (b *bench) asking(l load) func(context.Context, string) (string, error) {
	return func(ctx context.Context, session string) (string, error) {
		return submit(ctx, b.Client, session, client.Submission{Prompt: l.String()})
	}
}

// seen compares the two ways in which a client learns of the end.
func seen(ctx context.Context, b *bench) error {
	l := baseline[0].load
	b.measure(ctx, row{Name: "1×2, seen by the socket"}, func(ctx context.Context) (float64, error) {
		return b.turn(ctx, l, b.asking(l))
	})
	b.measure(ctx, row{Name: "1×2, seen by ?wait=20"}, func(ctx context.Context) (float64, error) {
		session, err := b.open(ctx)
		if err != nil {
			return 0, err
		}
		began := time.Now()
		id, err := submit(ctx, b.Client, session, client.Submission{Prompt: l.String()})
		if err != nil {
			return 0, err
		}
		if _, err := b.Wait(ctx, session, id); err != nil {
			return 0, err
		}
		took := since(began)
		return took, b.done(ctx, session, id, l)
	})
	return nil
}

// roundCurve is what a round costs, by how many a turn has.
func roundCurve(ctx context.Context, b *bench) error {
	c := curve{Name: "two calls a round"}
	for _, n := range []int{1, 2, 4, 8, 16, 32, 64, 96, 127} {
		l := of(n, 2, 256)
		r := b.measure(ctx, row{Name: fmt.Sprintf("a round, in a turn of %d", l.modelCalls())}, func(ctx context.Context) (float64, error) {
			took, err := b.turn(ctx, l, b.asking(l))
			return took / float64(l.modelCalls()), err
		})
		c.add(float64(l.modelCalls()), r.Samples)
	}
	b.draw(pictureRounds, c)
	return nil
}
