package main

import (
	"context"
	"fmt"
	"time"

	"windlass/tests/client"
)

// The submissions that are measured, and the sessions that they go to in turn.
const (
	submissions    = 500
	submitSessions = 20
)

// least is the smallest load: an answer, and no call.
var least = load{answer: 1}

// submits is from the request to the receipt, over one kept-alive connection. Each
// waits until the turn before has ended: what it competes with is no turn of ours.
func submits(ctx context.Context, b *bench) error {
	r := row{Name: "submit: acknowledged over HTTP", Goal: 0.7, P99Goal: 3, Peer: "1–3", Fastest: "0.5–0.7"}
	fmt.Fprintf(b.progress, "  %-36s", fmt.Sprintf("submit: %d", submissions))
	all, want, err := b.audience(ctx)
	for i := 0; i < submissions+submitSessions && err == nil; i++ {
		var took float64
		if took, err = b.acknowledged(ctx, &all[i%len(all)], want); i >= submitSessions && err == nil {
			r.Samples = append(r.Samples, took)
		}
		if i%100 == 0 {
			fmt.Fprint(b.progress, ".")
		}
	}
	for i := 0; i < len(all) && err == nil; i++ {
		var events []client.Event
		if events, err = b.Events(ctx, all[i].session, 0); err == nil {
			err = logged(events, want[all[i].session])
		}
	}
	for _, one := range all {
		one.close()
	}
	b.endLine()
	b.derived(r, err)
	return nil
}

// wanted are the operations of each session.
type wanted map[string]map[string]load

// audience are followed sessions.
func (b *bench) audience(ctx context.Context) (all []runner, want wanted, err error) {
	want = wanted{}
	for range submitSessions {
		session, err := b.open(ctx)
		if err != nil {
			return all, want, err
		}
		w, err := watched(ctx, b.Client, session, nil)
		if err != nil {
			return all, want, err
		}
		want[session] = map[string]load{}
		all = append(all, runner{session: session, watch: w})
	}
	return all, want, nil
}

// acknowledged is one submission: how long its receipt took. It returns when the turn
// has ended.
func (b *bench) acknowledged(ctx context.Context, r *runner, want wanted) (float64, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	began := time.Now()
	id, err := submit(ctx, b.Client, r.session, client.Submission{Prompt: least.String()})
	took := since(began)
	if err != nil {
		return 0, err
	}
	want[r.session][id] = least
	_, err = r.settled(ctx, id)
	return took, err
}
