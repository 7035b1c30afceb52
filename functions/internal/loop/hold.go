package loop

import (
	"context"
	"fmt"
	"mime"
	"strings"

	"golang.org/x/sync/errgroup"

	"windlass/eventstore"
	"windlass/eventstore/event"
	"windlass/functions/internal/model"
	"windlass/functions/internal/turn"
	"windlass/functions/internal/workspace"
)

// hold keeps an answer as the log will have it. One that is too large to be kept is a
// fault.
func (d *driver) hold(ctx context.Context, e turn.Think, a asked) error {
	held, err := d.keepAnswer(ctx, e, a)
	if eventstore.CodeOf(err) == eventstore.TooLarge && err != nil {
		a.fault = &model.Fault{Code: model.TooLarge, Permanent: true, Message: "the model's answer is too large to be kept"}
		return d.holdFault(ctx, a)
	}
	if err == nil {
		d.me.Answer = held
	}
	return err
}

// keepAnswer stores what is too large for the log, and finds out meanwhile what large
// calls come to: both take as long as there are bytes.
func (d *driver) keepAnswer(ctx context.Context, e turn.Think, a asked) (*turn.Answer, error) {
	d.arguments, d.plans = map[int]string{}, map[int]planned{}
	held := &turn.Answer{Items: a.Items, Usage: a.Usage, CostUSD: a.cost, Stop: a.Stop, Repaired: a.repaired}
	work, ctx := errgroup.WithContext(ctx)
	work.SetLimit(maxAtOnce)
	keep := func(v *event.Value, mediaType string) {
		if v != nil && len(v.Inline()) > event.MaxInline { // others stay as they are
			work.Go(func() (err error) {
				*v, err = d.Journal.Keep(ctx, d.stream, v.Inline(), mediaType)
				return err
			})
		}
	}
	var texts []string
	var calls []event.ToolCall
	var files []made
	for n, it := range a.Items {
		switch {
		case it.Call != nil:
			d.arguments[it.Call.Index] = it.Call.Arguments.Inline()
			calls = append(calls, *it.Call)
			keep(&it.Call.Arguments, plainText)
		case it.File != nil:
			locate(it.File, fmt.Sprintf("/outputs/%s/%d-%d", d.me.Operation, e.Round, n))
			files = append(files, made{it.File, it.File.Content.Inline()})
			keep(&it.File.Content, it.File.Type)
		default:
			if it.Kind == event.ItemText {
				texts = append(texts, it.Text.Inline())
			}
			keep(it.Text, plainText)
		}
		keep(it.Native, plainText)
	}
	if len(texts) > 1 {
		all := event.Text(strings.Join(texts, ""))
		keep(&all, plainText)
		held.Output = &all
	}
	d.planAhead(calls, work)
	if err := work.Wait(); err != nil {
		return nil, err
	}
	for _, f := range files {
		held.Wrote = append(held.Wrote, workspace.NewFile(f.Path, f.data, f.Content))
	}
	return held, nil
}

// made is a file that the model made, and what it holds, wherever that is kept by now.
type made struct {
	*event.File
	data string
}

// locate gives a file that the model made its place in the workspace, the same whoever
// drives.
func locate(f *event.File, path string) {
	kind, _, err := mime.ParseMediaType(f.Type)
	if err != nil {
		kind = "application/octet-stream"
	}
	f.Type, f.Path = kind, path+extension(kind)
}

// extension is a path's end for a media type; the system's own table of them differs
// from machine to machine.
func extension(kind string) string {
	if ext, ok := map[string]string{"image/png": ".png", "image/jpeg": ".jpg", "image/webp": ".webp", "image/gif": ".gif", "application/pdf": ".pdf", "audio/wav": ".wav", "audio/mpeg": ".mp3"}[kind]; ok {
		return ext
	}
	return ".bin"
}
