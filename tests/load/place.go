package main

import (
	"context"

	"windlass/tests/client"
	"windlass/tests/embedded"
)

// A place is where a scenario runs: a client, and the process behind it if that is
// ours.
type place struct {
	client.Client
	stack *embedded.Stack
}

// opener opens a place, and closes it again.
type opener func(context.Context) (place, func(), error)

// elsewhere is a deployment that somebody else runs.
func elsewhere(c client.Client) opener {
	return func(context.Context) (place, func(), error) { return place{Client: c}, func() {}, nil }
}

// own starts the embedded stack on an empty data directory below dir.
func own(dir string) opener {
	return func(ctx context.Context) (p place, end func(), err error) {
		h := embedded.NewHost(ctx, dir)
		err = h.Try(func() { p.stack = embedded.Start(h) })
		if err != nil {
			h.Close()
			return place{}, nil, err
		}
		p.Client = p.stack.Client()
		return p, h.Close, nil
	}
}

// restart kills the process, without a word, and starts another one on its data.
func (p *place) restart(ctx context.Context) error {
	p.stack.Kill()
	h := embedded.NewHost(ctx, "")
	if err := h.Try(p.stack.Restart); err != nil {
		return err
	}
	p.Client = p.stack.Client()
	return nil
}

// peak is the most memory that the process ever had resident, in MB, or 0 where nobody
// knows.
func (p place) peak() float64 {
	if p.stack == nil {
		return 0
	}
	mb, err := memory(p.stack.Endpoints.PID, "VmHWM")
	if err != nil {
		return 0
	}
	return mb
}
