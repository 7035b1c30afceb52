package lambda

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/aws/aws-lambda-go/lambda/messages"
	"github.com/aws/aws-lambda-go/lambdacontext"
)

type outcome struct {
	payload []byte
	err     error
}

// run carries out one invocation in a place already taken.
func (r *Registry) run(caller context.Context, f *function, box Sandbox, payload []byte) ([]byte, error) {
	id := requestID()
	began := time.Now()
	ctx, cancel := context.WithDeadline(context.Background(), began.Add(f.Timeout))
	done := make(chan outcome, 1)
	go func() {
		defer cancel()
		growStack()
		box, out, spoilt := f.invoke(withIdentity(ctx, f, id), box, payload)
		// An overrun sandbox would have been killed.
		r.release(f, box, spoilt || !time.Now().Before(began.Add(f.Timeout)))
		done <- out
	}()
	var out outcome
	select {
	case out = <-done:
	case <-ctx.Done():
		out = f.overrun(ctx, done, id)
	case <-caller.Done():
		return nil, caller.Err()
	}
	if errors.Is(out.err, context.DeadlineExceeded) { // a sandbox saw it first
		out = f.timedOut(id)
	}
	r.report(f, id, began, out.err)
	return out.payload, out.err
}

// overrun tells a deadline that passed from an invocation that has just ended:
// that one cancels the context after its outcome is there.
func (f *function) overrun(ctx context.Context, done <-chan outcome, id string) outcome {
	if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return <-done
	}
	return f.timedOut(id)
}

func (f *function) timedOut(id string) outcome {
	return outcome{err: functionError(messages.InvokeResponse_Error{
		Type:    "Sandbox.Timedout",
		Message: fmt.Sprintf("RequestId: %s Error: Task timed out after %.2f seconds", id, f.Timeout.Seconds()),
	})}
}

// invoke calls a sandbox, and starts one where there is none or where a warm one
// is gone.
func (f *function) invoke(ctx context.Context, box Sandbox, payload []byte) (Sandbox, outcome, bool) {
	if box != nil {
		response, err := box.Invoke(ctx, payload)
		if !errors.Is(err, errGone) {
			return judge(box, response, err)
		}
	}
	box, err := f.start()
	if err != nil {
		return nil, outcome{err: functionError(messages.InvokeResponse_Error{
			Type: "Runtime.ExitError", Message: "the function did not start: " + err.Error(), ShouldExit: true,
		})}, true
	}
	response, err := box.Invoke(ctx, payload)
	return judge(box, response, err)
}

// judge tells whether a sandbox may be used again.
func judge(box Sandbox, response []byte, err error) (Sandbox, outcome, bool) {
	if err == nil && len(response) > MaxResponse {
		err = responseTooLarge()
	}
	if err != nil {
		var failed *FunctionError
		return box, outcome{err: err}, !errors.As(err, &failed) || failed.exit
	}
	return box, outcome{payload: response}, false
}

func (r *Registry) report(f *function, id string, began time.Time, err error) {
	took := time.Since(began)
	var failed *FunctionError
	switch {
	case err == nil:
		r.log.Debug("function invoked", "function", f.Name, "requestId", id, "took", took)
	case errors.As(err, &failed) && (failed.exit || failed.Type == "Sandbox.Timedout"):
		r.log.Warn("function lost its sandbox", "function", f.Name, "requestId", id, "took", took, "error", err)
	default:
		r.log.Info("function failed", "function", f.Name, "requestId", id, "took", took, "error", err)
	}
}

// withIdentity puts into the context what the Go runtime puts there.
func withIdentity(ctx context.Context, f *function, id string) context.Context {
	ctx = lambdacontext.NewContext(ctx, &lambdacontext.LambdaContext{
		AwsRequestID: id, InvokedFunctionArn: f.ARN,
	})
	trace := random(12)
	//lint:ignore SA1029 the Go runtime of Lambda uses this very key
	return context.WithValue(ctx, "x-amzn-trace-id",
		fmt.Sprintf("Root=1-%08x-%s;Parent=%s;Sampled=0", time.Now().Unix(), hex.EncodeToString(trace), hex.EncodeToString(random(8))))
}

// requestID is a version 4 UUID.
func requestID() string {
	b := random(16)
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

func random(n int) []byte {
	b := make([]byte, n)
	rand.Read(b) // it never fails: see crypto/rand
	return b
}

// growStack makes room at once for what the AWS SDK's calls need below: a stack that
// grows on the way down is copied at each doubling, with all that is on it, which was a
// fifteenth of a short turn.
//
//go:noinline
func growStack() {
	var room [40 << 10]byte
	runtime.KeepAlive(&room)
}
