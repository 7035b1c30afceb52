package httpapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"windlass/functions/internal/fault"
)

var nextLink = regexp.MustCompile(`^<([^?>]+)\?([^>]+)>; rel="next"$`)

// follow reads page after page along the Link headers.
func (w *world) follow(path, query string) (events []string, pages int) {
	w.t.Helper()
	for {
		r := w.get(path, query)
		var body struct {
			Events  []json.RawMessage
			LastSeq uint64
		}
		if err := json.Unmarshal([]byte(r.body), &body); err != nil || r.status != http.StatusOK || body.Events == nil {
			w.t.Fatalf("%s?%s: %d %s %v", path, query, r.status, r.body, err)
		}
		for _, e := range body.Events {
			events = append(events, string(e))
		}
		pages++
		link, ok := r.header["Link"]
		if !ok {
			return events, pages
		}
		m := nextLink.FindStringSubmatch(link)
		if m == nil {
			w.t.Fatalf("Link is %q", link)
		}
		path, query = m[1], m[2]
	}
}

func TestLinksFollowedToTheEndAreTheWholeLog(t *testing.T) {
	w := newWorld(t)
	for i := range 9 {
		w.post("/v1/sessions/a:b/operations", fmt.Sprintf(`{"prompt":"p <%d> & \u2028","operationId":"op-%d"}`, i, i))
	}
	const path = "/v1/sessions/a:b/events"
	all, pages := w.follow(path, "")
	if len(all) != 10 || pages != 1 {
		t.Fatalf("%d events in %d pages, want 10 in one", len(all), pages)
	}
	for _, limit := range []int{1, 2, 3, 5, 10} {
		got, pages := w.follow(path, fmt.Sprint("limit=", limit))
		if strings.Join(got, "\n") != strings.Join(all, "\n") || pages != (10+limit-1)/limit {
			t.Errorf("limit %d: %d pages, %d events, want the log in %d pages:\n%s", limit, pages, len(got), (10+limit-1)/limit, strings.Join(got, "\n"))
		}
	}
	for after := range 12 {
		if got, _ := w.follow(path, fmt.Sprintf("after=%d&limit=2", after)); strings.Join(got, "\n") != strings.Join(all[min(after, 10):], "\n") {
			t.Errorf("after %d: %v", after, got)
		}
	}
	if got, _ := w.follow(path, "operationId=op-3&limit=1"); len(got) != 1 || got[0] != all[4] {
		t.Errorf("of op-3: %v", got)
	}
}

func TestQueriesThatAreRefused(t *testing.T) {
	w := newWorld(t)
	w.post(operations, `{"prompt":"p","operationId":"a"}`)
	const events, operation = "/v1/sessions/s/events", "/v1/sessions/s/operations/a"
	for _, c := range []struct{ path, query string }{
		{events, "after=-1"}, {events, "after=x"}, {events, "after="}, {events, "after=1.0"}, {events, "after=1e3"}, {events, "after=+1"}, {events, "after=%2B1"}, {events, "after=0x1"},
		{events, "after=9007199254740992"}, {events, "after=99999999999999999999999"}, {events, "after=1&after=2"}, {events, "after=1_0"},
		{events, "limit=0"}, {events, "limit=1001"}, {events, "limit=-1"}, {events, "limit="}, {events, "limit=1&limit=1"},
		{events, "after=1;limit=2"}, {events, "after=%zz"}, {events, "limit=1&x=%"}, {events, "other=1"}, {events, "limt=3"}, {events, "Limit=3"}, {operation, "after=1"},
		{operation, "wait=21"}, {operation, "wait=-1"}, {operation, "wait=1s"}, {operation, "wait="}, {operation, "wait=0.5"}, {operation, "wait=1&wait=1"}, {operation, "wait=%20"},
	} {
		w.problem(w.get(c.path, c.query), fault.InvalidRequest)
	}
	for _, c := range []struct{ path, query string }{
		{events, "after=9007199254740991"}, {events, "limit=1000"}, {events, "limit=1"}, {events, "after=007"}, {operation, "wait=0"},
	} {
		if r := w.get(c.path, c.query); r.status != http.StatusOK {
			t.Errorf("%s?%s: %d %s", c.path, c.query, r.status, r.body)
		}
	}
	w.problem(w.get(events, "operationId=nobodys"), fault.NotFound)
	w.problem(w.get(events, "operationId=a%2Fb"), fault.NotFound)
}

func TestWaitEndsAfterItsSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.post(operations, `{"prompt":"p","operationId":"a"}`)
		for _, seconds := range []int{0, 1, 20} {
			began := time.Now()
			r := w.get("/v1/sessions/s/operations/a", fmt.Sprint("wait=", seconds))
			if took := time.Since(began); r.status != http.StatusOK || !strings.Contains(r.body, `"status":"queued"`) || took != time.Duration(seconds)*time.Second {
				t.Errorf("wait=%d: %d %s after %s", seconds, r.status, r.body, took)
			}
		}
	})
}
