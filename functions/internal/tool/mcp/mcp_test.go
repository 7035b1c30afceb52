package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"windlass/functions/internal/tool"
	"windlass/functions/internal/tool/outside"
)

const token = "s3cret-token"

// fake is a real MCP server that a test can restart, break and look into.
type fake struct {
	*sdk.Server
	url string
	// old: the server knows no protocol without sessions.
	old bool
	// pageSize bounds a page of its list; 0 for the SDK's.
	pageSize int

	mu      sync.Mutex
	handler http.Handler
	before  func(w http.ResponseWriter, r *http.Request, method string) bool
	// calls counts the requests by their method, and all of them as "".
	calls map[string]int
	auth  string
}

// start starts a server with the tools echo, order, fail and wait.
func start(t *testing.T, old bool) *fake {
	t.Helper()
	f := &fake{old: old, calls: map[string]int{}}
	f.restart()
	s := httptest.NewServer(f)
	t.Cleanup(s.Close)
	f.url = s.URL
	return f
}

// restart makes a new server that knows nothing of the old one's sessions.
func (f *fake) restart() {
	s := sdk.NewServer(&sdk.Implementation{Name: "fake", Version: "1"}, &sdk.ServerOptions{PageSize: f.pageSize})
	sdk.AddTool(s, &sdk.Tool{Name: "echo", Description: "Says it again.\x1b[2J", Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true}},
		func(_ context.Context, _ *sdk.CallToolRequest, a struct {
			Text string `json:"text"`
		}) (*sdk.CallToolResult, any, error) {
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: a.Text}}}, nil, nil
		})
	sdk.AddTool(s, &sdk.Tool{Name: "order", Annotations: &sdk.ToolAnnotations{IdempotentHint: true}},
		func(context.Context, *sdk.CallToolRequest, struct{}) (*sdk.CallToolResult, map[string]any, error) {
			return nil, map[string]any{"n": 1, "token": token}, nil
		})
	sdk.AddTool(s, &sdk.Tool{Name: "fail"}, func(context.Context, *sdk.CallToolRequest, struct{}) (*sdk.CallToolResult, any, error) {
		return nil, nil, errors.New("no such order")
	})
	f.mu.Lock()
	defer f.mu.Unlock()
	f.Server = s
	f.handler = sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, &sdk.StreamableHTTPOptions{Stateless: !f.old})
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	var message struct {
		Method string `json:"method"`
	}
	_ = json.Unmarshal(body, &message)
	f.mu.Lock()
	f.calls[message.Method]++
	f.calls[""]++
	f.auth = r.Header.Get("Authorization")
	handler, before := f.handler, f.before
	f.mu.Unlock()
	if f.old && message.Method == "server/discover" {
		http.Error(w, "no session", http.StatusBadRequest)
		return
	}
	if before != nil && before(w, r, message.Method) {
		return
	}
	handler.ServeHTTP(w, r)
}

// instead answers in the server's place from now on, where it returns true.
func (f *fake) instead(before func(w http.ResponseWriter, r *http.Request, method string) bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.before = before
}

// asked is how often something was asked for, "" for anything.
func (f *fake) asked(method string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.calls[method]
}

func (f *fake) authorization() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.auth
}

// called is how often tools were called since it was last asked.
func (f *fake) called() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := f.calls["tools/call"]
	f.calls["tools/call"] = 0
	return n
}

// clock stands until it is moved.
type clock struct{ ns atomic.Int64 }

func (c *clock) now() time.Time          { return time.Unix(1_800_000_000, c.ns.Load()) }
func (c *clock) advance(d time.Duration) { c.ns.Add(int64(d)) }

func secrets(_ context.Context, name string) (string, error) {
	if name == "TOKEN" {
		return token, nil
	}
	return "", errors.New("no such secret")
}

