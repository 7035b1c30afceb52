package tool_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"windlass/eventstore/event"
	"windlass/functions/internal/tool"
	"windlass/functions/internal/workspace"
)

func code(err error) string {
	var f tool.Failure
	if err != nil && !errors.As(err, &f) {
		return fmt.Sprintf("%T is no Failure", err)
	}
	return f.Code
}

func env() tool.Env {
	return tool.Env{Workspace: workspace.NewView(&workspace.Tree{}), Values: inline{}}
}

func TestArgumentsAreCheckedBeforeACallBegins(t *testing.T) {
	for _, c := range []struct {
		tool, arguments string
		ok              bool
	}{
		{"workspace_read", `{"path":"/a"}`, true},
		{"workspace_read", " {\"path\":\"/a\",\"offset\":3,\"max_bytes\":9} \n", true},
		{"workspace_read", `{"path":"a\u0000b"}`, true}, // its run says what is wrong
		{"workspace_list", `{}`, true},
		{"workspace_write", `{"path":"/a","content":""}`, true},
		{"workspace_read", ``, false},
		{"workspace_read", `null`, false},
		{"workspace_read", `"/a"`, false},
		{"workspace_read", `[1]`, false},
		{"workspace_read", `{"{"a":`, false},
		{"workspace_read", `{"path":"/a"`, false},
		{"workspace_read", `{"path":"/a"}}`, false},
		{"workspace_read", `{"path":"/a"}]`, false},
		{"workspace_read", `{"path":"/a"} {"path":"/b"}`, false},
		{"workspace_read", `{"path":"/a"} and so on`, false},
		{"workspace_read", `{}`, false},
		{"workspace_read", `{"path":null}`, false},
		{"workspace_read", `{"path":7}`, false},
		{"workspace_read", `{"Path":"/a"}`, false},
		{"workspace_read", `{"path":"/a","mode":"r"}`, false},
		{"workspace_read", `{"path":"/a","offset":"3"}`, false},
		{"workspace_read", `{"path":"/a","offset":1.5}`, false},
		{"workspace_read", `{"path":"/a","offset":1e3}`, false}, // would be read as 0
		{"workspace_read", `{"path":"/a","offset":9223372036854775808}`, false},
		{"workspace_read", `{"path":"/a","offset":1e400}`, false},
		{"workspace_write", `{"path":"/a"}`, false},
		{"workspace_read", `{"path":"/a","path":"/b"}`, false}, // readers take one or the other
		{"workspace_read", `{"path":"/a","p\u0061th":"/b"}`, false},
		{"workspace_read", "{\"path\":\"/\xff\"}", false},
		{"workspace_write", `{"path":"/a","content":"\ud83d"}`, false}, // would be written as another character
		{"workspace_write", `{"path":"/a","content":"\ud83e\udd80 \uFFFD"}`, true},
		{"workspace_write", `{"path":"/a","content":"` + "\ufffd" + `"}`, true},
		{"workspace_read", `{"path":` + strings.Repeat("[", tool.MaxDepth) + strings.Repeat("]", tool.MaxDepth) + `}`, false},
		{"workspace_read", strings.Repeat(`{"path":`, 1_000_000), false},
		{"workspace_read", strings.Repeat(`[`, 8_000_000), false},
		{"workspace_edit", `{"path":"/a","old":"a","new":"b","replace_all":"true"}`, false},
		{"workspace_search", `{"pattern":"a","max_matches":1e99}`, false},
		{"apply_patch", `{"patch":["*** Begin Patch"]}`, false},
		{"apply_patch", `{"input":"*** Begin Patch"}`, false},
		{"read_output", `{"sha256":null}`, false},
		{"workspace_move", `{"from":"/a"}`, false},
		{"workspace_delete", `{"path":"/a","recursive":1}`, false},
		{"workspace_write", `{"path":"/a","content":["a"]}`, false},
		{"workspace_write", `{"path":"/a","content":"` + strings.Repeat("c", tool.MaxArguments) + `"}`, false},
	} {
		_, err := tool.All.Find(c.tool, c.arguments)
		if c.ok != (err == nil) || err != nil && code(err) != "invalid_arguments" {
			t.Errorf("%s %.60s: %v, want fine: %t", c.tool, c.arguments, err, c.ok)
		}
		if err != nil && len(err.Error()) > 5000 {
			t.Errorf("%s %.60s: %d bytes of error", c.tool, c.arguments, len(err.Error()))
		}
	}
}

