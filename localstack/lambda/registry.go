package lambda

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"time"
)

// Config describes one function. Concurrency is how many invocations may run
// at once (0: 1,000); beyond it Invoke answers TooManyRequestsException. Idle is
// how many warm sandboxes are kept (0: 32).
type Config struct {
	Name        string
	ARN         string
	Timeout     time.Duration
	Concurrency int
	Idle        int
}

const (
	defaultConcurrency = 1000 // what AWS gives an account to begin with
	defaultIdle        = 32
)

// A Registry invokes functions by name or ARN. The zero value is not usable.
type Registry struct {
	log  *slog.Logger
	told func(function string, took time.Duration, err error)

	mu        sync.Mutex
	functions map[string]*function
	running   int
	closed    bool
	empty     chan struct{} // closed when closed and running == 0
}

type function struct {
	Config
	start   Starter
	running int
	idle    []Sandbox
}

// New returns a registry without functions.
func New(log *slog.Logger) *Registry {
	return &Registry{log: log, functions: map[string]*function{}, empty: make(chan struct{})}
}

// Watch has f told of each invocation of a function that is there, once it has ended or its
// caller is gone, and how long it took; before the first one.
func (r *Registry) Watch(f func(function string, took time.Duration, err error)) { r.told = f }

// Running is how many invocations are under way.
func (r *Registry) Running() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.running
}

// Register adds a function. Its first sandbox is started by its first use.
func (r *Registry) Register(c Config, start Starter) {
	if c.Concurrency == 0 {
		c.Concurrency = defaultConcurrency
	}
	if c.Idle == 0 {
		c.Idle = defaultIdle
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.functions[c.Name] = &function{Config: c, start: start}
}

// Invoke runs a function and returns its answer. Errors are *FunctionError,
// *ServiceError or the context's own: a caller that goes away leaves the
// function running, as on AWS.
func (r *Registry) Invoke(ctx context.Context, name string, payload []byte) ([]byte, error) {
	if len(payload) == 0 {
		payload = []byte("{}")
	}
	if len(payload) > MaxRequest {
		return nil, requestTooLarge()
	}
	if !json.Valid(payload) {
		return nil, notJSON()
	}
	f, box, err := r.acquire(name)
	var answer []byte
	began := time.Now()
	if err == nil {
		answer, err = r.run(ctx, f, box, payload)
	}
	if r.told != nil && f != nil {
		r.told(f.Name, time.Since(began), err)
	}
	return answer, err
}

// acquire takes a place and, if there is one, a warm sandbox.
func (r *Registry) acquire(name string) (*function, Sandbox, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f := r.functions[short(name)]
	switch {
	case r.closed:
		return nil, nil, closed()
	case f == nil || short(name) != name && name != f.ARN:
		return nil, nil, notFound(name)
	case f.running >= f.Concurrency:
		return f, nil, throttled()
	}
	f.running++
	r.running++
	var box Sandbox
	if n := len(f.idle); n > 0 {
		box, f.idle = f.idle[n-1], f.idle[:n-1]
	}
	return f, box, nil
}

// short is a function's name from its ARN. A qualifier is not cut off, so that
// a version or an alias, which are not modelled, is not found.
func short(name string) string {
	if _, after, ok := strings.Cut(name, ":function:"); ok && strings.HasPrefix(name, "arn:") {
		return after
	}
	return name
}

// release gives the place back, and the sandbox if it may be used again.
func (r *Registry) release(f *function, box Sandbox, spoilt bool) {
	r.mu.Lock()
	keep := box != nil && !spoilt && !r.closed && len(f.idle) < f.Idle
	if keep {
		f.idle = append(f.idle, box)
	}
	f.running--
	r.running--
	if r.closed && r.running == 0 {
		close(r.empty)
	}
	r.mu.Unlock()
	if box != nil && !keep {
		if err := box.Close(); err != nil {
			r.log.Warn("closing a sandbox", "function", f.Name, "error", err)
		}
	}
}

// Close refuses new invocations and waits for those under way until ctx ends.
// It never cancels one: a function would take that for its deadline and might
// record it. What is still running then ends with the process, as a sandbox
// that is gone.
func (r *Registry) Close(ctx context.Context) error {
	r.mu.Lock()
	if r.closed {
		r.mu.Unlock()
		return nil
	}
	r.closed = true
	if r.running == 0 {
		close(r.empty)
	}
	var idle []Sandbox
	for _, f := range r.functions {
		idle, f.idle = append(idle, f.idle...), nil
	}
	r.mu.Unlock()
	var errs []error
	for _, box := range idle {
		errs = append(errs, box.Close())
	}
	select {
	case <-r.empty:
	case <-ctx.Done():
		errs = append(errs, ctx.Err())
	}
	return errors.Join(errs...)
}
