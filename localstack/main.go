package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"windlass/functions/harness"
	"windlass/functions/harness/all"
	"windlass/localstack/cloudwatch"
	"windlass/localstack/lambda"
)

const usageText = `windlass runs the whole system on this machine. It takes no arguments; settings
are variables of the environment:

  WINDLASS_ADDR      the HTTP API (127.0.0.1:8787)
  WINDLASS_AWS_ADDR  the AWS subset (127.0.0.1:8788)
  WINDLASS_DATA      the data directory (./.windlass)
  WINDLASS_DEV_KEY   the API key of tenant dev (made and kept if unset)
  WINDLASS_ISOLATED  1 runs each function as processes of its own (0)
  WINDLASS_LOG       debug, info, warn or error (warn)

The others are in localstack/README.md.
`

func main() {
	if len(os.Args) > 1 {
		fmt.Fprint(os.Stderr, usageText)
		if a := os.Args[1]; a != "-h" && a != "-help" && a != "--help" && a != "help" {
			os.Exit(2)
		}
		return
	}
	lambda.Reap() // of the process that this one replaced
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	p := program{
		product: theProduct,
		lookup:  os.LookupEnv,
		environ: os.Environ(),
		stdout:  os.Stdout,
		stderr:  os.Stderr,
		exec:    syscall.Exec,
		// From the first signal on a second one has its default effect: the
		// process ends at once, which costs nothing that was acknowledged.
		stopping: stop,
	}
	tuneMemory(p.lookup)
	if err := p.run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "windlass:", err)
		os.Exit(1)
	}
}

var theProduct = product{Function: all.Function, PutKey: harness.PutKey, KeyID: harness.KeyID, RevokeKey: harness.RevokeKey, Logs: harness.Logs}

// A program is the command with what it takes from its surroundings.
type program struct {
	product        product
	lookup         func(string) (string, bool)
	environ        []string
	stdout, stderr io.Writer
	stopping       func()
	// exec replaces the process, or says why it cannot: syscall.Exec.
	exec func(binary string, args, environ []string) error
}

// run serves until ctx ends. An error says what to do about it.
func (p program) run(ctx context.Context) error {
	s, err := readSettings(p.lookup)
	if err != nil {
		return err
	}
	if s.deployment, err = deployment(p.environ); err != nil {
		return err
	}
	s.metrics = cloudwatch.New()
	handler := slog.Handler(slog.NewTextHandler(p.stderr, &slog.HandlerOptions{Level: s.level}))
	if p.product.Logs != nil {
		handler = p.product.Logs(handler)
	}
	log := slog.New(cloudwatch.Handler{Handler: handler, Metrics: s.metrics})
	// Functions log to the default, the stack itself to its own.
	slog.SetDefault(slog.New(metered{Counter: s.usage}.logs(log.Handler(), p.product.Logs)))
	st, err := open(s, p, log)
	if err != nil {
		return err
	}
	defer st.close()
	for _, name := range strangers(p.environ, st.declared) {
		log.Warn("this variable has no effect: the template does not declare it, or sets it itself", "name", name)
	}
	if err := st.start(ctx); err != nil {
		return err
	}
	st.banner(p.stdout)
	<-ctx.Done()
	p.stopping()
	fmt.Fprintln(p.stdout, "\nStopping. What is under way goes on at the next start.")
	return nil
}

// declared reports whether a variable may be set from outside for some function.
func (st *stack) declared(name string) bool {
	if isGiven(name) {
		return true
	}
	for _, f := range st.template.Functions {
		if v, ok := f.Env[name]; ok && !v.Physical {
			return true
		}
	}
	return false
}
