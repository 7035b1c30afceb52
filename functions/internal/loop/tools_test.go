package loop_test

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"windlass/functions/internal/model"
	"windlass/functions/internal/session"
	"windlass/functions/internal/tool"
)

// listed is a source's tools.
type listed []*tool.Tool

func (l listed) List(context.Context) ([]*tool.Tool, error) { return l, nil }

func says(name, output string) *tool.Tool {
	return tool.Define(tool.Tool{Name: name, Effect: tool.Read, Timeout: time.Second}, func(struct{}) string { return "" },
		func(context.Context, tool.Env, struct{}) (tool.Result, error) {
			return tool.Result{Output: output}, nil
		})
}

// An entry of a definition may stand for many tools: its rules tell them apart, a server
// takes no name that something else has, and what no entry stands for is not there.
func TestAnEntryAllowsTheToolsOfItsSource(t *testing.T) {
	w := newWorld(t)
	w.service.Agents = catalog(t, `[{name: many, permission: ask, with: {a: 1}, rules: [{tool: "docs_*", permission: allow}, {tool: "secret_*", permission: deny}]}, {name: more}, workspace_list]`)
	var with []string
	source := func(tools ...*tool.Tool) tool.Source {
		return func(w json.RawMessage) (tool.Lister, error) {
			with = append(with, string(w))
			return listed(tools), nil
		}
	}
	w.loop.Sources = tool.NewSources(map[string]tool.Source{
		"many":   source(says("docs_read", "read"), says("issue_close", "closed"), says("secret_read", "a secret"), says("workspace_list", "an impostor")),
		"more":   source(says("docs_read", "another impostor")),
		"unused": source(says("unused", "nobody allows it")),
	})
	var offered, read []string
	w.model(func(_ context.Context, _ int, r model.Request) ([]model.Part, error) {
		if all := results(r); len(all) > 0 {
			for _, res := range all {
				read = append(read, res.Output)
			}
			return []model.Part{{Text: "done"}}, nil
		}
		for _, t := range r.Tools {
			offered = append(offered, t.Name)
		}
		var calls []model.Part
		for _, name := range []string{"docs_read", "workspace_list", "secret_read", "unused", "issue_close"} {
			calls = append(calls, call(name, name, "{}"))
		}
		return calls, nil
	})
	w.submit(session.Submission{Prompt: "go", OperationID: "op"})
	if end := w.run(); end != "park" {
		t.Fatal(end)
	}
	if _, err := w.service.Decide(t.Context(), stream, "op", "1.4", session.Answer{Decision: "approve"}); err != nil {
		t.Fatal(err)
	}
	if end := w.run(); end != "done" {
		t.Fatal(end)
	}
	if d := cmp.Diff([]string{"docs_read", "issue_close", "secret_read", "workspace_list"}, offered); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{
		"read", `{"files":[]}`, `{"error":{"code":"denied","message":"this agent may not do that; its policy forbids it"}}`,
		`{"error":{"code":"unknown_tool","message":"there is no tool \"unused\"; there are docs_read, issue_close, secret_read, workspace_list"}}`, "closed",
	}, read); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{`{"a":1}`, ""}, with); d != "" { // once each, though two drivers asked
		t.Error(d)
	}
}

