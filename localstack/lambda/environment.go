package lambda

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/aws/aws-lambda-go/lambda/messages"
)

// errGone: the process ended before it took an invocation, after others. Nothing
// was run, so that a fresh one may take it.
var errGone = errors.New("the process is gone")

// An environment is one execution environment: a process and the Runtime API
// that it alone is given. It is a Sandbox.
type environment struct {
	program Program
	api     *runtimeAPI
	server  *http.Server
	command *exec.Cmd
	release func() // lets go of what ends the process with this one

	used   bool          // an invocation was handed over before
	exited chan struct{} // closed when the process is gone
	reason string        // why; set before exited is closed
}

// newEnvironment opens the Runtime API and prepares the process. The path has a
// secret in it, because everyone on this machine can reach a loopback port.
func newEnvironment(p Program, log *slog.Logger) (*environment, error) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	secret := "/" + rand.Text()
	e := &environment{program: p, exited: make(chan struct{}), release: func() {}}
	e.api = newRuntimeAPI(e.kill)
	e.server = &http.Server{
		Handler:           e.api.handler(secret),
		ReadHeaderTimeout: time.Minute,
		MaxHeaderBytes:    2 << 20, // the Go runtime sends an error's trace in a header of up to 1 MiB
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
	e.command = exec.Command(p.Path)
	e.command.Dir = filepath.Dir(p.Path)
	e.command.Env = append(slices.Clone(p.Env), "AWS_LAMBDA_RUNTIME_API="+l.Addr().String()+secret, "AWS_LAMBDA_LOG_STREAM_NAME="+logStream())
	e.command.SysProcAttr = attributes()
	e.command.Stdout, e.command.Stderr = &output{log: log, function: p.Function}, &output{log: log, function: p.Function}
	e.command.WaitDelay = time.Second // for a pipe that a process of its own holds open
	go func() { _ = e.server.Serve(l) }()
	return e, nil
}

// logStream names the stream as Lambda does: one for each environment.
func logStream() string {
	return time.Now().UTC().Format("2006/01/02") + "/[$LATEST]" + hex.EncodeToString(random(16))
}

// start starts the process; ended is called once when it is gone.
func (e *environment) start(ended func()) error {
	if err := e.command.Start(); err != nil {
		return errors.Join(e.program.whyNot(err), e.server.Close())
	}
	release, err := guarded(e.command.Process.Pid)
	if err == nil {
		e.release = release
	}
	go func() {
		_ = e.command.Wait() // the state says more
		e.reason = exitReason(e.command.ProcessState)
		for _, w := range []any{e.command.Stdout, e.command.Stderr} {
			w.(*output).flush()
		}
		e.release()
		_ = e.server.Close()
		ended()
		close(e.exited)
	}()
	if err != nil {
		e.kill()
	}
	return err
}

// exitReason is worded as Lambda words it.
func exitReason(s *os.ProcessState) string {
	if s.Success() {
		return "Runtime exited without providing a reason"
	}
	return "Runtime exited with error: " + s.String()
}

// Invoke hands an invocation to the process at its poll and waits for its
// outcome, its exit or the deadline. The process is ready for another one when
// it polls again, which the next Invoke waits for.
func (e *environment) Invoke(ctx context.Context, payload []byte) ([]byte, error) {
	j := newJob(ctx, payload)
	select {
	case <-e.exited:
		return nil, e.unborn(j)
	default:
	}
	select {
	case e.api.jobs <- j:
		e.used = true
	case <-e.exited:
		return nil, e.unborn(j)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return e.await(ctx, j)
}

func (e *environment) await(ctx context.Context, j *job) ([]byte, error) {
	select {
	case out := <-j.outcome:
		return out.payload, out.err
	case <-e.exited:
		select {
		case out := <-j.outcome: // answered, and then it went
			return out.payload, out.err
		default:
			return nil, e.exitError(j)
		}
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// unborn tells why an invocation was not taken.
func (e *environment) unborn(j *job) error {
	if e.used {
		return errGone
	}
	if failed := e.api.initError(); failed != nil {
		return failed
	}
	return e.exitError(j)
}

// exitError: an exit at the deadline is the kill that the deadline brings.
func (e *environment) exitError(j *job) error {
	if !time.Now().Before(j.deadline) {
		return context.DeadlineExceeded
	}
	return functionError(messages.InvokeResponse_Error{
		Type: "Runtime.ExitError", Message: "RequestId: " + j.id + " Error: " + e.reason, ShouldExit: true,
	})
}

// Close kills the process, as Lambda does, and returns when it is gone.
func (e *environment) Close() error {
	e.kill()
	<-e.exited
	return nil
}

// kill ends the process. One that has been waited for is left alone: its number
// may be another's by now.
func (e *environment) kill() { _ = e.command.Process.Kill() }
