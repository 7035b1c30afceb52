package loop

import (
	"context"
	"fmt"
	"mime"
	"strings"

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

func (d *driver) keepAnswer(ctx context.Context, e turn.Think, a asked) (held *turn.Answer, err error) {
	d.arguments, d.plans = map[int]string{}, map[int]planned{}
	held = &turn.Answer{Items: a.Items, Usage: a.Usage, CostUSD: a.cost, Stop: a.Stop, Repaired: a.repaired}
	keep := func(v *event.Value) error {
		if v == nil {
			return nil
		}
		*v, err = d.Journal.Keep(ctx, d.stream, v.Inline(), plainText)
		return err
	}
	var texts []string
	for n, it := range a.Items {
		switch {
		case it.Call != nil:
			d.arguments[it.Call.Index] = it.Call.Arguments.Inline()
			err = keep(&it.Call.Arguments)
		case it.File != nil:
			err = d.keepFile(ctx, fmt.Sprintf("/outputs/%s/%d-%d", d.me.Operation, e.Round, n), it.File, held)
		case it.Kind == event.ItemText:
			texts = append(texts, it.Text.Inline())
			err = keep(it.Text)
		default:
			err = keep(it.Text)
		}
		if err == nil {
			err = keep(it.Native)
		}
		if err != nil {
			return nil, err
		}
	}
	if len(texts) > 1 {
		all := event.Text(strings.Join(texts, ""))
		if err := keep(&all); err != nil {
			return nil, err
		}
		held.Output = &all
	}
	return held, nil
}

// keepFile puts a file that the model made into the workspace. Its path is the same
// whoever drives.
func (d *driver) keepFile(ctx context.Context, path string, f *event.File, held *turn.Answer) error {
	kind, _, err := mime.ParseMediaType(f.Type)
	if err != nil {
		kind = "application/octet-stream"
	}
	f.Type, f.Path = kind, path+extension(kind)
	data := f.Content.Inline()
	if f.Content, err = d.Journal.Keep(ctx, d.stream, data, kind); err != nil {
		return err
	}
	held.Wrote = append(held.Wrote, workspace.NewFile(f.Path, data, f.Content))
	return nil
}

// extension is a path's end for a media type; the system's own table of them differs
// from machine to machine.
func extension(kind string) string {
	if ext, ok := map[string]string{"image/png": ".png", "image/jpeg": ".jpg", "image/webp": ".webp", "image/gif": ".gif", "application/pdf": ".pdf", "audio/wav": ".wav", "audio/mpeg": ".mp3"}[kind]; ok {
		return ext
	}
	return ".bin"
}
