package usage_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windlass/localstack/usage"
)

func TestWhatManyCountAtOnceIsAllThere(t *testing.T) {
	c := usage.New()
	put := usage.Use{Caller: "drive", Service: "dynamodb", Operation: "PutItem", Resource: "log"}
	get := usage.Use{Service: "dynamodb", Operation: "GetItem", Resource: "log"}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 100 {
				c.Request(put)
				c.Add(put, "write", 3)
				c.Request(usage.Use{Caller: usage.Caller(usage.WithCaller(t.Context(), "")), Service: get.Service, Operation: get.Operation, Resource: get.Resource})
				c.Add(get, "read", 0.5)
			}
		})
	}
	all.Wait()
	want := []usage.Line{
		{Use: get, Requests: 800, Units: map[string]float64{"read": 400}},
		{Use: put, Requests: 800, Units: map[string]float64{"write": 2400}},
	}
	if d := cmp.Diff(want, c.Lines()); d != "" {
		t.Error(d)
	}
}

func TestUsesAreBounded(t *testing.T) {
	c := usage.New()
	for i := range usage.MaxLines + 500 {
		c.Request(usage.Use{Service: "dynamodb", Operation: fmt.Sprint(i)})
	}
	lines := c.Lines()
	if n := len(lines); n != usage.MaxLines+1 {
		t.Errorf("%d lines", n)
	}
	for _, l := range lines {
		if l.Service == "others" && l.Requests != 500 {
			t.Errorf("%d requests in the last line", l.Requests)
		}
	}
}

func TestWithoutACounterNothingIsCounted(t *testing.T) {
	var c *usage.Counter
	c.Request(usage.Use{Service: "s3"})
	c.Add(usage.Use{Service: "s3"}, "read", 1)
	if c.Lines() != nil {
		t.Error("lines of a counter that is not there")
	}
}
