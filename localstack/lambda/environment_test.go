//go:build unix

package lambda

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var quiet = slog.New(slog.DiscardHandler)

// told invokes f with an order and returns its report.
func told(t *testing.T, r *Registry, o order) report {
	t.Helper()
	b, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	got, err := r.Invoke(t.Context(), "f", b)
	if err != nil {
		t.Fatalf("%+v: %v", o, err)
	}
	var rep report
	if err := json.Unmarshal(got, &rep); err != nil {
		t.Fatal(err)
	}
	return rep
}

func TestAProcessGetsWhatLambdaGivesItAndNothingElse(t *testing.T) {
	t.Setenv("SECRET_OF_THE_PARENT", "x")
	p := program(t, "handler", "GIVEN=1")
	r, _ := isolated(t, Config{Timeout: 3 * time.Second}, p, quiet)
	rep := told(t, r, order{})
	var names []string
	for _, entry := range rep.Environment {
		name, value, _ := strings.Cut(entry, "=")
		names = append(names, name)
		if name == "AWS_LAMBDA_LOG_STREAM_NAME" && (len(value) != len("2026/11/30/[$LATEST]")+32 || !strings.Contains(value, "/[$LATEST]")) {
			t.Errorf("log stream %q", value)
		}
	}
	slices.Sort(names)
	// The Go runtime sets the last one itself.
	if diff := cmp.Diff([]string{"AWS_LAMBDA_LOG_STREAM_NAME", "AWS_LAMBDA_RUNTIME_API", "GIVEN", bootstrapVariable, "_X_AMZN_TRACE_ID"}, names); diff != "" {
		t.Error(diff)
	}
	if group, err := syscall.Getpgid(rep.PID); err != nil || group != rep.PID {
		t.Errorf("process %d is in group %d, %v: Ctrl-C would reach it", rep.PID, group, err)
	}
	if rep.Folder != filepath.Dir(p.Path) || len(rep.ID) != 36 || rep.ARN != arn || !rep.Trace || rep.Left <= 0 || rep.Left > 3*time.Second {
		t.Errorf("%+v", rep)
	}
}

func TestAWarmProcessIsUsedAgainAndAnErrorDoesNotEndIt(t *testing.T) {
	r, processes := isolated(t, Config{}, program(t, "handler"), quiet)
	first := told(t, r, order{}).PID
	for do, want := range map[string]string{"coded": "conflict", "wrapped": "wrapError"} {
		_, err := r.Invoke(t.Context(), "f", fmt.Appendf(nil, `{"Do":%q}`, do))
		f := failure(t, err)
		if f.Type != want {
			t.Errorf("%s: type %s, want %s", do, f.Type, want)
		}
		if do == "coded" && string(f.Payload) != `{"errorMessage":"lost","errorType":"conflict"}` {
			t.Errorf("payload %s", f.Payload)
		}
		if again := told(t, r, order{}).PID; again != first {
			t.Errorf("process %d, then %d", first, again)
		}
	}
	if diff := cmp.Diff([]Process{{Function: "f", PID: first}}, processes.List()); diff != "" {
		t.Error(diff)
	}
}

func TestAnExitIsAnErrorAtOnceAndTheNextInvocationGetsAnotherProcess(t *testing.T) {
	r, _ := isolated(t, Config{}, program(t, "handler"), quiet)
	for _, c := range []struct{ order, kind, says string }{
		{`{"Do":"exit","Size":3}`, "Runtime.ExitError", "Error: Runtime exited with error: exit status 3"},
		{`{"Do":"exit"}`, "Runtime.ExitError", "Error: Runtime exited without providing a reason"},
		{`{"Do":"kill"}`, "Runtime.ExitError", "Error: Runtime exited with error: signal: killed"},
		{`{"Do":"panic"}`, "string", "boom"}, // reported before it exits
	} {
		before := told(t, r, order{}).PID
		_, err := r.Invoke(t.Context(), "f", []byte(c.order))
		f := failure(t, err)
		if f.Type != c.kind || !strings.HasSuffix(f.Message, c.says) {
			t.Errorf("%s: %v", c.order, f)
		}
		if c.kind == "Runtime.ExitError" && !strings.HasPrefix(f.Message, "RequestId: ") {
			t.Errorf("%s: %v", c.order, f)
		}
		if after := told(t, r, order{}).PID; after == before {
			t.Errorf("%s: the process still runs", c.order)
		}
	}
}

