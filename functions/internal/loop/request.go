package loop

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"log/slog"
	"math"

	"windlass/eventstore/event"
	"windlass/functions/internal/model"
	"windlass/functions/internal/projection"
	"windlass/functions/internal/transcript"

	"golang.org/x/sync/errgroup"
)

// request is what a model is asked, and what of it is told otherwise than it stands
// in the log.
func (d *driver) request(ctx context.Context, p model.Provider, its, name string, seen *transcript.Transcript) (model.Request, []event.Repair, *model.Fault) {
	if !d.asking.goesOn(name, seen) {
		rules := p.Rules()
		rules.Origin, rules.FilesAfter = name, seen.Marks.FilesAfter
		d.asking = asking{model: name, view: seen.View(), written: projection.New(rules)}
	}
	items, err := d.load(ctx, seen.ShownAfter(d.asking.upto), true)
	if err == nil {
		err = d.asking.add(items, seen.Len())
	}
	if err != nil {
		return model.Request{}, nil, unloaded(err)
	}
	messages, repairs := d.asking.written.Messages(seen.Marks.Looked)
	return model.Request{
		Model: its, Instructions: d.agent.Instructions, Messages: messages, Tools: declare(d.tools),
		MaxOutputTokens: d.agent.Limits.MaxOutputTokens, Effort: d.agent.Effort(name), CacheKey: d.cacheKey(),
	}, repairs, nil
}

// asking is the request of the round before: the next one only adds to it, unless
// another model is asked or the transcript is shown otherwise.
type asking struct {
	model   string
	view    transcript.View
	upto    int // items that are written
	written *projection.Projection
}

func (a *asking) goesOn(model string, seen *transcript.Transcript) bool {
	return a.written != nil && a.model == model && a.view == seen.View() && a.upto <= seen.Len()
}

func (a *asking) add(items []projection.Item, upto int) error {
	err := a.written.Add(items)
	if a.upto = upto; err != nil {
		a.written = nil
	}
	return err
}

func unloaded(err error) *model.Fault {
	if errors.Is(err, projection.ErrTooLong) {
		return &model.Fault{Code: model.Overflow, Permanent: true, Message: "the transcript shows more than what is sent to a model"}
	}
	return &model.Fault{Code: model.Unavailable, Message: "a part of the transcript could not be fetched"}
}

// cacheKey keeps a session's requests together, at providers that want to be told.
func (d *driver) cacheKey() string {
	sum := sha256.Sum256([]byte(d.stream.Tenant + "\x00" + d.stream.Session))
	return hex.EncodeToString(sum[:16])
}

// loadAtOnce bounds the transfers of one request.
const loadAtOnce = 16

// load fetches the values of what is shown, and its files, if they are to be; those that
// stand apart at the same time.
func (d *driver) load(ctx context.Context, shown []transcript.Placed, files bool) ([]projection.Item, error) {
	l := loading{d: d, items: make([]projection.Item, len(shown))}
	l.apart.SetLimit(loadAtOnce)
	for i, it := range shown {
		to := &l.items[i]
		*to = projection.Item{Item: it.Item, N: it.N}
		to.InPart = body(&it) != nil && it.InPart(body(&it).Len())
		l.value(ctx, body(&it), it, &to.Body)
		l.value(ctx, it.Native, transcript.Placed{}, &to.Native)
		if it.Kind == transcript.User && files {
			to.Files = make([]string, len(it.Files))
			for f := range it.Files {
				l.value(ctx, &it.Files[f].Content, transcript.Placed{}, &to.Files[f])
			}
		}
		if l.size > projection.MaxBytes {
			_ = l.apart.Wait() // nobody needs them
			return nil, projection.ErrTooLong
		}
	}
	return l.items, l.apart.Wait()
}

// loading collects what has to be fetched.
type loading struct {
	d     *driver
	items []projection.Item
	apart errgroup.Group // the transfers
	size  int64
}

// value puts a value of it where it belongs, now or once it is fetched.
func (l *loading) value(ctx context.Context, v *event.Value, it transcript.Placed, to *string) {
	if v == nil {
		return
	}
	l.size += min(v.Len(), longest(it))
	if _, apart := v.Ref(); !apart {
		*to = shorten(it, v.Inline())
		return
	}
	l.apart.Go(func() (err error) {
		*to, err = l.d.value(ctx, *v, it)
		return err
	})
}

// body is what an item says.
func body(it *transcript.Placed) *event.Value {
	switch {
	case it.Kind == transcript.ToolCall:
		return &it.Call.Arguments
	case it.Kind == transcript.ToolResult && it.Error == nil:
		return &it.Output
	case it.Kind == transcript.ToolResult, it.Kind == transcript.Opaque, it.Kind == transcript.File:
		return nil
	}
	return &it.Text
}

// longest is how much of an item's value is shown; what stands beside it, such as its
// files, is shown whole.
func longest(it transcript.Placed) int64 {
	if it.Longest == 0 {
		return math.MaxInt64
	}
	return it.Longest
}

// value fetches one that stands apart, or its ends. Those fetched lately are kept for
// the rounds to come, which show the model the same again.
func (d *driver) value(ctx context.Context, v event.Value, it transcript.Placed) (text string, err error) {
	ref, _ := v.Ref()
	text, ok := d.recent.get(ref.SHA256)
	switch {
	case ok:
		return shorten(it, text), nil
	case ref.Bytes > longest(it):
		text, err = d.ends(ctx, v, it)
	default:
		if text, err = d.Journal.Load(ctx, d.stream, v); err == nil {
			d.recent.put(ref.SHA256, text)
		}
	}
	if err != nil {
		slog.ErrorContext(ctx, "a value of the transcript could not be loaded", "session", d.stream.Session, "error", err)
	}
	return text, err
}

func (d *driver) ends(ctx context.Context, v event.Value, it transcript.Placed) (string, error) {
	head, tail := transcript.Ends(it.Longest)
	first, err := d.Journal.LoadRange(ctx, d.stream, v, 0, head)
	if err != nil || it.Kind == transcript.ToolCall {
		return transcript.ShortArguments(first, v.Len()), err
	}
	last, err := d.Journal.LoadRange(ctx, d.stream, v, v.Len()-tail, tail)
	return transcript.Shorten(first, last, v.Len()-head-tail, named(it)), err
}

// shorten shows a text as far as it is to be shown.
func shorten(it transcript.Placed, text string) string {
	n := int64(len(text))
	if n <= longest(it) {
		return text
	}
	head, tail := transcript.Ends(it.Longest)
	if it.Kind == transcript.ToolCall {
		return transcript.ShortArguments(text[:head], n)
	}
	return transcript.Shorten(text[:head], text[n-tail:], n-head-tail, named(it))
}

// named is the name by which read_output finds what is shown in part: a call's output.
func named(it transcript.Placed) string {
	if it.Kind != transcript.ToolResult {
		return ""
	}
	return it.Output.SHA256()
}