// open configures the server with the rest of its configuration.
func (f *fake) open(t *testing.T, rest string, c *clock) *Tools {
	t.Helper()
	made, err := New(json.RawMessage(`{"servers":[{"name":"shop","internal":true,"url":"`+f.url+`",`+rest+`}]}`), Options{Secrets: secrets, Now: c.now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(made.Close)
	return made
}

const all = `"tools":["*"],"effects":{"echo":"read"},"headers":{"Authorization":{"secret":"TOKEN","prefix":"Bearer "}}`

func offered(t *testing.T, m *Tools) map[string]*tool.Tool {
	t.Helper()
	found, err := m.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]*tool.Tool{}
	for _, one := range found {
		byName[one.Name] = one
	}
	return byName
}

func names(t *testing.T, m *Tools) (all []string) {
	t.Helper()
	found, err := m.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range found {
		all = append(all, one.Name)
	}
	return all
}

func run(t *testing.T, one *tool.Tool, arguments string) (string, error) {
	t.Helper()
	if one == nil {
		t.Fatal("there is no such tool")
	}
	if _, err := one.Read(arguments); err != nil {
		t.Fatal(err)
	}
	r, err := one.Run(t.Context(), tool.Env{}, arguments)
	return r.Output, err
}

func code(t *testing.T, err error) string {
	t.Helper()
	var f tool.Failure
	if !errors.As(err, &f) {
		t.Fatalf("%v is no Failure", err)
	}
	return f.Code
}

// both runs a test with a server of today's protocol and with one that has sessions.
func both(t *testing.T, test func(*testing.T, *fake)) {
	for name, old := range map[string]bool{"without sessions": false, "with sessions": true} {
		t.Run(name, func(t *testing.T) { test(t, start(t, old)) })
	}
}

func TestTheNewestProtocolThatAServerKnowsIsSpoken(t *testing.T) {
	for old, want := range map[bool]string{false: "2026-07-28", true: "2025-11-25"} {
		m := start(t, old).open(t, all, &clock{})
		offered(t, m)
		if s := m.servers[0].current(); s.InitializeResult().ProtocolVersion != want || (s.ID() != "") != old {
			t.Errorf("%s is spoken, in session %q; want %s", s.InitializeResult().ProtocolVersion, s.ID(), want)
		}
	}
}

func TestAServersToolsAreOffered(t *testing.T) {
	both(t, func(t *testing.T, f *fake) {
		m := f.open(t, all, &clock{})
		if diff := cmp.Diff([]string{"mcp_status", "shop_echo", "shop_fail", "shop_order"}, names(t, m)); diff != "" {
			t.Error(diff)
		}
		tools := offered(t, m)
		echo := tools["shop_echo"]
		if echo.Effect != tool.Read || tools["shop_order"].Effect != tool.Once || tools["shop_fail"].Effect != tool.Once {
			t.Errorf("the effects are %s, %s, %s", echo.Effect, tools["shop_order"].Effect, tools["shop_fail"].Effect)
		}
		if echo.Description != "From the MCP server shop, in its own words: Says it again.[2J" {
			t.Errorf("%q", echo.Description)
		}
		if want := `{"additionalProperties":false,"properties":{"text":{"type":"string"}},"required":["text"],"type":"object"}`; string(echo.Schema) != want {
			t.Errorf("%s", echo.Schema)
		}
		for x, want := range map[*tool.Tool]string{echo: "", tools["shop_order"]: "mcp:shop"} {
			if c, err := x.Read("{}"); err != nil || c.Target() != want {
				t.Errorf("%s works on %q, %v; want %q", x.Name, c.Target(), err, want)
			}
		}
	})
}

func TestAToolIsCalled(t *testing.T) {
	both(t, func(t *testing.T, f *fake) {
		tools := offered(t, f.open(t, all, &clock{}))
		if out, err := run(t, tools["shop_echo"], `{"text":"<hello> `+token+`"}`); err != nil || out != "<hello> [secret]" {
			t.Errorf("%q, %v", out, err)
		}
		if out, err := run(t, tools["shop_order"], `{}`); err != nil || out != `{"n":1,"token":"[secret]"}` {
			t.Errorf("%q, %v", out, err)
		}
		if _, err := run(t, tools["shop_fail"], `{}`); err == nil || code(t, err) != "tool_failed" || !strings.Contains(err.Error(), "no such order") {
			t.Errorf("%v", err)
		}
		if n := f.called(); n != 3 || f.authorization() != "Bearer "+token {
			t.Errorf("%d calls with %q", n, f.authorization())
		}
		if _, err := run(t, tools["shop_echo"], `{"text":1}`); err == nil || code(t, err) != "invalid_arguments" || f.called() != 0 {
			t.Errorf("%v", err)
		}
	})
}

func TestCallsShareASession(t *testing.T) {
	both(t, func(t *testing.T, f *fake) {
		echo := offered(t, f.open(t, all, &clock{}))["shop_echo"]
		var wait sync.WaitGroup
		for i := range 8 {
			wait.Go(func() {
				text := strings.Repeat("a", i+1)
				if r, err := echo.Run(t.Context(), tool.Env{}, `{"text":"`+text+`"}`); err != nil || r.Output != text {
					t.Errorf("%q, %v", r.Output, err)
				}
			})
		}
		wait.Wait()
		if n := f.called(); n != 8 || f.asked("tools/list") != 1 {
			t.Errorf("%d calls and %d lists", n, f.asked("tools/list"))
		}
	})
}

func TestAnnotationsCountWhereAServerIsTrusted(t *testing.T) {
	f := start(t, false)
	tools := offered(t, f.open(t, `"tools":["*"],"trustAnnotations":true,"effects":{"fail":"read"}`, &clock{}))
	for name, want := range map[string]tool.Effect{"shop_echo": tool.Read, "shop_order": tool.Idempotent, "shop_fail": tool.Read} {
		if tools[name].Effect != want {
			t.Errorf("%s is %s", name, tools[name].Effect)
		}
	}
}

func TestOnlyWhatIsNamedIsOffered(t *testing.T) {
	f := start(t, false)
	if diff := cmp.Diff([]string{"mcp_status", "shop_echo", "shop_fail"}, names(t, f.open(t, `"tools":["echo","f*"]`, &clock{}))); diff != "" {
		t.Error(diff)
	}
}

func TestAServerOfThePrivateNetworkIsDeniedUnlessItIsInternal(t *testing.T) {
	f := start(t, false)
	at := strings.Replace(f.url, "http://", "https://", 1)
	m, err := New(json.RawMessage(`{"servers":[{"name":"shop","url":"`+at+`","tools":["*"]}]}`), Options{Network: outside.Network{Internal: true}})
	if err != nil {
		t.Fatal(err)
	}
	tools := offered(t, m)
	out, err := run(t, tools["mcp_status"], `{}`)
	if err != nil || len(tools) != 1 || !strings.Contains(out, "denied_address") || f.asked("") != 0 {
		t.Errorf("%s, %v; %d", out, err, f.asked(""))
	}
}

func TestAConfigurationSaysWhatIsWrongWithIt(t *testing.T) {
	for server, want := range map[string]string{
		``:                                       "0 servers",
		`{"name":"a","url":"https://a.example"}`: "tools",
		`{"name":"a","url":"http://a.example","tools":["*"]}`:                                                       "internal",
		`{"name":"a","url":"https://u:p@a.example","tools":["*"]}`:                                                  "password",
		`{"name":"a","url":"https://0x7f.1","tools":["*"]}`:                                                         "IP address",
		`{"name":"a","url":"file:///x","tools":["*"]}`:                                                              "absolute",
		`{"name":"a b","url":"https://a.example","tools":["*"]}`:                                                    "the name",
		`{"name":"a_b","url":"https://a.example","tools":["*"]}`:                                                    "the name",
		`{"name":"mcp","url":"https://a.example","tools":["*"]}`:                                                    "other tools",
		`{"name":"a","url":"https://a.example","tools":["["]}`:                                                      "glob",
		`{"name":"a","url":"https://a.example","tools":["*"],"effects":{"b":"twice"}}`:                              `"twice"`,
		`{"name":"a","url":"https://a.example","tools":["*"],"timeout":"1h"}`:                                       "timeout",
		`{"name":"a","url":"https://a.example","tools":["*"],"keepList":"1ms"}`:                                     "keepList",
		`{"name":"a","url":"https://a.example","tools":["*"],"token":"x"}`:                                          "unknown field",
		`{"name":"a","url":"https://a.example","tools":["*"],"headers":{"Authorization":{"value":"x"}}}`:            "secret",
		`{"name":"a","url":"https://a.example","tools":["*"]},{"name":"a","url":"https://b.example","tools":["*"]}`: "twice",
	} {
		if _, err := New(json.RawMessage(`{"servers":[`+server+`]}`), Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want something of %s", server, err, want)
		}
	}
}