func TestNestingIsBoundedNotForbidden(t *testing.T) {
	x := tool.Define(tool.Tool{Name: "x", Timeout: time.Second}, func(map[string]any) string { return "" },
		func(context.Context, tool.Env, map[string]any) (tool.Result, error) { return tool.Result{}, nil })
	for depth, want := range map[int]string{tool.MaxDepth: "", tool.MaxDepth + 1: "invalid_arguments"} {
		for _, unit := range []string{`{"a":`, `{"b":1,"a":`} {
			if _, err := x.Read(strings.Repeat(unit, depth) + "1" + strings.Repeat("}", depth)); code(err) != want {
				t.Errorf("%d deep: %v, want %q", depth, err, want)
			}
		}
	}
	if _, err := x.Read(`{"a":[{"k":1},{"k":2}],"k":{"k":"k"},"b":["k","k"]}`); err != nil {
		t.Errorf("the same key in several objects: %v", err)
	}
}

func TestToolsThatAreNotThere(t *testing.T) {
	some := tool.All.Only([]string{"workspace_list", "of_a_later_build", "workspace_read"})
	if got := some.Names(); !slices.Equal(got, []string{"workspace_list", "workspace_read"}) {
		t.Errorf("%v", got)
	}
	for _, name := range []string{"workspace_write", "of_a_later_build", ""} {
		if _, err := some.Find(name, `{}`); code(err) != "unknown_tool" || !strings.Contains(err.Error(), "workspace_list, workspace_read") {
			t.Errorf("%q: %v; want the names of those there are", name, err)
		}
	}
}

func TestEveryToolSaysWhatAModelAndTheTurnNeed(t *testing.T) {
	for _, name := range tool.All.Names() {
		x := tool.All[name]
		var schema struct {
			Type                 string
			Properties           map[string]struct{ Description string }
			AdditionalProperties json.RawMessage
		}
		if err := json.Unmarshal(x.Schema, &schema); err != nil || schema.Type != "object" || len(schema.AdditionalProperties) == 0 {
			t.Errorf("%s: schema %s, %v; want a closed object", name, x.Schema, err)
		}
		for p, s := range schema.Properties {
			if s.Description == "" {
				t.Errorf("%s: %s has no description", name, p)
			}
		}
		if x.Name != name || len(x.Description) < 40 || x.Timeout <= 0 || x.Effect != tool.Read && x.Effect != tool.Idempotent {
			t.Errorf("%s: %+v", name, x)
		}
	}
}

func TestTargetIsTheSameForEverySpellingOfAPath(t *testing.T) {
	target := func(name, arguments string) string { return asked(t, tool.All[name], arguments).Target() }
	a, b := target("workspace_read", `{"path":"a/b.txt"}`), target("workspace_write", `{"content":"x","path":"\u002fa/b.txt"}`)
	if a == "" || a != b || a == target("workspace_read", `{"path":"/a/c.txt"}`) {
		t.Errorf("%q and %q", a, b)
	}
	if edit := target("workspace_edit", `{"path":"a/b.txt","old":"a","new":"b"}`); edit != a {
		t.Errorf("edit works on %q", edit)
	}
	for name, arguments := range map[string]string{
		"workspace_list": `{}`, "workspace_search": `{"pattern":"a"}`, "workspace_move": `{"from":"/a","to":"/b"}`,
		"workspace_delete": `{"path":"/a"}`, "apply_patch": `{"patch":""}`,
	} {
		if got := target(name, arguments); got != tool.EveryFile {
			t.Errorf("%s works on %q", name, got)
		}
	}
	if got := target("workspace_read", `{"path":"/*"}`); got == tool.EveryFile {
		t.Error("a file's name is taken for all files")
	}
	if got := target("workspace_read", `{"path":".."}`); got != "" {
		t.Errorf("a path that cannot be: %q", got)
	}
}

