package main

import (
	"context"

	"windlass/tests/client"
)

// hugePrompts: a turn of one round whose prompt is a load and padding behind it. Each
// is a new text, or its upload would be there already.
func hugePrompts(ctx context.Context, b *bench) error {
	for _, r := range []struct {
		row
		bytes  int
		upload bool
	}{
		{row{Name: "huge-prompt: 512 KB inline", Goal: 20, Peer: "15–29"}, 512 << 10, false},
		{row{Name: "huge-prompt: 2 MB by upload", Goal: 30, Peer: "43"}, 2 << 20, true},
		{row{Name: "huge-prompt: 8 MB by upload", Goal: 80, Peer: "87–187"}, 8 << 20, true},
	} {
		l := of(1, 2, 256)
		l.padded = r.bytes
		b.measure(ctx, r.row, func(ctx context.Context) (float64, error) {
			text := l.prompt(b.session())
			if r.upload {
				return b.turn(ctx, l, b.uploading(text))
			}
			return b.turn(ctx, l, func(ctx context.Context, session string) (string, error) {
				return submit(ctx, b.Client, session, client.Submission{Prompt: text})
			})
		})
	}
	return nil
}

// uploading announces a prompt, with its hash, stores it and submits it.
func (b *bench) uploading(text string) func(context.Context, string) (string, error) {
	return func(ctx context.Context, session string) (string, error) {
		id, err := b.Upload(ctx, session, "prompt.txt", []byte(text))
		if err != nil {
			return "", err
		}
		return submit(ctx, b.Client, session, client.Submission{PromptUpload: id})
	}
}
