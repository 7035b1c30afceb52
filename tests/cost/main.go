package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"time"

	table "windlass/infra/prices/aws"
	"windlass/tests/embedded"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	err := command(ctx, os.Args[1:], os.Stdout, os.Stderr)
	switch {
	case err == flag.ErrHelp:
	case err != nil:
		stop()
		fmt.Fprintln(os.Stderr, "cost:", err)
		os.Exit(1)
	}
}

// patience bounds a run.
const patience = 5 * time.Minute

func command(ctx context.Context, args []string, out, usage io.Writer) error {
	a := assumptions{PlatformBytes: 600}
	f := flag.NewFlagSet("cost", flag.ContinueOnError)
	f.SetOutput(usage)
	asJSON := f.Bool("json", false, "print the bills as JSON")
	f.DurationVar(&a.Trip, "trip", 5*time.Millisecond, "how long a request to a service of AWS takes a function")
	f.DurationVar(&a.Model, "model", 5*time.Second, "how long a real model takes for one answer")
	if err := f.Parse(args); err != nil {
		return err
	}
	switch {
	case f.NArg() > 0:
		return fmt.Errorf("%s is no flag; see -help", strings.Join(f.Args(), " "))
	case a.Trip < 0 || a.Trip > time.Second:
		return errors.New("-trip is from 0 to 1s")
	case a.Model < 100*time.Millisecond || a.Model > time.Minute:
		return errors.New("-model is from 100ms to 1m")
	}
	p, err := readPrices(table.File)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	bills, err := measure(ctx, biller{prices: p, assumptions: a})
	if err != nil {
		return err
	}
	if *asJSON {
		return printJSON(out, p, a, bills)
	}
	return printTable(out, p, a, bills)
}

// loads are those of the table; longest is also followed, and given a real model.
var loads = []load{
	{rounds: 0, answer: 64},
	{rounds: 9, calls: 2, bytes: 256, answer: 64},
	{rounds: 127, calls: 2, bytes: 256, answer: 64},
	{rounds: 127, calls: 2, bytes: 4 << 10, answer: 64},
}

const longest = 2

// answerBytes is how long a real model's answer is.
const answerBytes = 2000

func measure(ctx context.Context, b biller) (all []bill, err error) {
	dir, err := os.MkdirTemp("", "windlass-cost")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := embedded.Enter("tests", "cost"); err != nil {
		return nil, err
	}
	if err := os.Setenv("TMPDIR", dir); err != nil { // what is built goes, too
		return nil, err
	}
	h := embedded.NewHost(ctx, dir)
	defer h.Close()
	s, err := open(ctx, h)
	if err != nil {
		return nil, err
	}
	b.functions = s.functions
	var long turn
	for i, l := range loads {
		m, err := s.turn(ctx, l)
		if err != nil {
			return nil, err
		}
		if i == longest {
			long = m
		}
		all = append(all, b.ofTurn(m))
	}
	if long.follower, err = s.followed(ctx, long.load); err != nil {
		return nil, err
	}
	slow, err := s.streamed(ctx, answerBytes, b.Model)
	if err != nil {
		return nil, err
	}
	var drive function
	for _, f := range s.functions {
		if f.Code == "drive" {
			drive = f
		}
	}
	all = append(all, b.ofFollower(long), b.ofModel(long, slow, drive))
	i, err := alone(ctx, h)
	if err != nil {
		return nil, err
	}
	return append(all, b.ofIdle(i)), nil
}

// alone is a stack that nobody uses, with minutes that last a tenth of a second.
func alone(ctx context.Context, h *embedded.Host) (i idling, err error) {
	var s *embedded.Stack
	if err := h.Try(func() { s = embedded.Start(h, "WINDLASS_LOCAL_USAGE=1", "WINDLASS_LOCAL_MINUTE=100ms") }); err != nil {
		return i, err
	}
	return sits(ctx, s.Client())
}
