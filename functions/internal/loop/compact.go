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
	keep := d.agent.Limits.CompactKeep
	if e.Overflowed { // what it is estimated at was wrong
		keep = min(keep, seen.Tokens(0)/2)
	}
	plan := seen.PlanCompaction(keep)
	var a asked
	if len(plan.Summarise) > 0 {
		a, err = d.summarise(ctx, e, plan)
	}
	switch {
	case err != nil || a.overtaken:
		return errors.Join(err, d.overtakenWith(ctx, a))
	case a.fault != nil:
		return d.holdFault(ctx, e.Attempt, a)
	}
	return d.holdSummary(ctx, e, plan, a)
}

func (d *driver) summarise(ctx context.Context, e turn.Compact, plan transcript.Plan) (asked, error) {
	p, its, fault := d.provider(e.Model)
	if fault != nil {
		return asked{fault: fault}, nil
	}
	shown := make([]transcript.Placed, len(plan.Summarise))
	for i, it := range plan.Summarise { // an item's beginning and end say what it was about
		shown[i] = it
		shown[i].Longest = min(it.Longest, transcript.LongestSummarised)
	}
	items, err := d.load(ctx, shown)
	if err != nil {
		return asked{fault: unloaded(err)}, nil
	}
	a := d.send(ctx, p, model.Request{
		Model: its, Purpose: event.PurposeCompact, Instructions: transcript.SummaryInstructions, MaxOutputTokens: transcript.MaxSummary,
		Messages: projection.Retell(items), CacheKey: d.cacheKey(),
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
	switch {
	case len(plan.Summarise) > 0 && summary.Len() == 0:
		a.fault = &model.Fault{Code: "empty_response", Message: "the model wrote no summary"}
	case !plan.Helps(c):
		a.fault = &model.Fault{Code: "compaction_failed", Permanent: true, Message: "a summary would make the transcript hardly shorter"}
	default:
		d.me.Answer = &turn.Answer{Compacted: &c, Usage: a.Usage, CostUSD: a.cost}
		return nil
	}
	return d.holdFault(ctx, e.Attempt, a)
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
