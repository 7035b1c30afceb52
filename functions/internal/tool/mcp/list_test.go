package mcp

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
	"windlass/functions/internal/tool/mcp/config"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

func schemas(t *testing.T, m *Tools) (all []string) {
	t.Helper()
	found, err := m.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range found {
		all = append(all, one.Name+one.Description+string(one.Schema))
	}
	return all
}

func TestAListIsKeptAndThenAskedForAgain(t *testing.T) {
	both(t, func(t *testing.T, f *fake) {
		c := &clock{}
		m := f.open(t, all, c)
		first := schemas(t, m)
		sdk.AddTool(f.Server, &sdk.Tool{Name: "brand.new"}, func(context.Context, *sdk.CallToolRequest, struct{}) (*sdk.CallToolResult, any, error) {
			return nil, nil, nil
		})
		f.RemoveTools("fail")
		c.advance(config.DefaultKeepList - time.Nanosecond)
		if diff := cmp.Diff(first, schemas(t, m)); diff != "" {
			t.Error(diff)
		}
		c.advance(time.Nanosecond)
		if diff := cmp.Diff([]string{"mcp_status", "shop_brand_new", "shop_echo", "shop_order"}, names(t, m)); diff != "" {
			t.Error(diff)
		}
		if n := f.asked("tools/list"); n != 2 {
			t.Errorf("the server was asked %d times", n)
		}
	})
}

func TestAListOfManyPagesIsTheSameEveryTime(t *testing.T) {
	f := start(t, false)
	before := schemas(t, f.open(t, all, &clock{}))
	f.pageSize = 1
	f.restart()
	after := schemas(t, f.open(t, all, &clock{}))
	if diff := cmp.Diff(before, after); diff != "" || len(after) != 4 || f.asked("tools/list") != 4 {
		t.Errorf("%s after %d pages", diff, f.asked("tools/list"))
	}
}

func status(t *testing.T, m *Tools) serverStatus {
	t.Helper()
	out, err := run(t, offered(t, m)["mcp_status"], `{}`)
	if err != nil {
		t.Fatal(err)
	}
	var s struct{ Servers []serverStatus }
	if err := json.Unmarshal([]byte(out), &s); err != nil || len(s.Servers) != 1 {
		t.Fatalf("%s, %v", out, err)
	}
	return s.Servers[0]
}

// down answers everything with a status.
func down(status int) func(http.ResponseWriter, *http.Request, string) bool {
	return func(w http.ResponseWriter, _ *http.Request, _ string) bool {
		http.Error(w, "down", status)
		return true
	}
}

func TestAServerThatIsDownEndsNoTurn(t *testing.T) {
	both(t, func(t *testing.T, f *fake) {
		c := &clock{}
		m := f.open(t, all, c)
		f.instead(down(503))
		if diff := cmp.Diff([]string{"mcp_status"}, names(t, m)); diff != "" {
			t.Error(diff)
		}
		if s := status(t, m); s.Server != "shop" || s.Tools != 0 || !strings.HasPrefix(s.Problem, "unavailable: ") {
			t.Errorf("%+v", s)
		}
		f.instead(nil)
		if n := len(names(t, m)); n != 1 {
			t.Errorf("the server was asked again at once: %d tools", n)
		}
		c.advance(askAgain)
		if n := len(names(t, m)); n != 4 || status(t, m).Problem != "" {
			t.Errorf("%d tools, %+v", n, status(t, m))
		}
		known := schemas(t, m)
		f.instead(down(401))
		c.advance(config.DefaultKeepList)
		if diff := cmp.Diff(known, schemas(t, m)); diff != "" {
			t.Error(diff)
		}
		if s := status(t, m); s.Tools != 3 || !strings.HasPrefix(s.Problem, "denied: ") {
			t.Errorf("%+v", s)
		}
	})
}

func TestASecretThatIsMissingIsToldOf(t *testing.T) {
	f := start(t, false)
	m := f.open(t, strings.Replace(all, "TOKEN", "OTHER", 1), &clock{})
	if s := status(t, m); !strings.Contains(s.Problem, "OTHER") || f.asked("") != 0 {
		t.Errorf("%+v, %d", s, f.asked(""))
	}
}

func TestAListOutlivesTheServersRestart(t *testing.T) {
	both(t, func(t *testing.T, f *fake) {
		c := &clock{}
		m := f.open(t, all, c)
		first := schemas(t, m)
		f.restart()
		c.advance(config.DefaultKeepList)
		if diff := cmp.Diff(first, schemas(t, m)); diff != "" || status(t, m).Problem != "" {
			t.Errorf("%s %+v", diff, status(t, m))
		}
	})
}

func TestToolsThatCannotBeCalledAreLeftOut(t *testing.T) {
	f := start(t, false)
	f.AddReceivingMiddleware(func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, r sdk.Request) (sdk.Result, error) {
			res, err := next(ctx, method, r)
			if l, ok := res.(*sdk.ListToolsResult); ok {
				object := map[string]any{"type": "object"}
				changed := *l
				changed.Tools = append([]*sdk.Tool{
					{Name: "two.parts", InputSchema: object}, {Name: "two/parts", InputSchema: object},
					{Name: "no_object", InputSchema: map[string]any{"type": "string"}},
					{Name: "no_schema"},
					{Name: "torn", InputSchema: map[string]any{"type": "object", "properties": map[string]any{"a": map[string]any{"pattern": "("}}}},
					{Name: "abroad", InputSchema: map[string]any{"type": "object", "properties": map[string]any{"a": map[string]any{"$ref": "http://169.254.169.254/"}}}},
					{Name: "huge", InputSchema: map[string]any{"type": "object", "description": strings.Repeat("a", 40<<10)}},
					{Name: strings.Repeat("n", 100), InputSchema: object},
					{Name: "endless", InputSchema: map[string]any{"type": "object", "properties": map[string]any{"a": map[string]any{"$ref": "#/properties/a"}}}},
					{Name: "wordy", Description: strings.Repeat("é", 4000), InputSchema: object},
				}, l.Tools...)
				return &changed, err
			}
			return res, err
		}
	})
	m := f.open(t, all, &clock{})
	if diff := cmp.Diff([]string{"mcp_status", "shop_echo", "shop_endless", "shop_fail", "shop_order", "shop_wordy"}, names(t, m)); diff != "" {
		t.Error(diff)
	}
	var left []string
	for _, l := range status(t, m).LeftOut {
		if l.Why == "" || len(l.Why) > 210 {
			t.Errorf("%s: %q", l.Tool, l.Why)
		}
		left = append(left, l.Tool[:min(len(l.Tool), 10)])
	}
	if diff := cmp.Diff([]string{"abroad", "huge", "nnnnnnnnnn", "no_object", "no_schema", "torn", "two.parts", "two/parts"}, left); diff != "" {
		t.Error(diff)
	}
	if d := offered(t, m)["shop_wordy"].Description; len(d) > maxDescription+100 {
		t.Errorf("the description has %d bytes", len(d))
	}
	if _, err := run(t, offered(t, m)["shop_endless"], `{"a":1}`); code(t, err) != "server_error" {
		t.Errorf("%v", err)
	}
}

func TestAListThatHasNoEndIsLeft(t *testing.T) {
	f := start(t, false)
	f.instead(func(w http.ResponseWriter, _ *http.Request, method string) bool {
		if method != "tools/list" {
			return false
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"`+strings.Repeat("a", maxAnswer))
		return true
	})
	m := f.open(t, all, &clock{})
	if s := status(t, m); s.Tools != 0 || s.Problem == "" {
		t.Errorf("%+v", s)
	}
}
