package loop

import (
	"context"
	"errors"

	"windlass/eventstore/event"
	"windlass/functions/internal/model"
	"windlass/functions/internal/projection"
	"windlass/functions/internal/transcript"
	"windlass/functions/internal/turn"
)

// compact asks the model for a summary of the conversation's beginning, and holds
// it. Where nothing has to be summarised, because all that is long came last, it asks
// nobody.
func (d *driver) compact(ctx context.Context, e turn.Compact) error {
	seen, err := d.session.Transcript(ctx, d.Journal)
	if err != nil {
		return err
	}
	keep := d.keep(e, seen.Tokens(0))
	plan := seen.PlanCompaction(keep)
	var a asked
	if len(plan.Summarise) > 0 {
		a, err = d.summarise(ctx, e, plan)
	}
	switch {
	case err != nil || a.overtaken:
		return errors.Join(err, d.overtakenWith(ctx, a))
	case a.fault != nil:
		return d.holdFault(ctx, a)
	}
	return d.holdSummary(ctx, e, plan, a)
}

// keep is how many tokens of the conversation's end stay, of a room that instructions
// and tools share: fewer where the transcript was longer than it was estimated at, and
// each time that a summary has failed.
func (d *driver) keep(e turn.Compact, tokens int64) int64 {
	keep := min(d.agent.Limits.CompactKeep, max((d.roomy()-d.besides)*2/3, leastKept))
	if e.Overflowed {
		keep = min(keep, tokens/2)
	}
	return keep >> e.Failures
}

const leastKept = 500 // tokens

// roomy is what a request may have after a compaction, so that it is worth it.
func (d *driver) roomy() int64 { return d.agent.Limits.CompactAt / 4 * 3 }

func (d *driver) summarise(ctx context.Context, e turn.Compact, plan transcript.Plan) (asked, error) {
	p, its, fault := d.provider(e.Model)
	if fault != nil {
		return asked{fault: fault}, nil
	}
	limits := d.agent.Limits
	told, leftOut := plan.Told(limits.CompactAt * 2 >> e.Failures) // two bytes a token: it has to fit
	items, err := d.load(ctx, told, false)
	if err != nil {
		return asked{fault: unloaded(err)}, nil
	}
	most := min(transcript.MaxSummary, int(limits.CompactAt/4))
	if limits.MaxOutputTokens > 0 {
		most = min(most, limits.MaxOutputTokens)
	}
	a := d.send(ctx, p, model.Request{
		Model: its, Purpose: event.PurposeCompact, Instructions: transcript.SummaryInstructions, MaxOutputTokens: most, Effort: d.agent.Effort(e.Model),
		Messages: projection.Retell(items, leftOut), CacheKey: d.cacheKey(),
	}, nil)
	a.cost = d.Prices.Cost(e.Model, a.Usage)
	return a, nil
}

// holdSummary holds a compaction that helps; one that does not is a fault.
func (d *driver) holdSummary(ctx context.Context, e turn.Compact, plan transcript.Plan, a asked) error {
	summary, err := d.Journal.Keep(ctx, d.stream, a.text(), plainText)
	if err != nil {
		return err
	}
	c := plan.Event(summary)
	c.Model, c.Usage, c.CostUSD = e.Model, a.Usage, a.cost
	if len(plan.Summarise) == 0 {
		c.Model, c.CostUSD = "", event.NoUSD
	}
	helps := plan.Helps(c) && c.TokensAfter+d.besides <= d.roomy()+plan.Fixed || e.Overflowed && plan.Shrinks(c)
	switch {
	case len(plan.Summarise) > 0 && a.Stop == model.StopRefusal:
		a.fault = &model.Fault{Code: model.Policy, Permanent: true, Message: "the model refuses to summarise"}
	case len(plan.Summarise) > 0 && (summary.Len() == 0 || a.Stop == model.StopLength):
		a.fault = &model.Fault{Code: "empty_response", Message: "the model wrote no whole summary"}
	case !helps:
		a.fault = &model.Fault{Code: "compaction_failed", Permanent: true, Message: "a summary would make the transcript hardly shorter"}
	default:
		d.me.Answer = &turn.Answer{Compacted: &c, Usage: a.Usage, CostUSD: a.cost}
		return nil
	}
	return d.holdFault(ctx, a)
}

// text is all that was said.
func (a asked) text() (s string) {
	for _, it := range a.Items {
		if it.Kind == event.ItemText {
			s += it.Text.Inline()
		}
	}
	return s
}
