package openapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"windlass/tests/client"
	"windlass/tests/providers"
)

// depot is an agent that orders at a server, which will report later. It returns what
// makes a stack know the agent, and the callback URL that the server is given.
func depot(t *testing.T) (env []string, told <-chan string) {
	t.Helper()
	urls := make(chan string, 8)
	tool := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		urls <- r.Header.Get("X-Callback-Url")
		w.WriteHeader(http.StatusAccepted)
	}))
	t.Cleanup(tool.Close)
	model := providers.Serve(t, providers.Chat, func(n int, _ []byte) providers.Answer {
		if n > 0 {
			return providers.Answer{Parts: []providers.Part{{Text: "it is on its way"}}}
		}
		arguments, _ := json.Marshal(map[string]string{"method": "PUT", "url": tool.URL + "/order"}) // strings
		return providers.Answer{Parts: []providers.Part{{Call: &providers.Call{ID: "a", Name: "http_idempotent", Arguments: string(arguments)}}}}
	})
	at, err := url.Parse(tool.URL)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	text := fmt.Sprintf(`
name: clerk
model: {provider: openai-compatible, name: local}
tools:
  - name: http
    with:
      allow: [{host: 127.0.0.1, private: true, http: true, ports: [%s], methods: {PUT: idempotent}, callback: {for: 1h}}]
`, at.Port())
	if err := os.WriteFile(filepath.Join(dir, "clerk.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return []string{"WINDLASS_AGENTS=" + dir, "OPENAI_COMPATIBLE_BASE_URL=" + model.URL + "/v1"}, urls
}

// callbacks reports what became of a call.
func (c *contract) callbacks(t *testing.T) {
	const session = "/v1/sessions/orders"
	c.do(t, try{method: "POST", path: session + "/operations", body: `{"operationId":"op","agent":"clerk","prompt":"order"}`, status: 202})
	var path string
	select {
	case at := <-c.told:
		path = strings.TrimPrefix(at, c.URL)
	case <-c.ctx.Done():
		t.Fatal("the server was asked for nothing")
	}
	post := func(name, body string, status int, forbidden bool) {
		t.Helper()
		c.do(t, try{name: name, method: "POST", path: path, body: body, status: status, forbidden: forbidden, noKey: true})
	}
	post("neither", `{}`, 400, true)
	post("both", `{"output":1,"error":{"message":"x"}}`, 400, true)
	post("no message", `{"error":{"code":"x"}}`, 400, true)
	post("unknown member", `{"output":1,"more":2}`, 400, true)
	post("over 1 MiB", `{"output":"`+strings.Repeat("x", 1<<20)+`"}`, 413, false)
	post("", `{"output":{"shipment":"s-1"}}`, 200, false)
	post("again", `{"output":{"shipment":"s-1"}}`, 200, false)
	post("otherwise", `{"error":{"message":"none are left"}}`, 409, false)
	a := c.do(t, try{method: "GET", path: session + "/operations/op?wait=20", status: 200})
	if o := read[client.Operation](t, a); o.Status != "completed" {
		t.Errorf("%s", a.Body)
	}
	c.do(t, try{method: "DELETE", path: session, status: 204})
	post("of a deleted session", `{"output":1}`, 410, false)
}
