package tools

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"windlass/tests/embedded"
	"windlass/tests/providers"
)

// mcpAgent may call tools of a server at a URL.
func mcpAgent(name, url, effects string) string {
	return fmt.Sprintf("\ntools:\n  - name: mcp\n    with: {servers: [{name: %s, url: %q, internal: true, tools: ['*'], timeout: 2s, effects: %s}]}\n", name, url, effects)
}

// steps asks for one round of calls after the other, and then says what they came to.
func steps(rounds ...[]providers.Part) func(asked) providers.Answer {
	return func(a asked) providers.Answer {
		n := len(a.results)
		for _, calls := range rounds {
			if n < len(calls) {
				return ask(calls...)
			}
			n -= len(calls)
		}
		return say(strings.Join(a.results, "\n---\n"))
	}
}

type object map[string]any

// Every kind of tool that the SDK's own server has: what it asks of its client is refused,
// and the turn goes on.
func TestAnOfficialMCPServer(t *testing.T) {
	t.Parallel()
	ctx := patience(t)
	server := newExample(t, "everything")
	server.start(ctx)
	who := object{"name": "Ada"}
	var tools []string
	answer := steps(
		[]providers.Part{call("c0", "all_greet", who), call("c1", "all_greet__structured_", who), call("c2", "all_greet__content_with_ResourceLink_", who)},
		[]providers.Part{call("c0", "all_ping", object{}), call("c1", "all_sample", object{}), call("c2", "all_elicit__form_", object{}), call("c3", "all_roots", object{}), call("c4", "all_greet", object{"nobody": 1})},
	)
	stack := embedded.Start(t, folder(t, map[string]string{"guest": mcpAgent("all", "http://"+server.addr+"/", "{greet: read}")}), model(t, func(a asked) providers.Answer {
		tools = a.tools
		return answer(a)
	}))
	submit(ctx, t, stack, "s", "guest", "greet")
	parts := strings.Split(*settled(ctx, t, stack, "s").Output, "\n---\n")
	for i, want := range []string{"Hi Ada", `{"message":"Hi Ada"}`, "[a resource: data:text/plain,Hi%20Ada, greeting]", "", "tool_failed", "tool_failed", "", "invalid_arguments"} {
		if len(parts) != 8 || !strings.Contains(parts[i], want) {
			t.Errorf("result %d is %q, want %q", i, parts, want)
			break
		}
	}
	if !slices.Contains(tools, "mcp_status") || !slices.Contains(tools, "all_greet__with_Icons_") {
		t.Errorf("the model is shown %v", tools)
	}
	verified(ctx, t, stack, "s")
}

// The process is killed in calls of a real server: one that reads is made again, one that
// writes is not, and a person says what the server had done by then.
func TestAnOfficialMCPServerThroughKills(t *testing.T) {
	t.Parallel()
	ctx := patience(t)
	server := newExample(t, "memory")
	server.start(ctx)
	tap := newTap(t, server.addr)
	tap.plans["create_entities"], tap.plans["read_graph"] = after, before
	entity := object{"entities": []object{{"name": "Ada", "entityType": "person", "observations": []string{"wrote the first program"}}}}
	answer := steps([]providers.Part{call("c0", "kb_create_entities", entity)}, []providers.Part{call("c0", "kb_read_graph", object{})})
	stack := embedded.Start(t, folder(t, map[string]string{"guest": mcpAgent("kb", tap.URL, "{read_graph: read}")}), model(t, answer))
	submit(ctx, t, stack, "s", "guest", "remember")
	tap.kill(ctx, t, stack)
	o, err := stack.Client().Waiting(ctx, "s", "op")
	if err != nil || len(o.Approvals) != 1 || o.Approvals[0].Tool != "kb_create_entities" || o.Approvals[0].Reason != "unknown_outcome" || tap.called("create_entities") != 1 {
		t.Fatalf("%+v, %v; called %d times", o, err, tap.called("create_entities"))
	}
	path := "/v1/sessions/s/operations/op/reconcile/" + o.Approvals[0].Step
	if _, err := stack.Client().Do(ctx, http.MethodPost, path, object{"outcome": "happened", "result": "it is there"}, nil); err != nil {
		t.Fatal(err)
	}
	tap.kill(ctx, t, stack)
	out := *settled(ctx, t, stack, "s").Output
	if !strings.Contains(out, "it is there") || strings.Count(out, "wrote the first program") == 0 || tap.called("create_entities") != 1 || tap.called("read_graph") != 2 {
		t.Errorf("%s\ncalled %v", out, tap.calls)
	}
	if n := count(verified(ctx, t, stack, "s"), "tool.unknown"); n != 1 {
		t.Errorf("%d calls are unknown", n)
	}
}

// A server that is down ends no turn: its tools are not there, and mcp_status says why. One
// that goes away in the middle is a failure that the model reads. Once it is back, so are
// its tools.
func TestAnMCPServerThatIsDown(t *testing.T) {
	t.Parallel()
	ctx := patience(t)
	server := newExample(t, "everything")
	var tools [][]string
	stack := embedded.Start(t, folder(t, map[string]string{"guest": mcpAgent("all", "http://"+server.addr+"/", "{greet: read}")}), model(t, func(a asked) providers.Answer {
		tools = append(tools, a.tools)
		switch {
		case len(a.results) > 0:
			return say(a.results[0])
		case a.prompt == "look":
			return ask(call("c0", "mcp_status", object{}))
		case a.prompt == "greet after it went":
			server.stop()
		}
		return ask(call("c0", "all_greet", object{"name": "Ada"}))
	}))
	for _, turn := range []struct {
		session, prompt, want string
		shown                 bool
		before                func()
	}{
		{"down", "look", `"problem":"unreachable: `, false, func() {}},
		{"up", "greet", "Hi Ada", true, func() { server.start(ctx); stack.Kill(); stack.Restart() }}, // a server that was down is left in peace for a while
		{"going", "greet after it went", "unreachable", true, func() {}},
	} {
		turn.before()
		submit(ctx, t, stack, turn.session, "guest", turn.prompt)
		if out := *settled(ctx, t, stack, turn.session).Output; !strings.Contains(out, turn.want) {
			t.Errorf("%s: %s, want %q", turn.session, out, turn.want)
		}
		if last := tools[len(tools)-1]; slices.Contains(last, "all_greet") != turn.shown || !slices.Contains(last, "mcp_status") {
			t.Errorf("%s: the model is shown %v", turn.session, last)
		}
		verified(ctx, t, stack, turn.session)
	}
}
