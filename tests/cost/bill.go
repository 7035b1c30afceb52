package main

import (
	"cmp"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"time"
)

// basis is where a row's count comes from.
type basis string

const (
	counted  basis = "counted"  // the same in each run, but for a unit where sizes vary, and checkpoints
	measured basis = "measured" // a time, on this machine
	assumed  basis = "assumed"  // follows from counts and the assumptions
)

// A row is one line of a bill.
type row struct {
	What  string
	Count *big.Rat
	Basis basis
	Price price
	Note  string
}

func (r row) usd() *big.Rat { return new(big.Rat).Mul(r.Count, r.Price.USD) }

// A bill is rows that add up.
type bill struct {
	Title string
	Rows  []row
	Notes []string
}

func (b bill) total() *big.Rat {
	sum := new(big.Rat)
	for _, r := range b.Rows {
		sum.Add(sum, r.usd())
	}
	return sum
}

// assumptions are what cannot be counted here.
type assumptions struct {
	// Trip is how long one request to a service takes on AWS, waiting included; a
	// function is billed while it waits.
	Trip time.Duration
	// Model is how long a real model takes for one answer.
	Model time.Duration
	// PlatformBytes are what Lambda itself logs of one invocation, at its usual level: a
	// line for its start and one for its report.
	PlatformBytes int64
}

// A biller writes bills.
type biller struct {
	prices
	assumptions
	functions map[string]function
}

// add adds a row, if it counts anything.
func (b biller) add(to *bill, what, id string, n *big.Rat, basis basis, note string) {
	if n.Sign() != 0 {
		to.Rows = append(to.Rows, row{what, n, basis, b.byID[id], note})
	}
}

func whole(n int64) *big.Rat { return new(big.Rat).SetInt64(n) }

// exactly takes a count, which is one of halves at most.
func exactly(n float64) *big.Rat { return new(big.Rat).SetFloat64(n) }

// ofCounts are the rows that follow from what was counted. traced are the functions whose
// invocations may each become a trace.
func (b biller) ofCounts(to *bill, c counts, traced []string) {
	for _, op := range operations(c.only(of("dynamodb"))) {
		its := of("dynamodb", op)
		note := plural(c.requests(its), "request")
		b.add(to, "DynamoDB "+op, dynamoWrite, exactly(c.units("write", its)), counted, note)
		b.add(to, "DynamoDB "+op, dynamoRead, exactly(c.units("read", its)), counted, note)
	}
	b.add(to, "Step Functions", transition, exactly(c.units("transition", of("states"))), counted, "the start counts as one")
	b.add(to, "Lambda", lambdaRequest, whole(c.requests(of("lambda"))), counted, b.invocations(c))
	b.durations(to, c)
	b.add(to, "S3 PUT", s3Put, exactly(c.units("put", of("s3"))), counted, "two a checkpoint, which come beside the turn")
	b.add(to, "S3 GET", s3Get, exactly(c.units("get", of("s3"))), counted, "")
	b.add(to, "API Gateway, HTTP", httpRequest, exactly(c.units("request", of("apigateway"))), counted, "")
	b.add(to, "API Gateway, sockets", socketMessage, exactly(c.units("message", of("apigateway"))+c.units("message", of("execute-api"))), counted, "either way")
	b.logs(to, c)
	var traces int64
	for name, f := range b.functions {
		if slices.Contains(traced, f.Code) {
			traces += c.requests(func(u use) bool { return u.Service == "lambda" && u.Resource == name })
		}
	}
	b.add(to, "X-Ray", trace, whole(traces), assumed, "at most: one a traced invocation")
}

func plural(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%s %ss", number(whole(n)), what)
}

// operations are those of a service, in order.
func operations(c counts) []string {
	seen := map[string]bool{}
	for u := range c {
		seen[u.Operation] = true
	}
	return slices.Sorted(maps.Keys(seen))
}

// byCode are functions' names, in the order of their code.
func (b biller) byCode() []string {
	return slices.SortedFunc(maps.Keys(b.functions), func(x, y string) int { return cmp.Compare(b.functions[x].Code, b.functions[y].Code) })
}

func (b biller) invocations(c counts) (text string) {
	for _, name := range b.byCode() {
		if n := c.requests(func(u use) bool { return u.Service == "lambda" && u.Resource == name }); n > 0 {
			if text != "" {
				text += ", "
			}
			text += fmt.Sprintf("%s %d", b.functions[name].Code, n)
		}
	}
	return text
}

// durations are GB-seconds: as measured here, each invocation rounded up to a millisecond,
// and those of waiting for services.
func (b biller) durations(to *bill, c counts) {
	here, waiting, trips := new(big.Rat), new(big.Rat), int64(0)
	for name, f := range b.functions {
		n := asked(c, f.Code)
		trips += n
		here.Add(here, gbSeconds(f.MemoryMB, time.Duration(c.units("ms", func(u use) bool { return u.Service == "lambda" && u.Resource == name }))*time.Millisecond))
		waiting.Add(waiting, gbSeconds(f.MemoryMB, time.Duration(n)*b.Trip))
	}
	b.add(to, "Lambda, as measured here", lambdaDuration, here, measured, "")
	b.add(to, "Lambda, waiting for AWS", lambdaDuration, waiting, assumed, fmt.Sprintf("%s, %s each", plural(trips, "request"), b.Trip))
}

// asked is how many requests a function made, one after the other at worst.
func asked(c counts, code string) int64 {
	return c.requests(func(u use) bool { return u.Caller == code })
}

func gbSeconds(memoryMB int, d time.Duration) *big.Rat {
	gb := big.NewRat(int64(memoryMB), 1024)
	return gb.Mul(gb, big.NewRat(d.Microseconds(), 1_000_000))
}

func (b biller) logs(to *bill, c counts) {
	b.add(to, "Logs, of functions", logByte, exactly(c.units("bytes", of("logs"))), counted, plural(c.requests(of("logs")), "line"))
	b.add(to, "Logs, of Lambda", logByte, whole(c.requests(of("lambda"))*b.PlatformBytes), assumed, fmt.Sprintf("%d B an invocation", b.PlatformBytes))
}
