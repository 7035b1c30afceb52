package lambda

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-lambda-go/lambda/messages"
	"github.com/aws/aws-lambda-go/lambdacontext"
)

const arn = "arn:aws:lambda:us-east-1:000000000000:function:f"

type codedError struct{}

func (*codedError) Error() string { return "coded" }

// one returns a registry with one function f.
func one(c Config, handler any) *Registry {
	r := New(slog.New(slog.DiscardHandler))
	c.Name, c.ARN = "f", arn
	if c.Timeout == 0 {
		c.Timeout = time.Minute
	}
	r.Register(c, InProcess(func() (lambda.Handler, error) { return lambda.NewHandler(handler), nil }))
	return r
}

func failure(t *testing.T, err error) *FunctionError {
	t.Helper()
	var f *FunctionError
	if !errors.As(err, &f) {
		t.Fatalf("not a function error: %v", err)
	}
	return f
}

func refusal(t *testing.T, err error, code string) {
	t.Helper()
	var s *ServiceError
	if !errors.As(err, &s) || s.Code != code {
		t.Errorf("got %v, want %s", err, code)
	}
}

func TestAFunctionIsReachedByNameAndByARNOnly(t *testing.T) {
	r := one(Config{}, func(in map[string]int) (int, error) { return in["n"] + 1, nil })
	for _, name := range []string{"f", arn} {
		got, err := r.Invoke(t.Context(), name, []byte(`{"n":1}`))
		if err != nil || string(got) != "2" {
			t.Errorf("%s: %s, %v", name, got, err)
		}
	}
	for _, name := range []string{"g", arn + ":1", strings.Replace(arn, "us-east-1", "eu-west-1", 1), "x:function:f"} {
		_, err := r.Invoke(t.Context(), name, nil)
		refusal(t, err, "ResourceNotFoundException")
	}
}

// Step Functions catches by these names, and dispatch's retries depend on it.
func TestAnErrorIsNamedAsTheGoRuntimeNamesIt(t *testing.T) {
	coded := messages.InvokeResponse_Error{Type: "conflict", Message: "lost"}
	for want, err := range map[string]error{
		"conflict":    coded,
		"wrapError":   fmt.Errorf("append: %w", coded),
		"errorString": errors.New("x"),
		"codedError":  &codedError{},
	} {
		_, got := one(Config{}, func() error { return err }).Invoke(t.Context(), "f", nil)
		if f := failure(t, got); f.Type != want {
			t.Errorf("%v: type %s, want %s", err, f.Type, want)
		}
	}
	_, err := one(Config{}, func() error { return coded }).Invoke(t.Context(), "f", nil)
	if got := string(failure(t, err).Payload); got != `{"errorMessage":"lost","errorType":"conflict"}` {
		t.Errorf("payload %s", got)
	}
}

func TestAPanicIsAnErrorAndEndsItsSandbox(t *testing.T) {
	starts := 0
	r := New(slog.New(slog.DiscardHandler))
	r.Register(Config{Name: "f", ARN: arn, Timeout: time.Minute}, InProcess(func() (lambda.Handler, error) {
		starts++
		return lambda.NewHandler(func(in string) (string, error) {
			if in == "index" {
				_ = []int{}[len(in)]
			}
			if in != "" {
				panic(in)
			}
			return "fine", nil
		}), nil
	}))
	for in, want := range map[string]string{"boom": "string", "index": "boundsError"} {
		_, err := r.Invoke(t.Context(), "f", fmt.Appendf(nil, "%q", in))
		f := failure(t, err)
		var rendered messages.InvokeResponse_Error
		if json.Unmarshal(f.Payload, &rendered) != nil || f.Type != want || len(rendered.StackTrace) == 0 {
			t.Errorf("%s: %s", in, f.Payload)
		}
	}
	for range 2 {
		if _, err := r.Invoke(t.Context(), "f", []byte(`""`)); err != nil {
			t.Fatal(err)
		}
	}
	if starts != 3 {
		t.Errorf("%d sandboxes started, want 3: one for each panic, one kept warm", starts)
	}
}

