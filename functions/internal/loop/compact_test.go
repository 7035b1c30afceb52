package loop_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"windlass/eventstore/event"
	"windlass/functions/internal/model"
	"windlass/functions/internal/session"
	"windlass/functions/internal/tool"
)

// reader is a tool whose output is as long as it is asked for.
func reader() *tool.Tool {
	type size struct {
		Bytes int `json:"bytes"`
	}
	return tool.Define(tool.Tool{Name: "look", Effect: tool.Read, Timeout: time.Second},
		func(size) string { return "" },
		func(_ context.Context, _ tool.Env, s size) (tool.Result, error) {
			return tool.Result{Output: "begins " + strings.Repeat("x", s.Bytes) + " ends"}, nil
		})
}

// looking is a world whose model looks for so many rounds, three calls at a time, and
// keeps what it was shown.
func looking(t *testing.T, rounds, bytes int, limits string) (w *world, shownBytes *[]int) {
	w = newWorld(t)
	w.service.Agents = catalog(t, "[look]\nlimits: "+limits)
	w.loop.Tools = tool.Set{"look": reader()}
	shownBytes = &[]int{}
	w.model(func(_ context.Context, n int, r model.Request) ([]model.Part, error) {
		size, prompt := 0, false
		for _, p := range shown(r) {
			size += len(p.Text)
			prompt = prompt || p.Text == "look at it all"
			if p.Result != nil {
				size += len(p.Result.Output)
			}
		}
		if !prompt {
			t.Errorf("request %d does not show the prompt", n)
		}
		*shownBytes = append(*shownBytes, size)
		if n > rounds {
			return []model.Part{{Text: "done"}}, nil
		}
		call := func(i int) model.Part {
			return call(fmt.Sprint("c", i), "look", fmt.Sprintf(`{"bytes":%d}`, bytes+n))
		}
		return []model.Part{call(0), call(1), call(2)}, nil
	})
	w.submit(session.Submission{Prompt: "look at it all", OperationID: "op"})
	return w, shownBytes
}

// Three results of 200 KB in one turn, and a model that reads 128k tokens.
func TestATurnIsCompactedInItsMiddle(t *testing.T) {
	w, sizes := looking(t, 3, 200_000, "{compactAt: 120000, compactKeep: 40000}")
	w.drive("op", 1)
	o, err := w.service.Operation(t.Context(), stream, "op")
	if err != nil || o.Status != "completed" || o.Output.Inline() != "done" {
		t.Fatalf("%+v, %v", o, err)
	}
	for i, n := range *sizes {
		if n > 3*120_000 {
			t.Errorf("request %d shows %d bytes", i+1, n)
		}
	}
	if got := strings.Count(w.types(), "transcript.compacted"); got < 2 {
		t.Errorf("%d compactions:\n%s", got, w.types())
	}
	whole := 0 // the log keeps all of it
	for _, e := range w.events() {
		if r, ok := e.Data.(event.ToolCompleted); ok && r.Output.Len() > 200_000 {
			whole++
		}
	}
	if whole != 9 {
		t.Errorf("%d whole results in the log", whole)
	}
}

// A long turn of small rounds is summarised; its prompt stays as it was written, and
// the model sees what came last.
func TestASummaryTakesThePlaceOfWhatIsOld(t *testing.T) {
	w, sizes := looking(t, 40, 300, "{compactAt: 6000, compactKeep: 2000}")
	w.drive("op", 1)
	var told []string
	w.model(func(_ context.Context, _ int, r model.Request) ([]model.Part, error) {
		told = append(told, shown(r)[0].Text)
		return []model.Part{{Text: "again"}}, nil
	})
	w.submit(session.Submission{Prompt: "and now?", OperationID: "next"})
	w.drive("next", 1)
	if len(told) != 1 || !strings.HasSuffix(told[0], "a summary") {
		t.Errorf("the next turn's model is told %q", told)
	}
	most := 0
	for _, n := range *sizes {
		most = max(most, n)
	}
	if most > 3*6000 {
		t.Errorf("a request shows %d bytes", most)
	}
	if got := len(*sizes); got != 41 {
		t.Errorf("%d rounds, want 41", got)
	}
}

func TestATranscriptThatIsTooLongForItsModelIsCompactedAndAskedAgain(t *testing.T) {
	w := newWorld(t)
	var asked []int
	w.model(func(_ context.Context, n int, r model.Request) ([]model.Part, error) {
		asked = append(asked, len(shown(r)))
		switch {
		case n <= 6:
			return []model.Part{call("c", "workspace_write", fmt.Sprintf(`{"path":"/f","content":"%d%s"}`, n, strings.Repeat("x", 2000)))}, nil
		case n == 7:
			return nil, &model.Fault{Code: model.Overflow, Permanent: true, Message: "too long"}
		}
		return []model.Part{{Text: "done"}}, nil
	})
	w.submit(session.Submission{Prompt: "go", OperationID: "op"})
	w.drive("op", 1)
	o, err := w.service.Operation(t.Context(), stream, "op")
	if err != nil || o.Status != "completed" {
		t.Fatalf("%+v, %v\n%s", o, err, w.types())
	}
	if d := cmp.Diff([]int{1, 3, 5, 7, 9, 11, 13, 8}, asked); d != "" {
		t.Errorf("parts that were shown (-want +got):\n%s", d)
	}
}

// A deployment's summary may take as long as an answer: a cancel ends it.
func TestACancelEndsASummary(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, _ := looking(t, 3, 200_000, "{compactAt: 1000}")
		w.loop.Models["scripted"] = stuck{}
		go func() {
			time.Sleep(5 * time.Second)
			if _, err := w.service.Cancel(t.Context(), stream, "op"); err != nil {
				t.Error(err)
			}
		}()
		w.drive("op", 1)
		o, err := w.service.Operation(t.Context(), stream, "op")
		if err != nil || o.Status != "cancelled" {
			t.Errorf("%+v, %v", o, err)
		}
	})
}
