package tools

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"testing"

	"windlass/tests/client"
)

// person looks into the shop's books, and says what became of the calls that wait for it.
type person struct {
	shop *shop
	// answers is how many were taken. One that a kill kept from being told may have been
	// stored all the same: the log knows.
	answers int
}

// attend answers for a session until its operation waits for nobody. Its error is a request
// that was not answered.
func (p *person) attend(ctx context.Context, t *testing.T, c client.Client, session string) error {
	for {
		o, err := c.Waiting(ctx, session, "op")
		if err != nil || o.Status != "waiting" {
			return err
		}
		for _, q := range o.Approvals {
			if err := p.answer(ctx, t, c, session, q); err != nil {
				return err
			}
		}
	}
}

// answer settles one call: by then nothing was sent again by itself. A call that was sent
// again by a person's word, and hit again, is asked about again.
func (p *person) answer(ctx context.Context, t *testing.T, c client.Client, session string, q client.Approval) error {
	path := p.shop.path(t, q.Arguments)
	sent := p.shop.of("once")[path].requests // before the log is read: that may only allow more
	events, err := c.Events(ctx, session, 0)
	if err != nil {
		return err
	}
	if allowed := 1 + didNotHappen(t, p.shop, events)[path]; q.Reason != "unknown_outcome" || q.Tool != "http_once" || sent > allowed {
		t.Errorf("%s: asked about %s %s for %s, which was sent %d times, and might be %d times", session, q.Tool, path, q.Reason, sent, allowed)
	}
	body := map[string]any{"outcome": "did_not_happen", "unknownSeq": q.UnknownSeq}
	if p.shop.done(path) {
		body = map[string]any{"outcome": "happened", "result": "in the books: receipt of " + path, "unknownSeq": q.UnknownSeq}
	}
	_, err = c.Do(ctx, http.MethodPost, "/v1/sessions/"+session+"/operations/op/reconcile/"+q.Step, body, nil)
	if err == nil {
		p.answers++
	}
	var refused *client.Problem
	if errors.As(err, &refused) && !refused.Retryable && refused.HTTP != http.StatusBadGateway {
		t.Errorf("%s: %s: %v", session, q.Step, err)
	}
	return err
}

// didNotHappen is how often a log has a person say so of each of its calls, by the order's
// path.
func didNotHappen(t *testing.T, s *shop, events []client.Event) map[string]int {
	t.Helper()
	type step struct{ round, index int }
	paths, said := map[step]string{}, map[string]int{}
	for _, e := range events {
		var d struct {
			Index    int
			Decision string
			Items    []struct {
				Call *struct {
					Index     int
					Arguments json.RawMessage
				}
			}
		}
		unmarshal(t, e.Data, &d)
		for _, item := range d.Items {
			if item.Call != nil {
				path := s.path(t, item.Call.Arguments)
				paths[step{e.Round, item.Call.Index}], said[path] = path, 0
			}
		}
		if e.Type == "approval.resolved" && d.Decision == "did_not_happen" {
			said[paths[step{e.Round, d.Index}]]++
		}
	}
	return said
}

// sentOnce looks at the calls of a session's log that must not be repeated: each is sent
// once, and once more for each time that a person said that it did not happen.
func sentOnce(t *testing.T, s *shop, events []client.Event) {
	t.Helper()
	said := didNotHappen(t, s, events)
	for path, o := range s.of("once") {
		if times, its := said[path]; its && o.requests > 1+times {
			t.Errorf("%s was sent %d times, and a person said %d times that it did not happen", path, o.requests, times)
		}
	}
}
