package loop

import (
	"encoding/json"
	"log/slog"
	"slices"
	"strings"

	"windlass/eventstore"
	"windlass/eventstore/event"
	"windlass/functions/internal/delegation"
	"windlass/functions/internal/turn"
)

// delegates is how an agent's definition configures the tool: whom it may ask.
type delegates struct {
	Agents []string `json:"agents"`
}

// delegation is who carries a call out, or why nobody does.
func (d *driver) delegation(c event.ToolCall) (*turn.Delegation, *event.Error) {
	var with delegates
	var asked struct{ Agent, Prompt string }
	_ = json.Unmarshal(d.agent.Tool(c.Name).With, &with) // what cannot be read allows nobody
	if err := json.Unmarshal([]byte(d.arguments[c.Index]), &asked); err != nil {
		return nil, &event.Error{Code: "invalid_arguments", Message: "the arguments cannot be read"}
	}
	parent := d.session.State.Parent
	switch {
	case d.Families == nil || !slices.Contains(with.Agents, asked.Agent):
		return nil, &event.Error{Code: "denied", Message: "this agent may not delegate to that one; it may to: " + strings.Join(with.Agents, ", ")}
	case strings.TrimSpace(asked.Prompt) == "":
		return nil, &event.Error{Code: "invalid_arguments", Message: "the prompt is empty"}
	case parent != nil && parent.Depth >= delegation.MaxDepth:
		return nil, &event.Error{Code: "denied", Message: "too many agents stand above this one; do it yourself"}
	}
	child := delegation.Child(d.stream, d.me.Operation, d.session.State.Head().Round, c.Index, asked.Agent)
	return &child, nil
}

// handOver hands a call to its agent. What becomes of it comes by way of the log.
func (d *driver) handOver(c turn.Call, arguments string, slots chan struct{}) {
	d.me.Running[c.Index] = true
	op, effects := d.session.State.Head(), d.effects
	h := delegation.Handover{
		Parent: event.Parent{Session: d.stream.Session, Operation: op.ID, Round: op.Round, Index: c.Index, Depth: 1}, Child: *c.Child,
	}
	if above := d.session.State.Parent; above != nil {
		h.Parent.Depth = above.Depth + 1
	}
	h.Tokens, h.Cost = share(d.me.Budget, op)
	var asked struct{ Prompt string }
	_ = json.Unmarshal([]byte(arguments), &asked) // were checked when it was planned
	h.Prompt = asked.Prompt
	go func() {
		slots <- struct{}{}
		if err := d.Families.Hand(effects, d.stream, h); err != nil { // another try comes when the turn is looked at again
			slog.ErrorContext(effects, "a call could not be handed over", "session", d.stream.Session, "operation", op.ID, "code", eventstore.CodeOf(err), "error", err)
		}
		<-slots
		select {
		case d.outcomes <- outcome{index: c.Index, handed: true}:
		case <-effects.Done():
		}
	}()
}

// share is what one child may use of what is left to its parent; zero values for no
// bound. Those that are under way at the same time have no more than that together.
func share(b turn.Budget, op *turn.Operation) (tokens int64, cost event.USD) {
	var siblings int64
	for i := range op.Calls {
		if op.Calls[i].Phase == turn.Elsewhere {
			siblings++
		}
	}
	if b.Tokens > 0 {
		tokens = max((b.Tokens-op.Usage.InputTokens-op.Usage.OutputTokens)/siblings, 1)
	}
	if b.Cost != "" {
		cost = b.Cost.Minus(op.Usage.CostUSD).Times(1, siblings)
	}
	return tokens, cost
}
