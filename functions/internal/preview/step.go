package preview

import "windlass/functions/internal/frame"

// Step is the run of a model call that is shown.
type Step struct {
	Operation      string
	Round, Attempt int
	// Run counts the starts of this attempt, from 1: a new driver asks again under the
	// same attempt.
	Run int
}

// kinds are what a model says, by their index.
var kinds = [2]string{frame.Text, frame.Reasoning}

const text, reasoning = 0, 1

// Piece is a part of a text: whole characters, from a number of bytes on.
type Piece struct {
	From int
	Text string
}

// End is where it ends, in bytes.
func (p Piece) End() int { return p.From + len(p.Text) }

// preview is a piece as frames have it.
func (s Step) preview(session string, kind int, p Piece) frame.Preview {
	return frame.Preview{Session: session, Operation: s.Operation, Round: s.Round, Attempt: s.Attempt, Run: s.Run, Kind: kinds[kind], Offset: p.From, Text: p.Text}
}
