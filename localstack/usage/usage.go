package usage

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
)

// A Use names one line: who asked which service for what, of which resource. Caller is
// a function's name, or empty for anybody else.
type Use struct {
	Caller    string `json:"caller,omitempty"`
	Service   string `json:"service"`
	Operation string `json:"operation"`
	Resource  string `json:"resource,omitempty"`
}

// A Line is what was counted of one use. Units are by their names, such as write.
type Line struct {
	Use
	Requests int64              `json:"requests"`
	Units    map[string]float64 `json:"units,omitempty"`
}

// MaxLines bounds the uses that are told apart. Callers and resources are a template's;
// who signs requests for operations without end finds the rest in one line.
const MaxLines = 1000

var others = Use{Service: "others", Operation: "others"}

// Counter counts. It is safe for concurrent use.
type Counter struct {
	mu    sync.Mutex
	lines map[Use]*Line
}

// New has counted nothing.
func New() *Counter { return &Counter{lines: map[Use]*Line{}} }

// Request counts one request.
func (c *Counter) Request(of Use) { c.add(of, 1, "", 0) }

// Add counts n of a unit.
func (c *Counter) Add(of Use, unit string, n float64) { c.add(of, 0, unit, n) }

func (c *Counter) add(of Use, requests int64, unit string, n float64) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	l := c.lines[of]
	if l == nil {
		if len(c.lines) >= MaxLines {
			of = others
		}
		if l = c.lines[of]; l == nil {
			l = &Line{Use: of, Units: map[string]float64{}}
			c.lines[of] = l
		}
	}
	l.Requests += requests
	if unit != "" && n != 0 {
		l.Units[unit] += n
	}
}

// Lines are a copy of what was counted, in order.
func (c *Counter) Lines() []Line {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	all := make([]Line, 0, len(c.lines))
	for _, l := range c.lines {
		all = append(all, Line{l.Use, l.Requests, maps.Clone(l.Units)})
	}
	slices.SortFunc(all, func(a, b Line) int {
		return cmp.Or(cmp.Compare(a.Service, b.Service), cmp.Compare(a.Operation, b.Operation), cmp.Compare(a.Resource, b.Resource), cmp.Compare(a.Caller, b.Caller))
	})
	return all
}

type callerKey struct{}

// WithCaller says whose request a context is of.
func WithCaller(ctx context.Context, caller string) context.Context {
	return context.WithValue(ctx, callerKey{}, caller)
}

// Caller is whose request a context is of, or empty.
func Caller(ctx context.Context) string {
	caller, _ := ctx.Value(callerKey{}).(string)
	return caller
}
