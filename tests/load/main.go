package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strings"

	"windlass/tests/client"
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
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
}

// options are the command's flags.
type options struct {
	client.Client
	only, json, plots string
	long              bool
	settings
	said string // the command, but for the key
}

// parse reads the flags. Usage lists the scenarios, too.
func parse(args []string, out io.Writer) (o options, err error) {
	f := flag.NewFlagSet("load", flag.ContinueOnError)
	f.SetOutput(out)
	f.StringVar(&o.URL, "url", os.Getenv("WINDLASS_TEST_URL"), "the deployment; without, the embedded stack is started (WINDLASS_TEST_URL)")
	f.StringVar(&o.Key, "key", "", "its API key (WINDLASS_TEST_KEY)")
	f.StringVar(&o.only, "only", "", "run one scenario, by its name")
	f.StringVar(&o.json, "json", "", "write everything to this file")
	f.StringVar(&o.plots, "plots", "", "draw the pictures into this folder")
	f.IntVar(&o.repeat, "repeat", 9, "samples of a row")
	f.IntVar(&o.warmup, "warmup", 10, "samples before them that do not count")
	f.BoolVar(&o.long, "long", false, "run the long scenario, too")
	f.IntVar(&o.operations, "operations", 100_000, "how many the long scenario makes")
	f.Usage = func() {
		fmt.Fprintln(out, "load measures a deployment, and says which goals are met.")
		f.PrintDefaults()
		for _, s := range scenarios {
			fmt.Fprintf(out, "  %-12s %s\n", s.name, s.does)
		}
	}
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if o.Key == "" { // as a default it would stand in the usage
		o.Key = os.Getenv("WINDLASS_TEST_KEY")
	}
	o.said = "go run ./tests/load"
	f.Visit(func(f *flag.Flag) {
		if f.Name != "key" {
			o.said += fmt.Sprintf(" -%s=%s", f.Name, f.Value)
		}
	})
	return o, o.valid(f.Args())
}

func (o options) valid(rest []string) error {
	switch {
	case len(rest) > 0:
		return fmt.Errorf("%s is no flag; see -help", strings.Join(rest, " "))
	case o.URL != "" && o.Key == "":
		return fmt.Errorf("-url is set: set -key or WINDLASS_TEST_KEY, too")
	case o.repeat < 1 || o.warmup < 0:
		return fmt.Errorf("-repeat is at least 1, and -warmup at least 0")
	}
	return nil
}

// command measures what the flags ask for. Its error is also that some work was not
// done; goals that are not met are none.
func command(ctx context.Context, args []string, out, progress io.Writer) error {
	o, err := parse(args, progress)
	if err != nil {
		return err
	}
	which, err := chosen(o.only, o.long)
	if err != nil {
		return err
	}
	open, end, err := o.opener()
	if err != nil {
		return err
	}
	defer end()
	keepConnections()
	all := &results{Machine: here(o.said), Seen: seenBy, Pictures: map[string][]curve{}}
	for _, s := range which {
		if err := perform(ctx, s, open, o.settings, progress, all); err != nil {
			all.Rows = append(all.Rows, row{Name: s.name, Verdict: failed, Why: err.Error()})
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return o.tell(all, out)
}

func (o options) tell(all *results, out io.Writer) error {
	if err := all.print(out); err != nil {
		return err
	}
	if o.json != "" {
		if err := all.write(o.json); err != nil {
			return err
		}
	}
	if o.plots != "" {
		if err := all.pictures(o.plots); err != nil {
			return err
		}
	}
	if all.failed() {
		return fmt.Errorf("some work was not done: see FAILED")
	}
	return nil
}

// opener is where scenarios run, and what to do in the end.
func (o *options) opener() (opener, func(), error) {
	if o.URL != "" {
		return elsewhere(o.Client), func() {}, nil
	}
	for _, path := range []*string{&o.json, &o.plots} {
		if *path == "" {
			continue
		}
		abs, err := filepath.Abs(*path)
		if err != nil {
			return nil, nil, err
		}
		*path = abs
	}
	if err := embedded.Enter("tests", "load"); err != nil {
		return nil, nil, fmt.Errorf("%w, or give -url and -key", err)
	}
	dir, err := os.MkdirTemp("", "windlass-load")
	if err != nil {
		return nil, nil, err
	}
	// What the stack's builder makes goes there, too, and with it in the end.
	return own(dir), func() { _ = os.RemoveAll(dir) }, os.Setenv("TMPDIR", dir)
}

// keepConnections: a connection for each client that works at once. Two, the default,
// would open new ones all the time.
func keepConnections() {
	if t, ok := http.DefaultTransport.(*http.Transport); ok {
		t.MaxIdleConnsPerHost, t.MaxIdleConns = 256, 256
	}
}
