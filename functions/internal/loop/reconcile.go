package loop

import (
	"context"
	"log/slog"

	"windlass/functions/internal/tool"
	"windlass/functions/internal/turn"
	"windlass/functions/internal/workspace"
)

// reconcile asks a call's tool what became of it, and holds the answer.
func (d *driver) reconcile(ctx context.Context, c turn.Call) {
	found := turn.Finding{UnknownSeq: c.UnknownSeq}
	defer func() { d.me.Found[c.Index] = found }()
	arguments := d.arguments[c.Index]
	call, err := d.tools.Find(c.Name, arguments)
	if err != nil {
		return // begun by a build that had it
	}
	if d.view == nil {
		d.view = workspace.NewView(&d.session.Tree)
	}
	t, env := call.Tool, d.env(c)
	r, err := t.LookInto(ctx, env, arguments)
	switch {
	case err != nil:
		slog.WarnContext(ctx, "what became of a call could not be found out", "session", d.stream.Session, "operation", d.me.Operation, "tool", t.Name, "error", err)
	case r == nil:
		found.DidNot = true
	case r.Later != nil:
		found.Outcome = d.deferred(c, r.Later)
	default:
		output, err := keep(ctx, t, env, r.Output)
		found.Outcome = held(c, d.allowed[t.Name], tool.Result{Files: r.Files}, output, err)
	}
}
