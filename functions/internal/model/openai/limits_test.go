package openai_test

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
		text = append(text, delta("output_text", 0, 0, piece))
	}
	for i := range wire.MaxCalls + 1 {
		many = append(many, done(i, calls(fmt.Sprint("c", i), "f", "{}")))
	}
	for name, c := range map[string]struct {
		events []string
		fits   bool
	}{
		"16 MiB of text":  {text[:16], true},
		"17 MiB of text":  {text, false},
		"all calls":       {many[:wire.MaxCalls], true},
		"one more call":   {many, false},
		"33 MiB of event": {[]string{`{"type":"other","x":"` + strings.Repeat(piece, 33) + `"}`}, false},
	} {
		a, _, err := model.Ask(t.Context(), serve(t, streams(stream(c.events...)+stream(completed))).provider(t), model.Request{Messages: hello}, nil)
		if c.fits {
			if err != nil || a.Usage != used {
				t.Errorf("%s: %v", name, err)
			}
		} else if f := fault(t, err); f.Code != model.TooLarge || !f.Permanent || !strings.Contains(f.Message, "too large") {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

// endless writes the same for as long as anybody reads, and says whether that was
// to the end.
func endless(w io.Writer, s string, limit int) (readAll bool) {
	for n := 0; n < limit; n += len(s) {
		if _, err := io.WriteString(w, s); err != nil {
			return false
		}
	}
	return true
}

func TestAnAnswerThatNeverEndsIsLeft(t *testing.T) {
	for _, kind := range []string{"text/event-stream", "application/json"} {
		readAll := make(chan bool, 1)
		s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			readAll <- endless(w, ":"+strings.Repeat(" ", 1<<20)+"\n", 256<<20)
		})
		_, _, err := model.Ask(t.Context(), s.provider(t), model.Request{Messages: hello}, nil)
		if f := fault(t, err); f.Code != model.TooLarge || !f.Permanent || <-readAll {
			t.Errorf("%s: %+v", kind, f)
		}
	}
}
