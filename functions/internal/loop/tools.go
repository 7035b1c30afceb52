package loop

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"windlass/eventstore/event"
	"windlass/functions/internal/agent"
	"windlass/functions/internal/tool"
	"windlass/functions/internal/transcript"
	"windlass/functions/internal/turn"
)

// use reads the operation's pinned agent. One that cannot be read has no tools
// and no model: the turn fails with an error that says so.
func (d *driver) use(ctx context.Context, a event.Agent) error {
	def, err := agent.Pinned(a)
	if err != nil {
		def = agent.Definition{Name: a.Name}
	}
	if err := d.gather(ctx, def); err != nil {
		return err
	}
	d.agent = def
	bytes := len(def.Instructions)
	for _, t := range d.tools {
		bytes += len(t.Name) + len(t.Description) + len(t.Schema)
	}
	d.besides = transcript.EstimateTokens(int64(bytes))
	d.me.Models, d.me.MaxRounds, d.me.LoopsAllowed, d.me.CompactAt = def.Models(), def.Limits.MaxRounds, def.Limits.AllowLoops, def.Limits.CompactAt
	d.me.Budget = turn.Budget{Tokens: def.Limits.MaxTurnTokens, Cost: def.Limits.MaxTurnCost, Priced: d.Prices.All(def.Models())}
	return nil
}

// gather finds the tools of an agent, and which entry of its definition allows each. Of
// two with one name the built-in one counts, then the entry that stands first: no server
// takes a name away from what the definition says before it. Its error is the context's.
func (d *driver) gather(ctx context.Context, def agent.Definition) error {
	d.tools, d.allowed = d.Tools.Only(def.ToolNames()), map[string]agent.Tool{}
	for name, t := range d.tools {
		d.allowed[name] = def.Tool(name)
		d.tools[name] = limited(t, d.allowed[name])
	}
	for _, entry := range def.Tools {
		if !d.Sources.Has(entry.Name) {
			continue
		}
		found, err := d.Sources.List(ctx, entry.Name, entry.With)
		if ctx.Err() != nil {
			return fmt.Errorf("loop: the tools could not be listed: %w", ctx.Err())
		}
		if err != nil { // was checked when the agent was read: another build accepted it
			slog.ErrorContext(ctx, "an agent's tools cannot be used", "agent", def.Name, "entry", entry.Name, "error", err)
			continue
		}
		for _, t := range found {
			if d.tools[t.Name] != nil {
				slog.WarnContext(ctx, "two tools have one name; the second is left out", "agent", def.Name, "entry", entry.Name, "tool", t.Name)
				continue
			}
			d.tools[t.Name], d.allowed[t.Name] = limited(t, entry), entry
		}
	}
	return nil
}

// limited is a tool as its entry bounds it.
func limited(t *tool.Tool, its agent.Tool) *tool.Tool {
	if its.Timeout == 0 {
		return t
	}
	bounded := *t
	bounded.Timeout = time.Duration(its.Timeout)
	return &bounded
}

// permit is what the agent's definition says of a call, and how long a question
// about it counts. What no entry allows is denied.
func (d *driver) permit(c tool.Call) (permission string, its agent.Tool) {
	its, ok := d.allowed[c.Tool.Name]
	if !ok {
		return agent.Deny, its
	}
	return its.Permit(agent.Subject(c.Subject())), its
}

// outputs are what calls gave that the model is shown, by their SHA-256: no other value of
// the log can be named by one.
func (d *driver) outputs(ctx context.Context) (map[string]event.Value, error) {
	seen, err := d.session.Transcript(ctx, d.Journal)
	if err != nil {
		return nil, err
	}
	found := map[string]event.Value{}
	for _, it := range seen.Shown() {
		if it.Kind == transcript.ToolResult && it.Error == nil {
			found[it.Output.SHA256()] = it.Output
		}
	}
	return found, nil
}
