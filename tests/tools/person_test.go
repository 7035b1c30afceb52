package tools

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"windlass/tests/client"
)

// person looks into the shop's books, and says what became of the calls that wait for it.
type person struct {
	shop *shop
	// answers is how many were given, again those that said that nothing happened.
	answers, again int
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

// answer settles one call: by then nothing was sent again by itself.
func (p *person) answer(ctx context.Context, t *testing.T, c client.Client, session string, q client.Approval) error {
	path := p.shop.path(t, q.Arguments)
	if sent := p.shop.of("once")[path].requests; q.Reason != "unknown_outcome" || q.Tool != "http_once" || sent > 1 {
		t.Errorf("%s: asked about %s for %s, which was sent %d times", session, q.Tool, q.Reason, sent)
	}
	body := map[string]any{"outcome": "did_not_happen"}
	if p.shop.done(path) {
		body = map[string]any{"outcome": "happened", "result": "in the books: receipt of " + path}
	}
	_, err := c.Do(ctx, http.MethodPost, "/v1/sessions/"+session+"/operations/op/reconcile/"+q.Step, body, nil)
	if err == nil {
		p.answers++
		if body["result"] == nil {
			p.again++
		}
	}
	var refused *client.Problem
	if errors.As(err, &refused) && !refused.Retryable && refused.HTTP != http.StatusBadGateway {
		t.Errorf("%s: %s: %v", session, q.Step, err)
	}
	return err
}
