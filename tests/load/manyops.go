package main

import (
	"context"
	"time"

	"windlass/tests/client"
)

// How many operations one session gets, one after the other, and how many of them at
// either end are compared.
const (
	manyOps = 200
	manyEnd = 10
)

// manyOperations: does the age of a session show in what an operation takes?
func manyOperations(ctx context.Context, b *bench) error {
	all := row{Name: "many-ops: 200 of 2×2, 2 KB", Goal: 600, Peer: "17000", Fastest: "600–1000"}
	one := row{Name: "many-ops: one of them", Peer: "11 to 92", Fastest: "2.9–4.7"}
	aged := row{Name: "many-ops: last ten / first ten", Unit: "×", Goal: 1.2, Peer: "8"}
	ages := make([][]float64, manyOps)
	err := b.each(ctx, "many-ops", b.repeat, func(ctx context.Context, counts bool) error {
		began := time.Now()
		took, err := b.inOneSession(ctx, of(2, 2, 2<<10))
		if err != nil || !counts {
			return err
		}
		all.Summaries = b.summaries.most()
		all.Samples = append(all.Samples, ms(took.end.Sub(began)-took.open))
		one.Samples = append(one.Samples, took.each...)
		aged.Samples = append(aged.Samples, median(took.each[manyOps-manyEnd:])/median(took.each[:manyEnd]))
		for i, t := range took.each {
			ages[i] = append(ages[i], t)
		}
		return nil
	})
	b.endLine()
	for _, r := range []row{all, one, aged} {
		b.derived(r, err)
	}
	c := curve{Name: "2 rounds of 2 calls, 2 KB"}
	for i, samples := range ages {
		c.add(float64(i+1), samples)
	}
	b.draw(pictureAge, c)
	return nil
}

// life is what the operations of one session took.
type life struct {
	open time.Duration // until there was a session, and a client followed it
	end  time.Time
	each []float64
}

// inOneSession submits each operation when the client has the end of the one before.
func (b *bench) inOneSession(ctx context.Context, l load) (took life, err error) {
	began := time.Now()
	session, err := b.open(ctx)
	if err != nil {
		return life{}, err
	}
	w, err := watched(ctx, b.Client, session, nil)
	if err != nil {
		return life{}, err
	}
	defer w.close()
	took.open = time.Since(began)
	want := map[string]load{}
	for range manyOps {
		began := time.Now()
		id, err := submit(ctx, b.Client, session, client.Submission{Prompt: l.String()})
		if err != nil {
			return life{}, err
		}
		if took.end, err = w.settled(ctx, id); err != nil {
			return life{}, err
		}
		took.each = append(took.each, ms(took.end.Sub(began)))
		want[id] = l
	}
	events, err := b.Events(ctx, session, 0)
	if err != nil {
		return life{}, err
	}
	b.summaries.note(summaries(events))
	return took, logged(events, want)
}
