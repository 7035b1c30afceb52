package httpapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"windlass/eventstore"
	"windlass/eventstore/flaky"
	"windlass/eventstore/memory"
	"windlass/functions/internal/auth"
	"windlass/functions/internal/callback"
	"windlass/functions/internal/fault"
	"windlass/functions/internal/session"
	"windlass/functions/internal/view"
)

// failing is a service that always fails in one way.
type failing struct{ err error }

func (f failing) Retain(context.Context, eventstore.Stream, string) (view.Session, error) {
	return view.Session{}, f.err
}

func (f failing) Submit(context.Context, eventstore.Stream, session.Submission) (session.Receipt, error) {
	return session.Receipt{}, f.err
}

func (f failing) Settled(context.Context, eventstore.Stream, string, time.Duration) (view.Operation, error) {
	return view.Operation{}, f.err
}

func (f failing) Followed(context.Context, eventstore.Stream, session.EventQuery, time.Duration) (session.EventPage, error) {
	return session.EventPage{}, f.err
}

func (f failing) ReadFile(context.Context, eventstore.Stream, session.FileRead) (session.FileContent, error) {
	return session.FileContent{}, f.err
}

func (f failing) PutFile(context.Context, eventstore.Stream, session.FileWrite) (session.FileWritten, error) {
	return session.FileWritten{}, f.err
}

func (f failing) DeleteFile(context.Context, eventstore.Stream, session.FileWrite) error {
	return f.err
}

func (f failing) Operations(context.Context, eventstore.Stream, session.ListQuery) (session.OperationPage, error) {
	return session.OperationPage{}, f.err
}

func (f failing) Sessions(context.Context, string, session.ListQuery) (session.SessionPage, error) {
	return session.SessionPage{}, f.err
}

func (f failing) Session(context.Context, eventstore.Stream) (view.Session, error) {
	return view.Session{}, f.err
}

func (f failing) Files(context.Context, eventstore.Stream, string, session.ListQuery) (session.FilePage, error) {
	return session.FilePage{}, f.err
}

func (f failing) Upload(context.Context, eventstore.Stream, session.UploadRequest) (session.Upload, error) {
	return session.Upload{}, f.err
}

func (f failing) Blob(context.Context, eventstore.Stream, string, string) (string, error) {
	return "", f.err
}

func (f failing) Transcript(context.Context, eventstore.Stream, session.TranscriptQuery) (session.TranscriptPage, error) {
	return session.TranscriptPage{}, f.err
}

func (f failing) Cancel(context.Context, eventstore.Stream, string) (view.Operation, error) {
	return view.Operation{}, f.err
}

func (f failing) Steer(context.Context, eventstore.Stream, string, session.Message) (session.Receipt, error) {
	return session.Receipt{}, f.err
}

func (f failing) Decide(context.Context, eventstore.Stream, string, string, session.Answer) (view.Operation, error) {
	return view.Operation{}, f.err
}

func (f failing) CalledBack(context.Context, callback.Step, session.CallResult) (bool, error) {
	return false, f.err
}

func (f failing) Delete(context.Context, eventstore.Stream) error { return f.err }

func (f failing) Step(context.Context, string) (callback.Step, error) { return callback.Step{}, f.err }

const cause = "arn:aws:dynamodb:table/secret-cause"

func TestEveryCodeComesOutAsTheTableSaysOnEveryRoute(t *testing.T) {
	for code := range fault.Table {
		w := newWorld(t)
		f := failing{fmt.Errorf("session: %w: %w", fault.New(code, "do this instead"), errors.New(cause))}
		w.api.Turns, w.api.Files, w.api.Lists, w.api.Transfers, w.api.Control, w.api.Callbacks = f, f, f, f, f, f
		for _, r := range routes {
			r.key = key
			got := w.do(r)
			w.problem(got, code)
			if !strings.Contains(got.body, "do this instead") {
				t.Errorf("%s: %s does not say what to do", code, got.body)
			}
		}
	}
}

