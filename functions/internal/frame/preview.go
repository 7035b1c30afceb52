package frame

import "unicode/utf8"

// Kinds of what a model says.
const (
	Text      = "text"
	Reasoning = "reasoning"
)

// MaxPreview is how much of a text stands in one frame, in bytes: with every
// character escaped, six times as much, it still fits.
const MaxPreview = 20 << 10

// Preview is a piece of what a model says while it says it. It is not in the log, and
// may never be: it has no seq, and covers none.
type Preview struct {
	Session   string `json:"session"`
	Operation string `json:"operationId"`
	Round     int    `json:"round"`
	Attempt   int    `json:"attempt"`
	// Run counts how often this attempt was begun: another driver asks again.
	Run  int    `json:"run"`
	Kind string `json:"kind"`
	// Offset is how many bytes of this kind the model said before, in this run.
	Offset int    `json:"offset"`
	Text   string `json:"text"`
}

func (Preview) frameType() string { return "preview" }

// First is the frame of as much of the text as goes into one, and where that ends.
func (p Preview) First() (frame []byte, end int) {
	p.Text = p.Text[:cut(p.Text, MaxPreview)]
	return Encode(p), p.Offset + len(p.Text)
}

// All is the whole text, in frames. No text is no frame.
func (p Preview) All() (frames [][]byte) {
	for all, at := p, 0; at < len(all.Text); {
		p.Offset, p.Text = all.Offset+at, all.Text[at:]
		f, end := p.First()
		frames = append(frames, f)
		at = end - all.Offset
	}
	return frames
}

// cut is the length of the longest beginning that is at most so long and splits no
// character.
func cut(text string, most int) int {
	if len(text) <= most {
		return len(text)
	}
	for !utf8.RuneStart(text[most]) {
		most--
	}
	return most
}