// What a model is shown in part is read on by the name that stands there; what it is not
// shown has no name.
func TestALongOutputIsReadOn(t *testing.T) {
	w := newWorld(t)
	w.service.Agents = catalog(t, "[look, read_output]\nlimits: {compactAt: 60000, compactKeep: 20000}")
	w.loop.Tools = tool.Set{"look": reader(), "read_output": tool.All["read_output"]}
	name := regexp.MustCompile(`SHA-256 of the whole is ([0-9a-f]{64})`)
	w.model(func(_ context.Context, n int, r model.Request) ([]model.Part, error) {
		all := results(r)
		switch n {
		case 1:
			return []model.Part{call("c", "look", `{"bytes":400000}`)}, nil
		case 2:
			found := name.FindStringSubmatch(all[0].Output)
			if found == nil {
				t.Fatalf("the output that is shown in part has no name: %.300q…", all[0].Output)
			}
			on := func(sha string) model.Part {
				return call("r"+sha[:4], "read_output", fmt.Sprintf(`{"sha256":%q,"offset":399990,"max_bytes":100}`, sha))
			}
			return []model.Part{on(found[1]), on(strings.Repeat("0", 64))}, nil
		}
		all = all[len(all)-2:]
		if got := all[0].Output; !strings.Contains(got, `x ends"`) || !strings.Contains(got, `"bytes":400012`) {
			t.Errorf("read on: %s", got)
		}
		if got := all[1].Output; !strings.Contains(got, "not_found") {
			t.Errorf("of no name: %s", got)
		}
		return []model.Part{{Text: "done"}}, nil
	})
	w.submit(session.Submission{Prompt: "go", OperationID: "op"})
	if end := w.run(); end != "done" {
		t.Fatal(end)
	}
	if o, err := w.service.Operation(t.Context(), stream, "op"); err != nil || o.Output.Inline() != "done" {
		t.Errorf("%+v, %v\n%s", o, err, w.types())
	}
}

// An entry bounds its tools' calls, in time, number at once, attempts and in what the
// model is shown of them; another entry's run beside them.
func TestAnEntryBoundsItsCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.service.Agents = catalog(t, `[{name: narrow, maxConcurrency: 2, timeout: 4s, maxOutput: 1024}, {name: flaky, attempts: 3}, read_output]`)
		var now, most, tries atomic.Int32
		narrow := tool.Define(tool.Tool{Name: "narrow", Effect: tool.Read, Timeout: time.Hour}, func(struct{}) string { return "" },
			func(ctx context.Context, _ tool.Env, _ struct{}) (tool.Result, error) {
				most.Store(max(most.Load(), now.Add(1)))
				defer now.Add(-1)
				over := time.NewTimer(time.Second)
				defer over.Stop()
				select {
				case <-over.C:
				case <-ctx.Done():
				}
				end, _ := ctx.Deadline()
				return tool.Result{Output: time.Until(end).String() + strings.Repeat("x", 5000) + "end"}, nil
			})
		flaky := tool.Define(tool.Tool{Name: "flaky", Effect: tool.Idempotent, Timeout: time.Second}, func(struct{}) string { return "" },
			func(context.Context, tool.Env, struct{}) (tool.Result, error) {
				if tries.Add(1) < 3 {
					return tool.Result{}, tool.Failure{Code: "unreachable", Message: "m"}
				}
				return tool.Result{Output: "at last"}, nil
			})
		w.loop.Tools = tool.Set{"narrow": narrow, "flaky": flaky, "read_output": tool.All["read_output"]}
		var read []string
		w.model(func(_ context.Context, _ int, r model.Request) ([]model.Part, error) {
			if all := results(r); len(all) > 0 {
				for _, res := range all {
					read = append(read, res.Output)
				}
				return []model.Part{{Text: "done"}}, nil
			}
			calls := []model.Part{call("f", "flaky", "{}")}
			for i := range 7 {
				calls = append(calls, call(fmt.Sprint("c", i), "narrow", "{}"))
			}
			return calls, nil
		})
		began := time.Now()
		w.submit(session.Submission{Prompt: "go", OperationID: "op"})
		if end := w.run(); end != "done" || most.Load() != 2 || time.Since(began) != 4*time.Second || tries.Load() != 3 {
			t.Errorf("%s, %d at once, %d tries, after %s", end, most.Load(), tries.Load(), time.Since(began))
		}
		if len(read) != 8 || read[0] != "at last" {
			t.Fatalf("the model read %q", read)
		}
		for _, output := range read[1:] {
			if !strings.HasPrefix(output, "3s") || !strings.HasSuffix(output, "end") || len(output) > 1400 || !strings.Contains(output, "SHA-256") {
				t.Errorf("the model read %d bytes: %s", len(output), output)
			}
		}
	})
}