func TestTheDeadlineIsTheFunctionsTimeoutNotTheCallers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		finished := make(chan error, 1)
		r := one(Config{Timeout: 3 * time.Second}, func(ctx context.Context) (float64, error) {
			deadline, _ := ctx.Deadline()
			lc, _ := lambdacontext.FromContext(ctx)
			if lc == nil || len(lc.AwsRequestID) != 36 || lc.InvokedFunctionArn != arn || ctx.Value("x-amzn-trace-id") == nil {
				return 0, errors.New("no identity in the context")
			}
			left := time.Until(deadline).Seconds()
			time.Sleep(2 * time.Second)
			finished <- ctx.Err()
			return left, nil
		})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := r.Invoke(ctx, "f", nil); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		if err := <-finished; err != nil {
			t.Errorf("the caller's end reached the function: %v", err)
		}
		got, err := r.Invoke(t.Context(), "f", nil)
		if err != nil || string(got) != "3" {
			t.Errorf("time left at the start %s, %v", got, err)
		}
	})
}

func TestAFunctionThatIgnoresItsDeadlineTimesOutForItsCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := one(Config{Timeout: 3 * time.Second, Concurrency: 1}, func(ctx context.Context, seconds int) {
			time.Sleep(time.Duration(seconds) * time.Second)
		})
		began := time.Now()
		_, err := r.Invoke(t.Context(), "f", []byte("10"))
		f := failure(t, err)
		if f.Type != "Sandbox.Timedout" || !strings.HasSuffix(f.Message, "Error: Task timed out after 3.00 seconds") {
			t.Errorf("got %v", err)
		}
		if took := time.Since(began); took != 3*time.Second {
			t.Errorf("after %v", took)
		}
		_, err = r.Invoke(t.Context(), "f", []byte("0"))
		refusal(t, err, "TooManyRequestsException") // it still holds its place
		time.Sleep(8 * time.Second)
		if _, err = r.Invoke(t.Context(), "f", []byte("0")); err != nil {
			t.Error(err)
		}
	})
}

func TestPayloadsAreBoundedAsOnAWS(t *testing.T) {
	r := one(Config{}, func(n int) (string, error) { return strings.Repeat("x", n), nil })
	_, err := r.Invoke(t.Context(), "f", make([]byte, MaxRequest+1))
	refusal(t, err, "RequestTooLargeException")
	_, err = r.Invoke(t.Context(), "f", []byte("{"))
	refusal(t, err, "InvalidRequestContentException")
	if _, err = r.Invoke(t.Context(), "f", fmt.Append(nil, MaxResponse-2)); err != nil {
		t.Errorf("the largest answer: %v", err)
	}
	_, err = r.Invoke(t.Context(), "f", fmt.Append(nil, MaxResponse-1))
	if f := failure(t, err); f.Type != "Function.ResponseSizeTooLarge" {
		t.Errorf("got %v", err)
	}
}

// aws-lambda-go reuses a handler's output buffers; sandboxes must not see that.
func TestConcurrentAnswersDoNotShareABuffer(t *testing.T) {
	r := one(Config{}, func(in string) (string, error) { return in, nil })
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			want := fmt.Sprintf("%q", strings.Repeat(fmt.Sprint(i), 1000))
			for range 100 {
				got, err := r.Invoke(t.Context(), "f", []byte(want))
				if err != nil || string(got) != want {
					t.Errorf("%d: %.20s…, %v", i, got, err)
					return
				}
			}
		})
	}
	wg.Wait()
}

func TestAFunctionThatDoesNotStartIsAnError(t *testing.T) {
	r := New(slog.New(slog.DiscardHandler))
	r.Register(Config{Name: "f", Timeout: time.Second}, InProcess(func() (lambda.Handler, error) {
		return nil, errors.New("no table")
	}))
	_, err := r.Invoke(t.Context(), "f", nil)
	if f := failure(t, err); f.Type != "Runtime.ExitError" || !strings.Contains(f.Message, "no table") {
		t.Errorf("got %v", err)
	}
}

func TestCloseWaitsAndNeverCancels(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var seen error
		r := one(Config{}, func(ctx context.Context) { time.Sleep(5 * time.Second); seen = ctx.Err() })
		invoked := make(chan error, 1)
		go func() { _, err := r.Invoke(t.Context(), "f", nil); invoked <- err }()
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		if err := r.Close(ctx); err != nil {
			t.Error(err)
		}
		if err := <-invoked; err != nil || seen != nil {
			t.Errorf("invocation: %v, context: %v", err, seen)
		}
		_, err := r.Invoke(t.Context(), "f", nil)
		refusal(t, err, "ServiceException")
	})
}
