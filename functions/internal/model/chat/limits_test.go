package chat_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"windlass/functions/internal/model"
	"windlass/functions/internal/model/wire"
)

func TestAnAnswerThatIsTooLargeIsPermanent(t *testing.T) {
	piece := strings.Repeat("a", 1<<20)
	var text, many []string
	for range 17 {
		text = append(text, content(piece))
	}
	var long []string
	for range 100_000 { // a long thought, a few letters at a time
		long = append(long, delta(`"reasoning_details":[{"type":"reasoning.text","text":"hm ","index":0,"format":"a-format-v1"}]`))
	}
	for i := range wire.MaxCalls + 1 {
		many = append(many, calls(fragment(i, fmt.Sprint("c", i), "f", "{}")))
	}
	for name, c := range map[string]struct {
		chunks []string
		fits   bool
	}{
		"16 MiB of text":  {text[:16], true},
		"17 MiB of text":  {text, false},
		"a long thought":  {long, true},
		"all calls":       {many[:wire.MaxCalls], true},
		"one more call":   {many, false},
		"33 MiB of event": {[]string{`{"x":"` + strings.Repeat(piece, 33) + `"}`}, false},
		"17 MiB at once":  {[]string{`{"choices":[{"message":{"content":"` + strings.Repeat(piece, 17) + `"}}]}`}, false},
	} {
		_, a, err := (&canned{body: events(append(c.chunks[:len(c.chunks):len(c.chunks)], finish("stop"), usage)...)}).ask(t)
		if c.fits {
			if err != nil || a.Usage != used {
				t.Errorf("%s: %v", name, err)
			}
		} else if f := fault(t, err); f.Code != model.TooLarge || !f.Permanent {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

// endless says the same for as long as anybody reads.
type endless struct {
	kind, begin, piece string
	then               string // many of the piece
	read               int
}

func (e *endless) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {e.kind}}, Request: r, Body: io.NopCloser(e)}, nil
}

func (e *endless) Read(p []byte) (int, error) {
	if e.then == "" {
		e.then = strings.Repeat(e.piece, 1+(32<<10)/len(e.piece))
	}
	from := e.begin
	if e.read > 0 {
		from = e.then[(e.read-len(e.begin))%len(e.piece):]
	}
	n := copy(p, from)
	e.read += n
	return n, nil
}

func TestAnAnswerThatNeverEndsIsLeft(t *testing.T) {
	for name, e := range map[string]*endless{
		"comments":      {kind: "text/event-stream", begin: ":\n", piece: ":" + strings.Repeat(" ", 1000) + "\n\n"},
		"one long line": {kind: "text/event-stream", begin: "data: ", piece: "aaaaaaaa"},
		"blanks":        {kind: "text/event-stream", begin: " ", piece: " \n\r\t"},
		"empty details": {kind: "text/event-stream", begin: "\n", piece: "data: {\"choices\":[{\"delta\":{\"reasoning_details\":[{},{},{},{},{},{},{},{}]}}]}\n\n"},
		"one object":    {kind: "application/json", begin: "{", piece: " \"a\":1,"},
	} {
		_, _, err := model.Ask(t.Context(), newProvider(t, "http://model.test/v1", e), model.Request{Messages: hello}, nil)
		if f := fault(t, err); f.Code != model.TooLarge || !f.Permanent || e.read > 160<<20 {
			t.Errorf("%s: %+v after %d bytes", name, f, e.read)
		}
	}
}
