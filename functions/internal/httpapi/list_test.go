package httpapi_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"windlass/functions/internal/fault"
)

// pages follows a list's cursors and returns the ids in it.
func (w *world) pages(path, limit string) (ids []string) {
	w.t.Helper()
	q := url.Values{"limit": {limit}}
	for {
		var p struct {
			Operations []struct{ OperationID string }
			Sessions   []struct{ SessionID string }
			NextCursor string
		}
		r := w.get(path, q.Encode())
		if err := json.Unmarshal([]byte(r.body), &p); err != nil || r.status != 200 {
			w.t.Fatalf("%d %s, %v", r.status, r.body, err)
		}
		for _, o := range p.Operations {
			ids = append(ids, o.OperationID)
		}
		for _, s := range p.Sessions {
			ids = append(ids, s.SessionID)
		}
		if p.NextCursor == "" {
			return ids
		}
		q.Set("cursor", p.NextCursor)
	}
}

func TestListsAreNewestFirst(t *testing.T) {
	w := newWorld(t)
	for i := range 5 {
		w.post(operations, fmt.Sprintf(`{"prompt":"%s","operationId":"op-%d"}`, strings.Repeat("é", 300), i))
		w.post(fmt.Sprintf("/v1/sessions/s%d/operations", i), `{"prompt":"p"}`)
	}
	for _, limit := range []string{"1", "2", "5", "200"} {
		if got := strings.Join(w.pages(operations, limit), " "); got != "op-4 op-3 op-2 op-1 op-0" {
			t.Errorf("operations by %s: %s", limit, got)
		}
		if got := strings.Join(w.pages("/v1/sessions", limit), " "); got != "s4 s3 s2 s1 s0 s" {
			t.Errorf("sessions by %s: %s", limit, got)
		}
	}
	r := w.get(operations, "")
	if strings.Contains(r.body, strings.Repeat("é", 201)) || !strings.Contains(r.body, strings.Repeat("é", 200)) || strings.Contains(r.body, `"output"`) {
		t.Errorf("%s", r.body)
	}
}

func TestACursorIsGoodForTheListThatGaveIt(t *testing.T) {
	w := newWorld(t)
	for i := range 3 {
		w.post(operations, fmt.Sprintf(`{"prompt":"p","operationId":"op-%d"}`, i))
		w.post("/v1/sessions/t/operations", fmt.Sprintf(`{"prompt":"p","operationId":"op-%d"}`, i))
		w.do(request{method: "POST", path: operations, key: otherKey, body: fmt.Sprintf(`{"prompt":"p","operationId":"op-%d"}`, i)})
	}
	var p struct{ NextCursor string }
	if err := json.Unmarshal([]byte(w.get(operations, "limit=1").body), &p); err != nil || p.NextCursor == "" {
		t.Fatal(p, err)
	}
	c := p.NextCursor
	if r := w.get(operations, "cursor="+c); r.status != 200 || strings.Contains(r.body, "op-2") {
		t.Errorf("%d %s", r.status, r.body)
	}
	for _, path := range []string{"/v1/sessions/t/operations", "/v1/sessions", "/v1/sessions/s/files"} {
		w.problem(w.get(path, "cursor="+c), fault.InvalidRequest)
	}
	w.problem(w.do(request{method: "GET", path: operations, query: "cursor=" + c, key: otherKey}), fault.InvalidRequest)
	for _, bad := range []string{"", "x", "c2" + c[2:], c + "=", c[:len(c)-20], strings.Repeat("c", 5000), "c1.", c + "&cursor=" + c, "%zz"} {
		w.problem(w.get(operations, "cursor="+bad), fault.InvalidRequest)
	}
	for _, bad := range []string{"0", "201", "-1", "x"} {
		w.problem(w.get(operations, "limit="+bad), fault.InvalidRequest)
		w.problem(w.get("/v1/sessions", "limit="+bad), fault.InvalidRequest)
	}
}
