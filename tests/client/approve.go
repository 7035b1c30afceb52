package client

import (
	"context"
	"net/http"
	"strconv"
)

// Decide answers about a call that waits for a person.
func (c Client) Decide(ctx context.Context, session, operation, step string, body map[string]any) (o Operation, err error) {
	_, err = c.Do(ctx, http.MethodPost, "/v1/sessions/"+session+"/operations/"+operation+"/approvals/"+step, body, &o)
	return o, err
}

// Cancel ends an operation.
func (c Client) Cancel(ctx context.Context, session, operation string) (o Operation, err error) {
	_, err = c.Do(ctx, http.MethodPost, "/v1/sessions/"+session+"/operations/"+operation+"/cancel", nil, &o)
	return o, err
}

// Waiting waits until the operation waits for a person, or is settled.
func (c Client) Waiting(ctx context.Context, session, operation string) (Operation, error) {
	for {
		o, err := c.Operation(ctx, session, operation, 0)
		if err != nil || o.Status == "waiting" || o.Settled() {
			return o, err
		}
		// The log is waited for, not the clock.
		if _, err := c.Do(ctx, http.MethodGet, "/v1/sessions/"+session+"/events?after="+strconv.FormatUint(o.AsOfSeq, 10)+"&wait=5&limit=1", nil, nil); err != nil {
			return o, err
		}
	}
}
