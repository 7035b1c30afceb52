package wsapi

import (
	"context"

	"windlass/functions/internal/preview"
	"windlass/functions/internal/turn"
)

// preview sends what a model has said so far, if one is asked just now: after the
// backlog, so that the client knows the call that it is of. The subscription stands by
// now, and what is said after the row was written is posted live. Without it the client
// sees the answer when that is done; so no error is told.
func (b *backlog) preview(ctx context.Context) error {
	row, ok, err := b.running(ctx)
	if err != nil {
		logged(ctx, "a preview could not be read", b.connection, err)
	}
	if !ok || b.request.Operation != "" && b.request.Operation != row.Operation {
		return nil
	}
	for _, f := range row.Frames(b.stream.Session) {
		if err := b.post(ctx, f); err != nil {
			return err
		}
	}
	return nil
}

// running is the row of the answer that is being written, if there is one. A row
// outlives its answer: only the log's head says whether it is of now. (The head is
// read first: what is asked after that finds this subscription.)
func (b *backlog) running(ctx context.Context) (r preview.Row, ok bool, err error) {
	if b.api.Previews == nil {
		return r, false, nil
	}
	commit, _, err := b.api.Log.Head(ctx, b.stream)
	if err != nil {
		return r, false, err
	}
	sum, err := turn.DecodeSummary(commit.Summary)
	if err != nil || sum.Head == nil || sum.Head.Phase != "model" {
		return r, false, err
	}
	r, found, err := b.api.Previews.Row(ctx, b.stream)
	return r, err == nil && found && r.Operation == sum.Head.Operation && r.Round == sum.Head.Round, err
}
