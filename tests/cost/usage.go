package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"windlass/tests/client"
)

// use, line and report are what the embedded stack tells at /_local/usage.
type use struct {
	Caller, Service, Operation, Resource string
}

type line struct {
	use
	Requests int64
	Units    map[string]float64
}

type function struct {
	Code     string
	MemoryMB int
}

type report struct {
	Idle         bool
	Lines        []line
	Functions    map[string]function
	AlarmMetrics int
}

// counts are lines by their use.
type counts map[use]line

func (r report) counts() counts {
	all := counts{}
	for _, l := range r.Lines {
		all[l.use] = l
	}
	return all
}

// since is what was counted after before.
func (c counts) since(before counts) counts {
	all := counts{}
	for u, l := range c {
		was := before[u]
		d := line{u, l.Requests - was.Requests, map[string]float64{}}
		for unit, n := range l.Units {
			if n -= was.Units[unit]; n != 0 {
				d.Units[unit] = n
			}
		}
		if d.Requests != 0 || len(d.Units) > 0 {
			all[u] = d
		}
	}
	return all
}

// only are those that pass.
func (c counts) only(pass func(use) bool) counts {
	all := counts{}
	for u, l := range c {
		if pass(u) {
			all[u] = l
		}
	}
	return all
}

// plus adds up.
func (c counts) plus(more counts) counts {
	all := counts{}
	for _, part := range []counts{c, more} {
		for u, l := range part {
			sum := line{u, all[u].Requests + l.Requests, map[string]float64{}}
			for _, units := range []map[string]float64{all[u].Units, l.Units} {
				for unit, n := range units {
					sum.Units[unit] += n
				}
			}
			all[u] = sum
		}
	}
	return all
}

// units and requests are sums over what passes.
func (c counts) units(unit string, pass func(use) bool) (n float64) {
	for _, l := range c.only(pass) {
		n += l.Units[unit]
	}
	return n
}

func (c counts) requests(pass func(use) bool) (n int64) {
	for _, l := range c.only(pass) {
		n += l.Requests
	}
	return n
}

// of passes uses of a service, and of operations of it if any are given.
func of(service string, operations ...string) func(use) bool {
	return func(u use) bool {
		if u.Service != service {
			return false
		}
		for _, o := range operations {
			if u.Operation == o {
				return true
			}
		}
		return len(operations) == 0
	}
}

// by passes those of of that a function asked for.
func by(caller string, of func(use) bool) func(use) bool {
	return func(u use) bool { return u.Caller == caller && of(u) }
}

// idle waits until nothing runs any more, and tells what was counted by then. What was
// begun before is done by then: see the report's own words.
func idle(ctx context.Context, c client.Client) (report, error) {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		var r report
		if _, err := c.Do(ctx, http.MethodGet, "/_local/usage", nil, &r); err != nil {
			return r, fmt.Errorf("what was counted: %w", err)
		}
		if r.Idle {
			return r, nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return r, fmt.Errorf("the stack did not come to rest: %w", ctx.Err())
		}
	}
}
