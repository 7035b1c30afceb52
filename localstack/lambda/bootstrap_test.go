//go:build unix

package lambda

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-lambda-go/lambda/messages"
	"github.com/aws/aws-lambda-go/lambdacontext"
)

// bootstrapVariable makes the test's own executable a function's: the real Go
// runtime of Lambda with the handler below.
const bootstrapVariable = "TEST_BOOTSTRAP"

func TestMain(m *testing.M) {
	switch os.Getenv(bootstrapVariable) {
	case "":
		os.Exit(m.Run())
	case "handler":
		lambda.Start(bootstrapped)
	case "exit":
		os.Exit(7)
	case "parent":
		parent()
	}
}

// An order is what a test tells the function to do, and a report what it saw.
type (
	order struct {
		Do   string
		Size int
	}
	report struct {
		PID         int
		Environment []string
		Folder      string
		ID, ARN     string
		Left        time.Duration
		Trace       bool
		Text        string
	}
)

func bootstrapped(ctx context.Context, o order) (report, error) {
	switch o.Do {
	case "coded":
		return report{}, messages.InvokeResponse_Error{Type: "conflict", Message: "lost"}
	case "wrapped":
		return report{}, fmt.Errorf("x: %w", errors.New("y"))
	case "panic":
		panic("boom")
	case "exit":
		os.Exit(o.Size)
	case "kill":
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	case "hang":
		select {}
	case "say":
		fmt.Println("on stdout")
		slog.New(slog.NewJSONHandler(os.Stderr, nil)).Error("on stderr", "code", "x")
	}
	deadline, _ := ctx.Deadline()
	lc, _ := lambdacontext.FromContext(ctx)
	folder, _ := os.Getwd()
	trace, _ := ctx.Value("x-amzn-trace-id").(string)
	return report{
		os.Getpid(), os.Environ(), folder, lc.AwsRequestID, lc.InvokedFunctionArn, time.Until(deadline),
		trace != "" && trace == os.Getenv("_X_AMZN_TRACE_ID"), strings.Repeat("x", o.Size),
	}, nil
}

// program is the test's executable as a function.
func program(t *testing.T, kind string, more ...string) Program {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Program{Function: "f", Path: path, Env: append(more, bootstrapVariable+"="+kind)}
}

// isolated returns a registry whose one function f is a program, and its processes.
func isolated(t *testing.T, c Config, p Program, log *slog.Logger) (*Registry, *Processes) {
	t.Helper()
	processes := NewProcesses(log)
	r := New(log)
	t.Cleanup(processes.Close)
	c.Name, c.ARN = "f", arn
	if c.Timeout == 0 {
		c.Timeout = time.Minute
	}
	r.Register(c, processes.Starter(p))
	return r, processes
}

// alive reports whether a process runs; one that nobody has waited for yet does not.
func alive(pid int) bool {
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		_, noProc := os.Stat("/proc/self/stat")
		return noProc != nil && syscall.Kill(pid, 0) == nil
	}
	_, after, _ := strings.Cut(string(stat), ") ")
	return after != "" && !slices.Contains([]byte("ZX"), after[0])
}

// gone waits until a process does not run.
func gone(t *testing.T, pid int) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	end := time.After(20 * time.Second)
	for alive(pid) {
		select {
		case <-tick.C:
		case <-end:
			t.Fatalf("process %d still runs", pid)
		}
	}
}
