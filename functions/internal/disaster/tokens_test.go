package disaster

import (
	"context"
	"fmt"
	"sync"

	"windlass/eventstore"
	"windlass/functions/internal/execution"
	"windlass/functions/internal/index"
)

// kept are the tokens of parked turns, with the rules of the table: one an
// operation, the newest.
type kept struct {
	mu     sync.Mutex
	tokens map[execution.Turn]execution.Parking // of generation 0
}

func keyOf(t execution.Turn) execution.Turn { t.Generation = 0; return t }

func age(p execution.Parking) string {
	return fmt.Sprintf("%010d %s %010d", p.Turn.Generation, p.EnteredAt, p.RetryCount)
}

func (k *kept) keep(p execution.Parking) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if old, ok := k.tokens[keyOf(p.Turn)]; !ok || age(old) <= age(p) {
		k.tokens[keyOf(p.Turn)] = p
	}
}

func (k *kept) forget(p execution.Parking) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if old, ok := k.tokens[keyOf(p.Turn)]; ok && old.Token == p.Token {
		delete(k.tokens, keyOf(p.Turn))
	}
}

func (k *kept) list(which func(eventstore.Stream) bool) (all []execution.Parking) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, p := range k.tokens {
		if which(eventstore.Stream{Tenant: p.Turn.Tenant, Session: p.Turn.Session}) {
			all = append(all, p)
		}
	}
	return all
}

// tokens is the table as a process reaches it.
type tokens struct{ p *process }

func (t tokens) Keep(ctx context.Context, p execution.Parking) error {
	return t.p.call(ctx, aToken, func() error { t.p.w.kept.keep(p); return nil })
}

func (t tokens) Forget(ctx context.Context, p execution.Parking) error {
	return t.p.call(ctx, aToken, func() error { t.p.w.kept.forget(p); return nil })
}

func (t tokens) Of(ctx context.Context, s eventstore.Stream) ([]execution.Parking, error) {
	return t.list(ctx, func(o eventstore.Stream) bool { return o == s })
}

func (t tokens) All(ctx context.Context, shard int) ([]execution.Parking, error) {
	return t.list(ctx, func(o eventstore.Stream) bool { return index.Shard(o) == shard })
}

func (t tokens) list(ctx context.Context, which func(eventstore.Stream) bool) (all []execution.Parking, err error) {
	err = t.p.call(ctx, aRead, func() error { all = t.p.w.kept.list(which); return nil })
	return all, err
}
