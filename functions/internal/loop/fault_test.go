package loop_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"windlass/functions/internal/model"
	"windlass/functions/internal/session"
)

func TestTransientFaultsAreAskedAgainAndBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		began := time.Now()
		var at []time.Duration
		w.model(func(_ context.Context, n int, _ model.Request) ([]model.Part, error) {
			at = append(at, time.Since(began))
			return nil, &model.Fault{Code: "rate_limited", Message: "slow down", RetryAfter: 90 * time.Second}
		})
		w.submit(session.Submission{Prompt: "go", OperationID: "op"})
		w.drive("op", 1)
		o, err := w.service.Operation(t.Context(), stream, "op")
		if err != nil {
			t.Fatal(err)
		}
		if o.Status != "failed" || o.Error.Code != "rate_limited" || o.Usage.ModelCalls != 5 {
			t.Errorf("%+v %+v", o, o.Error)
		}
		want := []time.Duration{0, 90 * time.Second, 180 * time.Second, 270 * time.Second, 360 * time.Second}
		if d := cmp.Diff(want, at); d != "" {
			t.Errorf("asked at (-want +got):\n%s", d)
		}
	})
}

func TestPermanentFaultEndsTheTurnAndRunsNothingAgain(t *testing.T) {
	w := newWorld(t)
	m := w.model(func(_ context.Context, n int, _ model.Request) ([]model.Part, error) {
		if n == 3 {
			return nil, &model.Fault{Code: "model_error", Message: "400", Permanent: true}
		}
		return []model.Part{call("c", "workspace_write", `{"path":"/a","content":"x"}`)}, nil
	})
	w.submit(session.Submission{Prompt: "go", OperationID: "op"})
	w.drive("op", 1)
	log := w.types()
	if m.asked != 3 || strings.Count(log, "workspace.written") != 2 || !strings.HasSuffix(log, "model.failed r3\n"+fmt.Sprint(strings.Count(log, "\n"))+" operation.failed r0\n") {
		t.Errorf("asked %d times\n%s", m.asked, log)
	}
}

// A provider's error may be as long as a page of HTML, and a model may name a
// tool of any length: neither keeps the turn from ending.
func TestLongErrorsAndNamesNeverWedgeATurn(t *testing.T) {
	long := strings.Repeat("é", 200_000)
	w := newWorld(t)
	w.model(func(_ context.Context, n int, _ model.Request) ([]model.Part, error) {
		if n == 1 {
			return []model.Part{call(long, long, long), call("c", "workspace_read", long)}, nil
		}
		return nil, &model.Fault{Code: "model_error", Message: long, Permanent: true}
	})
	w.submit(session.Submission{Prompt: "go", OperationID: "op"})
	w.drive("op", 1)
	o, err := w.service.Operation(t.Context(), stream, "op")
	if err != nil {
		t.Fatal(err)
	}
	if o.Status != "failed" || o.Error.Code != "too_large" && (o.Error.Code != "model_error" || len(o.Error.Message) > 2048) {
		t.Errorf("%s, %s: %d bytes", o.Status, o.Error.Code, len(o.Error.Message))
	}
}