func TestCausesAreLoggedAndNeverShown(t *testing.T) {
	for name, c := range map[string]struct {
		err    error
		want   fault.Code
		logged bool
	}{
		"any error":       {errors.New(cause), fault.Internal, true},
		"the log's":       {eventstore.Errorf(eventstore.Unavailable, "append", "%s", cause), fault.Unavailable, true},
		"a corrupt log":   {eventstore.Errorf(eventstore.Corrupt, "read", "%s", cause), fault.Internal, true},
		"denied":          {eventstore.Errorf(eventstore.Denied, "read", "%s", cause), fault.Internal, true},
		"nothing":         {eventstore.Errorf(eventstore.NotFound, "row", "%s", cause), fault.NotFound, false},
		"a lost race":     {&eventstore.Conflict{Existing: eventstore.Record{ID: cause}}, fault.Unavailable, true},
		"the caller's":    {fault.New(fault.EmptyPrompt, "say something"), fault.EmptyPrompt, false},
		"a wrapped cause": {fmt.Errorf("%w: %s", fault.New(fault.Unavailable, "again"), cause), fault.Unavailable, true},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.api.Turns = failing{c.err}
			r := w.do(request{method: "POST", path: operations, key: key, body: `{"prompt":"the prompt itself"}`, headers: map[string]string{"x-amzn-trace-id": "Self=x;Root=1-abc-def;Sampled=1"}})
			w.problem(r, c.want)
			if strings.Contains(r.body+fmt.Sprint(r.header), cause) {
				t.Errorf("the cause shows in %s %v", r.body, r.header)
			}
			if logged := strings.Contains(w.logs.String(), cause); logged != c.logged {
				t.Errorf("logged: %s", w.logs)
			}
			if n := strings.Count(w.logs.String(), "\n"); c.logged != (n == 1) {
				t.Errorf("%d lines were logged, want one for what is not the caller's doing:\n%s", n, w.logs)
			}
			if !strings.Contains(r.body, `"traceId":"1-abc-def"`) || c.logged && !strings.Contains(w.logs.String(), `"trace_id":"1-abc-def"`) {
				t.Errorf("the trace id is not in %s and in the logs %s", r.body, w.logs)
			}
			if all := r.body + w.logs.String(); strings.Contains(all, key) || strings.Contains(all, "the prompt itself") {
				t.Errorf("a key or a prompt shows in %s or the logs %s", r.body, w.logs)
			}
		})
	}
}

// The log is out of reach: an answer within three seconds, which says that the
// same request may be sent again; and it may.
func TestAnOutageIsA503AndTheRetryIsSafe(t *testing.T) {
	for _, f := range []flaky.Fault{flaky.Fail, flaky.Lose, flaky.Throttle} {
		synctest.Test(t, func(t *testing.T) {
			down := true
			w := over(t, flaky.New(memory.New(), flaky.Script{{When: func(c flaky.Call) bool { return down && c.Op == flaky.Append }, Do: f}}))
			began := time.Now()
			w.problem(w.post(operations, `{"prompt":"p","operationId":"a"}`), fault.Unavailable)
			if took := time.Since(began); took > 3*time.Second {
				t.Errorf("%s: answered after %s", f, took)
			}
			down = false
			if r := w.post(operations, `{"prompt":"p","operationId":"a"}`); r.status != http.StatusAccepted && r.status != http.StatusOK {
				t.Errorf("%s, again: %d %s", f, r.status, r.body)
			}
			if all, _ := w.follow("/v1/sessions/s/events", ""); len(all) != 2 {
				t.Errorf("%s: %d events, want session.opened and one operation.accepted", f, len(all))
			}
		})
	}
}

// A submission that named no id was tried under one all the same, and may stand
// in the log under it: the answer says which.
func TestAnOutageTellsTheIdToSendAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		down := true
		w := over(t, flaky.New(memory.New(), flaky.Script{{When: func(c flaky.Call) bool { return down && c.Op == flaky.Append }, Do: flaky.Lose}}))
		r := w.post(operations, `{"prompt":"p"}`)
		var p struct{ OperationID string }
		if err := json.Unmarshal([]byte(r.body), &p); err != nil || p.OperationID == "" {
			t.Fatalf("%s, %v", r.body, err)
		}
		down = false
		if r := w.post(operations, `{"prompt":"p","operationId":"`+p.OperationID+`"}`); r.status != http.StatusOK {
			t.Errorf("again: %d %s", r.status, r.body)
		}
		if all, _ := w.follow("/v1/sessions/s/events", ""); len(all) != 2 {
			t.Errorf("%d events, want session.opened and one operation.accepted", len(all))
		}
	})
}

func TestKeysThatCannotBeCheckedAreAnOutageAndNotARefusal(t *testing.T) {
	w := newWorld(t)
	w.api.Keys = &auth.Keys{Client: table{errors.New(cause)}, Table: "live", Now: time.Now}
	for _, r := range routes {
		r.key = key
		got := w.do(r)
		w.problem(got, fault.Unavailable)
		if strings.Contains(got.body, cause) || strings.Contains(w.logs.String(), key) {
			t.Errorf("%s shows a cause, or the logs a key: %s", got.body, w.logs)
		}
	}
}

func TestAQueueThatIsFullIsA429WithRetryAfter(t *testing.T) {
	w := newWorld(t)
	w.api.Turns = failing{fault.New(fault.QueueFull, "later")}
	if r := w.post(operations, `{"prompt":"p"}`); r.status != http.StatusTooManyRequests || r.header["Retry-After"] == "" {
		t.Errorf("%d %v", r.status, r.header)
	}
}