// asked is a call that fits its tool.
func asked(t testing.TB, x *tool.Tool, arguments string) tool.Call {
	t.Helper()
	c, err := x.Read(arguments)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

type none struct{}

// write changes a file, and says more than can be kept.
func write(context.Context, tool.Env, none) (tool.Result, error) {
	return tool.Result{Output: strings.Repeat("o", tool.MaxOutput+1), Files: []event.Payload{workspace.NewFile("/a", "a", event.Text("a"))}}, nil
}

func define(run func(context.Context) (tool.Result, error)) *tool.Tool {
	return tool.Define(tool.Tool{Name: "x", Effect: tool.Read, Timeout: time.Minute}, func(none) string { return "" },
		func(ctx context.Context, _ tool.Env, _ none) (tool.Result, error) { return run(ctx) })
}

func TestWhateverGoesWrongIsAFailureThatTheModelReads(t *testing.T) {
	const cause = "secret cause"
	for name, c := range map[string]struct {
		run    func(context.Context) (tool.Result, error)
		want   string
		logged bool
	}{
		"a panic": {func(context.Context) (tool.Result, error) { panic(cause) }, "internal", true},
		"an index out of range": {func(context.Context) (tool.Result, error) {
			return tool.Result{Output: []string{cause}[len(cause)]}, nil
		}, "internal", true},
		"any error": {func(context.Context) (tool.Result, error) { return tool.Result{}, errors.New(cause) }, "internal", true},
		"a failure": {func(context.Context) (tool.Result, error) {
			return tool.Result{}, fmt.Errorf("x: %w", tool.Failure{Code: "not_there"})
		}, "not_there", false},
		"too long a time": {func(ctx context.Context) (tool.Result, error) { <-ctx.Done(); return tool.Result{}, ctx.Err() }, "timeout", false},
		"too much output": {func(context.Context) (tool.Result, error) {
			return tool.Result{Output: strings.Repeat("o", tool.MaxOutput+1)}, nil
		}, "too_large", false},
		"nothing goes wrong": {func(context.Context) (tool.Result, error) {
			return tool.Result{Output: strings.Repeat("o", tool.MaxOutput)}, nil
		}, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			logs := &bytes.Buffer{}
			before := slog.Default()
			slog.SetDefault(slog.New(slog.NewTextHandler(logs, nil)))
			defer slog.SetDefault(before)
			synctest.Test(t, func(t *testing.T) {
				r, err := define(c.run).Run(t.Context(), env(), `{}`)
				if code(err) != c.want || err != nil && (r.Output != "" || strings.Contains(err.Error(), cause)) {
					t.Errorf("%.40q, %v; want code %q and no cause", r.Output, err, c.want)
				}
			})
			if (logs.Len() > 0) != c.logged {
				t.Errorf("logged: %s", logs)
			}
		})
	}
}

// Arguments that pass the check are the arguments that the tool gets.
func FuzzCheck(f *testing.F) {
	for _, s := range []string{`{}`, `{"path":"/a"}`, `{"path":"/a"}]`, `{"path":"/a","offset":1e3}`, `{"path":"/a","path":"/b"}`, `null`, `{"{"a":`, "{\"path\":\"\xff\"}", `{"path":"/a","content":"c"}`,
		`{"patch":"*** Begin Patch\n*** Add File: a\n+x\n*** End Patch"}`, `{"pattern":"(a|b)+","glob":"[a-c]*"}`, `{"from":"/a","to":"/b"}`, `{"path":"/a","old":"a","new":"b"}`, `{"sha256":"00"}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, arguments string) {
		for _, name := range tool.All.Names() {
			x, err := tool.All.Find(name, arguments)
			if err != nil {
				if code(err) != "invalid_arguments" {
					t.Fatalf("%s %q: %v", name, arguments, err)
				}
				continue
			}
			if err := json.Unmarshal([]byte(arguments), &struct {
				Offset   int64
				MaxBytes int64 `json:"max_bytes"`
				Path     string
			}{}); err != nil {
				t.Fatalf("%s %q passed the check: %v", name, arguments, err)
			}
			r, err := x.Run(t.Context(), env())
			if c := code(err); c == "internal" || c == "timeout" || !utf8.ValidString(r.Output) || err == nil && !json.Valid([]byte(r.Output)) {
				t.Fatalf("%s %q: %q, %v", name, arguments, r.Output, err)
			}
		}
	})
}
