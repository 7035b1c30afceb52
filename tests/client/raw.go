package client

import (
	"context"
	"encoding/json"
	"net/url"
)

// RawEvents is a session's log, or what one operation has of it, each event as it
// came.
func (c Client) RawEvents(ctx context.Context, session, operation string) (all []json.RawMessage, err error) {
	query := url.Values{"limit": {"1000"}}
	if operation != "" {
		query.Set("operationId", operation)
	}
	err = c.pages(ctx, "/v1/sessions/"+session+"/events?"+query.Encode(), func(b []byte) error {
		var page struct{ Events []json.RawMessage }
		err := json.Unmarshal(b, &page)
		all = append(all, page.Events...)
		return err
	})
	return all, err
}

// RawEvents is the events of a frame, each as it came.
func (f Frame) RawEvents() ([]json.RawMessage, error) {
	var whole struct{ Events []json.RawMessage }
	err := json.Unmarshal(f.Raw, &whole)
	return whole.Events, err
}
