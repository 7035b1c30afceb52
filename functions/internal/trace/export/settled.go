package export

import (
	"context"
	"log/slog"
	"time"

	"windlass/eventstore"
	"windlass/eventstore/event"
	"windlass/functions/internal/trace"
)

// Settled sends the traces of the operations that these commits settle, if whoever began
// a trace keeps it. It is called behind all that matters, takes twice [Timeout] at most,
// however many they are, and reports nothing but to the log. A commit that is delivered
// again is sent again: its spans are the same ones.
func (e *Exporter) Settled(ctx context.Context, journal *eventstore.Journal, records ...eventstore.Record) {
	if e == nil || e.paused() {
		return
	}
	whole, cancel := context.WithTimeout(ctx, 2*Timeout)
	defer cancel()
	var spans []trace.Span
	for _, r := range records {
		its, err := settled(whole, journal, r)
		if err != nil {
			slog.WarnContext(ctx, "a trace could not be read; it follows from the log", "session", r.Stream.Session, "error", err)
			break // the next ones would have to wait too
		}
		if spans = append(spans, its...); len(spans) >= batch {
			if !e.send(whole, spans) {
				return
			}
			spans = nil
		}
	}
	if len(spans) > 0 {
		e.send(whole, spans)
	}
}

// send reports whether the collector took the spans. One that did not is left alone.
func (e *Exporter) send(ctx context.Context, spans []trace.Span) bool {
	err := e.Export(ctx, spans)
	if err != nil {
		e.pause()
		slog.WarnContext(ctx, "traces could not be exported; they follow from the log", "spans", len(spans), "pause", Pause.String(), "error", err)
	}
	return err == nil
}

// settled are the spans of what a commit settles.
func settled(ctx context.Context, journal *eventstore.Journal, r eventstore.Record) (spans []trace.Span, err error) {
	ctx, cancel := context.WithTimeout(ctx, Timeout)
	defer cancel()
	events, err := journal.Events(ctx, r)
	if err != nil {
		return nil, err
	}
	for _, e := range events {
		if !ends(e.Data) {
			continue
		}
		f, err := load(ctx, journal, r, e.Operation)
		if err != nil {
			return nil, err
		}
		if f.Sampled() {
			spans = append(spans, f.Spans()...)
		}
	}
	return spans, nil
}

func ends(p event.Payload) bool {
	switch p.(type) {
	case event.OperationCompleted, event.OperationFailed, event.OperationCancelled:
		return true
	}
	return false
}

// load folds an operation, from the commit that accepted it to the one that ends it.
func load(ctx context.Context, j *eventstore.Journal, r eventstore.Record, operation string) (*trace.Fold, error) {
	f := trace.New(r.Stream.Session)
	claim, err := j.Claim(ctx, r.Stream, operation)
	if err != nil {
		return nil, err
	}
	for c, err := range j.Read(ctx, r.Stream, claim.First-1) {
		if err != nil {
			return nil, err
		}
		for _, e := range c.Events {
			if e.Operation == operation {
				f.Apply(e)
			}
		}
		if c.Last >= r.Last {
			break
		}
	}
	return f, nil
}

func (e *Exporter) paused() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return time.Now().Before(e.quiet)
}

func (e *Exporter) pause() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.quiet = time.Now().Add(Pause)
}
