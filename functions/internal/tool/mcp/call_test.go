package mcp

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"windlass/functions/internal/tool"
)

func TestACallOutlivesTheServersRestart(t *testing.T) {
	both(t, func(t *testing.T, f *fake) {
		tools := offered(t, f.open(t, all, &clock{}))
		for range 2 {
			if out, err := run(t, tools["shop_order"], `{}`); err != nil || !strings.Contains(out, `"n":1`) {
				t.Fatalf("%q, %v", out, err)
			}
			f.restart()
		}
	})
}

func TestACallOfALostSessionIsNotBegunTwice(t *testing.T) {
	f := start(t, true)
	tools := offered(t, f.open(t, all, &clock{}))
	f.restart()
	begun := 0
	f.AddReceivingMiddleware(func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, r sdk.Request) (sdk.Result, error) {
			if method == "tools/call" {
				begun++
			}
			return next(ctx, method, r)
		}
	})
	if _, err := run(t, tools["shop_order"], `{}`); err != nil || begun != 1 || f.called() != 2 { // the old session's was refused
		t.Errorf("%v after %d beginnings", err, begun)
	}
}

// answers gives calls a status and a body.
func answers(status int, kind, body string) func(http.ResponseWriter, *http.Request, string) bool {
	return func(w http.ResponseWriter, _ *http.Request, method string) bool {
		if method != "tools/call" {
			return false
		}
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
		return true
	}
}

func TestWhatBecomesOfACallWithoutAResult(t *testing.T) {
	for _, c := range []struct {
		name   string
		before func(http.ResponseWriter, *http.Request, string) bool
		// read and once are what a call of the class comes to.
		read, once string
	}{
		{"broken off", func(_ http.ResponseWriter, _ *http.Request, method string) bool {
			if method == "tools/call" {
				panic(http.ErrAbortHandler)
			}
			return false
		}, "broke_off", "unknown"},
		{"a stream that ends", answers(200, "text/event-stream", "event: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":1,\"progress\":1}}\n\n"), "broke_off", "unknown"},
		{"no JSON", answers(200, "application/json", "{"), "broke_off", "unknown"},
		{"a page", answers(200, "text/html", "<html>"), "broke_off", "unknown"},
		{"too large", answers(200, "application/json", `{"jsonrpc":"2.0","id":3,"result":"`+strings.Repeat("a", maxAnswer)), "broke_off", "unknown"},
		{"a gateway's", answers(502, "text/plain", "no"), "unavailable", "unknown"},
		{"overloaded", answers(503, "text/plain", "no"), "unavailable", "unknown"},
		{"in the server's own words", answers(400, "application/json", `{"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"bad `+token+`"}}`), "server_error", "server_error"},
		{"throttled", answers(429, "text/plain", "no"), "throttled", "throttled"},
		{"the secret is old", answers(401, "text/plain", "no"), "denied", "denied"},
		{"not found", answers(404, "text/plain", "no"), "refused", "refused"},
		{"moved", answers(307, "text/plain", "no"), "moved", "moved"},
	} {
		f := start(t, false)
		tools := offered(t, f.open(t, all, &clock{}))
		f.instead(c.before)
		for name, want := range map[string]string{"shop_echo": c.read, "shop_fail": c.once} {
			_, err := run(t, tools[name], map[string]string{"shop_echo": `{"text":"a"}`, "shop_fail": `{}`}[name])
			got := "unknown"
			if !errors.Is(err, tool.ErrUnknown) {
				got = code(t, err)
			}
			if n := f.called(); got != want || n != 1 || strings.Contains(err.Error(), token) {
				t.Errorf("%s: %s comes to %v after %d calls, want %s", c.name, name, err, n, want)
			}
		}
		f.instead(nil)
		if out, err := run(t, tools["shop_echo"], `{"text":"again"}`); err != nil || out != "again" {
			t.Errorf("%s: afterwards %q, %v", c.name, out, err)
		}
	}
}

func TestASlowToolIsLeft(t *testing.T) {
	both(t, func(t *testing.T, f *fake) {
		begun, over := make(chan struct{}, 2), make(chan struct{})
		t.Cleanup(func() { close(over) }) // a server without sessions hears of no end
		wait := func(ctx context.Context, _ *sdk.CallToolRequest, _ struct{}) (*sdk.CallToolResult, any, error) {
			begun <- struct{}{}
			select {
			case <-ctx.Done():
			case <-over:
			}
			return nil, nil, ctx.Err()
		}
		sdk.AddTool(f.Server, &sdk.Tool{Name: "wait"}, wait)
		sdk.AddTool(f.Server, &sdk.Tool{Name: "look"}, wait)
		tools := offered(t, f.open(t, `"tools":["*"],"effects":{"echo":"read","look":"read"}`, &clock{}))
		for _, name := range []string{"shop_wait", "shop_look"} {
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				<-begun
				cancel()
			}()
			_, err := tools[name].Run(ctx, tool.Env{}, `{}`)
			if name == "shop_wait" && !errors.Is(err, tool.ErrUnknown) || name == "shop_look" && code(t, err) != "cancelled" {
				t.Errorf("%s: %v", name, err)
			}
		}
		if out, err := run(t, tools["shop_echo"], `{"text":"after"}`); err != nil || out != "after" {
			t.Errorf("%q, %v", out, err)
		}
	})
}

func TestACallThatCannotBeSentIsAFailure(t *testing.T) {
	f := start(t, false)
	m := f.open(t, all, &clock{})
	tools := offered(t, m)
	m.servers[0].http.Transport.(*transport).secrets = nil
	if _, err := run(t, tools["shop_order"], `{}`); err == nil || code(t, err) != "secret_missing" || f.called() != 0 {
		t.Errorf("%v", err)
	}
}

func TestAServerThatAsksForInputIsToldNothing(t *testing.T) {
	f := start(t, false)
	f.AddTool(&sdk.Tool{Name: "ask", InputSchema: map[string]any{"type": "object"}}, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{"name": &sdk.ElicitParams{Message: "Who are you?"}}}, nil
	})
	tools := offered(t, f.open(t, all, &clock{}))
	if _, err := run(t, tools["shop_ask"], `{}`); err == nil || code(t, err) != "input_required" || f.called() != 1 {
		t.Errorf("%v", err)
	}
}