// Nobody was told anything by a process that died idle: its death costs nobody an
// invocation.
func TestAProcessThatDiesIdleIsReplacedUnseen(t *testing.T) {
	r, processes := isolated(t, Config{}, program(t, "handler"), quiet)
	pid := told(t, r, order{}).PID
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for len(processes.List()) > 0 {
		<-tick.C
	}
	if again := told(t, r, order{}).PID; again == pid {
		t.Errorf("process %d answers after its death", pid)
	}
}

func TestTheTimeLimitKillsTheProcessAndFreesItsPlace(t *testing.T) {
	r, processes := isolated(t, Config{Timeout: time.Second, Concurrency: 1}, program(t, "handler"), quiet)
	pid := told(t, r, order{}).PID
	_, err := r.Invoke(t.Context(), "f", []byte(`{"Do":"hang"}`))
	f := failure(t, err)
	if f.Type != "Sandbox.Timedout" || !strings.HasSuffix(f.Message, "Error: Task timed out after 1.00 seconds") {
		t.Errorf("got %v", err)
	}
	gone(t, pid)
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	var refused *ServiceError
	for { // the place is free once the process was waited for, a moment later
		if _, err = r.Invoke(t.Context(), "f", []byte(`{}`)); !errors.As(err, &refused) {
			break
		}
		<-tick.C
	}
	if list := processes.List(); err != nil || len(list) != 1 || list[0].PID == pid {
		t.Errorf("%v, %v", list, err)
	}
}

func TestAProcessThatCannotStartSaysWhy(t *testing.T) {
	r, _ := isolated(t, Config{}, program(t, "exit"), quiet)
	_, err := r.Invoke(t.Context(), "f", nil)
	if f := failure(t, err); f.Type != "Runtime.ExitError" || !strings.HasSuffix(f.Message, "Runtime exited with error: exit status 7") {
		t.Errorf("got %v", err)
	}
	nowhere := Program{Function: "f", Path: filepath.Join(t.TempDir(), "bootstrap")}
	r, _ = isolated(t, Config{}, nowhere, quiet)
	_, err = r.Invoke(t.Context(), "f", nil)
	if f := failure(t, err); f.Type != "Runtime.ExitError" || !strings.Contains(f.Message, "make build") {
		t.Errorf("got %v", err)
	}
	if err := nowhere.Check(); err == nil || !strings.Contains(err.Error(), "run make build") {
		t.Errorf("got %v", err)
	}
}

func TestAnAnswerThatIsTooLargeIsTheSameInAProcess(t *testing.T) {
	r, _ := isolated(t, Config{}, program(t, "handler"), quiet)
	_, err := r.Invoke(t.Context(), "f", fmt.Appendf(nil, `{"Size":%d}`, MaxResponse))
	if f := failure(t, err); f.Type != "Function.ResponseSizeTooLarge" {
		t.Errorf("got %v", err)
	}
	const most = MaxResponse - 4096 // what else stands in the report
	if rep := told(t, r, order{Size: most}); len(rep.Text) != most {
		t.Errorf("%d bytes of text", len(rep.Text))
	}
}

func TestEachConcurrentInvocationHasAProcess(t *testing.T) {
	const n = 6
	r, processes := isolated(t, Config{Concurrency: n, Idle: 2}, program(t, "handler"), quiet)
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			_, err := r.Invoke(t.Context(), "f", []byte(`{"Do":"hang"}`))
			if f := failure(t, err); f.Type != "Runtime.ExitError" {
				t.Errorf("got %v", err)
			}
		})
	}
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for busy := 0; busy < n; <-tick.C {
		busy = 0
		for _, p := range processes.List() {
			if p.Busy {
				busy++
			}
		}
	}
	_, err := r.Invoke(t.Context(), "f", nil)
	refusal(t, err, "TooManyRequestsException")
	for _, p := range processes.List() {
		if err := syscall.Kill(p.PID, syscall.SIGKILL); err != nil {
			t.Error(err)
		}
	}
	wg.Wait()
}

func TestClosedProcessesAreGoneAndNoneIsStarted(t *testing.T) {
	r, processes := isolated(t, Config{}, program(t, "handler"), quiet)
	pid := told(t, r, order{}).PID
	processes.Close()
	gone(t, pid)
	_, err := r.Invoke(t.Context(), "f", nil)
	if f := failure(t, err); f.Type != "Runtime.ExitError" || !strings.Contains(f.Message, "shutting down") {
		t.Errorf("got %v", err)
	}
}
