package httpapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// A header that is valid is joined; one that is not is as none, and never an error.
func TestTraceparentIsJoinedOrIgnored(t *testing.T) {
	const traceID, spanID = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
	for name, c := range map[string]struct {
		header string
		joined bool
	}{
		"valid":            {"00-" + traceID + "-" + spanID + "-01", true},
		"a later version":  {"01-" + traceID + "-" + spanID + "-01-more", true},
		"none":             {"", false},
		"what is no trace": {"hello", false},
		"a trace of zeros": {"00-" + strings.Repeat("0", 32) + "-" + spanID + "-01", false},
		"sent twice":       {"00-" + traceID + "-" + spanID + "-01,00-" + traceID + "-" + spanID + "-01", false},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			headers := map[string]string{"traceparent": c.header}
			if c.header == "" {
				headers = nil
			}
			if r := w.do(request{method: "POST", path: operations, key: key, body: `{"prompt":"p","operationId":"a"}`, headers: headers}); r.status != http.StatusAccepted {
				t.Errorf("%d %s", r.status, r.body)
			}
			if r := w.post(operations+"/a/cancel", ""); r.status != http.StatusOK { // what is said now is an operation
				t.Errorf("%d %s", r.status, r.body)
			}
			if r := w.do(request{method: "POST", path: operations + "/a/steer", key: key, body: `{"text":"more","messageId":"b"}`, headers: headers}); r.status != http.StatusAccepted {
				t.Errorf("steer: %d %s", r.status, r.body)
			}
			if r := w.post(operations, `{"prompt":"p","operationId":"a"}`); r.status != http.StatusOK {
				t.Errorf("again, with no trace: %d %s", r.status, r.body)
			}
			for id, d := range accepted(t, w) {
				if joined := strings.HasPrefix(d.Traceparent, "00-"+traceID+"-") && d.ParentSpanID == spanID; joined != c.joined || len(d.Traceparent) != 55 {
					t.Errorf("%s: %+v", id, d)
				}
			}
		})
	}
}

type placed struct{ Traceparent, ParentSpanID string }

// accepted are the places of both operations in their traces.
func accepted(t *testing.T, w *world) map[string]placed {
	t.Helper()
	all := map[string]placed{}
	var page struct {
		Events []struct {
			Type, OperationID string
			Data              placed
		}
	}
	if err := json.Unmarshal([]byte(w.get("/v1/sessions/s/events", "").body), &page); err != nil {
		t.Fatal(err)
	}
	for _, e := range page.Events {
		if e.Type == "operation.accepted" {
			all[e.OperationID] = e.Data
		}
	}
	if len(all) != 2 {
		t.Fatal(fmt.Sprint(page))
	}
	return all
}
