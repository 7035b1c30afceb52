package keyed

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"

	"windlass/functions/internal/model"
	"windlass/functions/internal/projection"
)

// A Keeper keeps one key.
type Keeper interface {
	// Get is the key as it is now. Its error is public if it is a [model.Fault].
	Get(ctx context.Context) (string, error)
	// Rejected says that the provider refused this key, or what was asked with it.
	Rejected(key string)
}

// Provider implements [model.Provider].
type Provider struct {
	keeper Keeper
	build  func(key string) (model.Provider, error)
	rules  projection.Rules

	mu     sync.Mutex
	key    string
	lately model.Provider // what was built with key; its connections are used again
}

// form stands where a key will: what is wrong besides is found at the start.
const form = "not-read-yet"

// New builds the provider once, with no real key, and returns what is wrong with its
// other options.
func New(k Keeper, build func(key string) (model.Provider, error)) (*Provider, error) {
	p, err := build(form)
	if err != nil {
		return nil, err
	}
	return &Provider{keeper: k, build: build, rules: p.Rules()}, nil
}

// Rules implements [model.Provider].
func (p *Provider) Rules() projection.Rules { return p.rules }

// Stream implements [model.Provider].
func (p *Provider) Stream(ctx context.Context, r model.Request) iter.Seq2[model.Part, error] {
	return func(yield func(model.Part, error) bool) {
		key, err := p.keeper.Get(ctx)
		if err != nil {
			yield(model.Part{}, err)
			return
		}
		denied := p.ask(ctx, r, key, yield)
		if denied == nil {
			return
		}
		p.keeper.Rejected(key)
		if other, err := p.keeper.Get(ctx); err == nil && other != key {
			denied = p.ask(ctx, r, other, yield)
		}
		if denied != nil {
			yield(model.Part{}, denied)
		}
	}
}

// ask yields the answer, unless the question is denied before it begins: that is
// returned instead.
func (p *Provider) ask(ctx context.Context, r model.Request, key string, yield func(model.Part, error) bool) (denied error) {
	with, err := p.with(key)
	if err != nil {
		return err
	}
	begun := false
	for part, err := range with.Stream(ctx, r) {
		if err != nil && !begun && isDenied(err) {
			return err
		}
		begun = true
		if !yield(part, err) {
			return nil
		}
	}
	return nil
}

func isDenied(err error) bool {
	var f *model.Fault
	return errors.As(err, &f) && f.Code == model.Denied
}

func (p *Provider) with(key string) (model.Provider, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.lately != nil && p.key == key {
		return p.lately, nil
	}
	built, err := p.build(key)
	if err != nil {
		return nil, &model.Fault{Code: model.Denied, Permanent: true, Message: fmt.Sprintf("the key that is kept cannot be used: %v", err)}
	}
	p.key, p.lately = key, built
	return built, nil
}
