package session

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode"
	"unicode/utf8"

	"windlass/eventstore"
	"windlass/eventstore/event"
	"windlass/functions/internal/fault"
	"windlass/functions/internal/index"
)

const (
	// MaxPrompt bounds a prompt that is sent along, in bytes.
	MaxPrompt = 1 << 20
	// MaxPromptUpload bounds one that was uploaded, in bytes.
	MaxPromptUpload = eventstore.MaxBlob
	// promptPage is how much of an uploaded prompt is looked at, in bytes.
	promptPage = 64 << 10

	promptType = "text/plain; charset=utf-8"
)

// prompt is a submission's prompt, however it arrived.
type prompt struct {
	sha256  string
	bytes   int64
	preview string // how it begins
	text    string // the whole, unless it stands apart already
	kept    *event.Value
}

// readPrompt reads what was sent along, or looks at what was uploaded: both are
// the same submission. Of an upload the first 64 KiB are checked to be text; the
// rest is the client's word.
func (s *Service) readPrompt(ctx context.Context, stream eventstore.Stream, sub Submission) (prompt, error) {
	if sub.PromptUpload == "" {
		return textPrompt(sub.Prompt)
	}
	u, err := readUpload(sub.PromptUpload)
	switch {
	case err != nil:
		return prompt{}, err
	case sub.Prompt != "":
		return prompt{}, fault.New(fault.InvalidRequest, "send either a prompt or a promptUpload")
	case u.bytes > MaxPromptUpload:
		return prompt{}, fault.New(fault.TooLarge, "the prompt has %d bytes, at most %d are accepted", u.bytes, MaxPromptUpload)
	case u.bytes == 0:
		return textPrompt("")
	}
	there, err := s.there(ctx, stream, u)
	switch {
	case err != nil:
		return prompt{}, err
	case !there:
		return prompt{}, missing(u)
	}
	ref := event.Ref{SHA256: u.sha256, Bytes: u.bytes, Type: promptType}
	page, err := s.Journal.LoadRange(ctx, stream, event.ByRef(ref), 0, promptPage)
	if err != nil {
		return prompt{}, err
	}
	if whole := int64(len(page)) == u.bytes; whole && (u.bytes <= event.MaxInline || blank(page)) {
		return textPrompt(page) // short values stand in the log, whichever way they came
	} else if !whole {
		page = wholeCharacters(page)
	}
	if !utf8.ValidString(page) {
		return prompt{}, notText()
	}
	kept := event.ByRef(ref)
	return prompt{sha256: u.sha256, bytes: u.bytes, preview: index.Preview(page), kept: &kept}, nil
}

func textPrompt(text string) (prompt, error) {
	switch {
	case blank(text):
		return prompt{}, fault.New(fault.EmptyPrompt, "the prompt is empty or blank; say what the agent should do")
	case len(text) > MaxPrompt:
		return prompt{}, fault.New(fault.TooLarge, "the prompt has %d bytes, at most %d can be sent along; POST to the session's uploads and submit the promptUpload", len(text), MaxPrompt)
	case !utf8.ValidString(text):
		return prompt{}, notText()
	}
	sum := sha256.Sum256([]byte(text))
	return prompt{sha256: hex.EncodeToString(sum[:]), bytes: int64(len(text)), preview: index.Preview(text), text: text}, nil
}

func blank(s string) bool { return strings.TrimFunc(s, unicode.IsSpace) == "" }

func notText() error {
	return fault.New(fault.InvalidRequest, "the prompt is not UTF-8 text")
}

// wholeCharacters leaves out the beginning of a character at the end.
func wholeCharacters(s string) string {
	for n := 1; n < utf8.UTFMax && n <= len(s); n++ {
		if tail := s[len(s)-n:]; utf8.RuneStart(tail[0]) {
			if !utf8.FullRuneInString(tail) {
				return s[:len(s)-n]
			}
			break
		}
	}
	return s
}

// keep keeps the prompt once, however often the append is decided again.
func (p *prompt) keep(ctx context.Context, j *eventstore.Journal, stream eventstore.Stream) error {
	if p.kept != nil {
		return nil
	}
	v, err := j.Keep(ctx, stream, p.text, promptType)
	if err == nil {
		p.kept = &v
	}
	return err
}

// accepted is the event that makes the prompt durable. It shows how a prompt
// begins that stands apart; the log shows the others whole.
func (p *prompt) accepted(fingerprint string, agent event.Agent) event.OperationAccepted {
	e := event.OperationAccepted{Prompt: *p.kept, Fingerprint: fingerprint, Agent: agent}
	if _, apart := p.kept.Ref(); apart {
		e.Preview = p.preview
	}
	return e
}
