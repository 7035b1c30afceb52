package disaster

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"sync"
	"time"

	"windlass/functions/internal/tool"
)

// shop is a service outside. It counts what took effect there, by what was ordered
// and under which key.
type shop struct {
	mu    sync.Mutex
	took  map[string]int             // orders that must not be repeated, by item
	byKey map[string]string          // the same, and the idempotent ones: receipts by key
	keys  map[string]map[string]bool // idempotent orders: the keys of each item
	begun map[string]int             // requests that were begun, of all kinds, by item
	// arrived are those of them that came to the shop.
	arrived map[string]int
}

func newShop() *shop {
	return &shop{took: map[string]int{}, byKey: map[string]string{}, keys: map[string]map[string]bool{}, begun: map[string]int{}, arrived: map[string]int{}}
}

func receipt(item string) string { return "receipt for " + item }

// order takes effect each time that it comes.
func (s *shop) order(key, item string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.took[item]++
	s.byKey[key] = receipt(item)
}

// put takes effect once for each key.
func (s *shop) put(key, item string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.keys[item] == nil {
		s.keys[item] = map[string]bool{}
	}
	s.keys[item][key] = true
}

func (s *shop) begins(item string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begun[item]++
}

func (s *shop) arrives(item string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.arrived[item]++
}

func (s *shop) find(key string) (receipt string, found bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	receipt, found = s.byKey[key]
	return receipt, found
}

type order struct {
	Item string `json:"item"`
	// Bytes makes the answer this long; Ms makes it take so long.
	Bytes int `json:"bytes,omitempty"`
	Ms    int `json:"ms,omitempty"`
	// Deaf: the answer never comes back, whatever happened.
	Deaf bool `json:"deaf,omitempty"`
}

func (a order) answer() string {
	if a.Bytes > 0 {
		return strings.Repeat(a.Item, a.Bytes/len(a.Item))
	}
	return receipt(a.Item)
}

// untargeted: calls of the shop do not wait for one another.
func untargeted(order) string { return "" }

// tools are those of the workspace and the shop's. Each call finds its process in
// its context.
var tools = sync.OnceValue(func() tool.Set {
	all := maps.Clone(tool.All)
	for _, t := range []*tool.Tool{look(), put(), charge(), wire()} {
		all[t.Name] = t
	}
	return all
})

// look reads, and put orders under its key. Both ask again when no answer comes, as
// a tool may that can be repeated.
func look() *tool.Tool {
	return tool.Define(tool.Tool{Name: "look", Description: "looks", Effect: tool.Read, Timeout: 30 * time.Second}, untargeted,
		func(ctx context.Context, _ tool.Env, a order) (tool.Result, error) {
			return of(ctx).repeat(ctx, reads, a, func() {})
		})
}

func put() *tool.Tool {
	return tool.Define(tool.Tool{Name: "put", Description: "puts", Effect: tool.Idempotent, Timeout: 30 * time.Second}, untargeted,
		func(ctx context.Context, env tool.Env, a order) (tool.Result, error) {
			p := of(ctx)
			return p.repeat(ctx, idempotent, a, func() { p.w.shop.put(env.Key, a.Item) })
		})
}

func (p *process) repeat(ctx context.Context, w what, a order, do func()) (tool.Result, error) {
	for {
		err := p.effect(ctx, w, a, do)
		if err == nil {
			return tool.Result{Output: a.answer()}, nil
		}
		if !pause(ctx, time.Second) {
			return tool.Result{}, err
		}
	}
}

// effect is one request: on its way for half of its time, and on its way back.
func (p *process) effect(ctx context.Context, w what, a order, do func()) error {
	p.w.shop.begins(a.Item)
	half := time.Duration(40+a.Ms) * time.Millisecond / 2
	if !pause(ctx, half) {
		return ctx.Err()
	}
	if err := p.call(ctx, w, func() error { p.w.shop.arrives(a.Item); do(); return nil }); err != nil {
		return err
	}
	if !pause(ctx, half) {
		return ctx.Err()
	}
	return nil
}

// charge must not be repeated, and can find out what became of it. wire cannot.
func charge() *tool.Tool {
	t := tool.Tool{Name: "charge", Description: "charges", Effect: tool.Once, Timeout: 30 * time.Second}
	t.Reconcile = func(ctx context.Context, env tool.Env, _ json.RawMessage) (*tool.Result, error) {
		p, found, receipt := of(ctx), false, ""
		err := p.call(ctx, reconcile, func() error { receipt, found = p.w.shop.find(env.Key); return nil })
		if err != nil || !found {
			return nil, err
		}
		return &tool.Result{Output: receipt}, nil
	}
	return tool.Define(t, untargeted, buy)
}

func wire() *tool.Tool {
	return tool.Define(tool.Tool{Name: "wire", Description: "wires", Effect: tool.Once, Timeout: 30 * time.Second}, untargeted, buy)
}

func buy(ctx context.Context, env tool.Env, a order) (tool.Result, error) {
	p := of(ctx)
	err := p.effect(ctx, once, a, func() { p.w.shop.order(env.Key, a.Item) })
	if err == nil && a.Deaf {
		err = fmt.Errorf("connection reset: %w", tool.ErrUnknown)
	}
	return tool.Result{Output: receipt(a.Item)}, err
}
