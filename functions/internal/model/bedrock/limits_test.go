package bedrock_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"windlass/functions/internal/model"
	"windlass/functions/internal/model/wire"
)

func TestAnAnswerThatIsTooLargeIsPermanent(t *testing.T) {
	const most = 16 << 20
	piece := strings.Repeat("a", 1<<20)
	half := strings.Repeat(piece, 8)
	var many, empty strings.Builder
	for i := range wire.MaxCalls {
		many.WriteString(opens(i, fmt.Sprint("c", i), "f") + closes(i))
	}
	for i := range 20_000 {
		empty.WriteString(said(i, ""))
	}
	for name, c := range map[string]struct{ fits, more string }{
		"text":                 {strings.Repeat(said(0, piece), 16), said(1, "b")},
		"reasoning":            {strings.Repeat(thought(0, piece), 16), thought(0, "b")},
		"arguments":            {opens(0, "x", "f") + strings.Repeat(argues(0, piece), 15), argues(0, piece)},
		"names":                {said(0, strings.Repeat("a", most-2)) + opens(1, "x", "f"), opens(2, "y", "f")},
		"a proof":              {"", said(0, half) + proof(1, half) + proof(1, "b")},
		"an image":             {begin(0, `{"image":{"format":"png"}}`) + delta(0, `{"image":{"source":{"bytes":"`+base64.StdEncoding.EncodeToString([]byte(half+half))+`"}}}`), said(1, "b")},
		"what is written down": {"", said(0, half) + sealed(1, base64.StdEncoding.EncodeToString([]byte(half[:2<<20]))) + closes(1)}, // the text is kept twice
		"calls":                {many.String(), opens(wire.MaxCalls, "x", "f") + closes(wire.MaxCalls)},
		"items":                {empty.String(), said(20_000, "")},
		"one frame":            {tell("later", `{"x":"`+strings.Repeat(piece, 31)+`"}`), tell("later", `{"x":"`+strings.Repeat(piece, 33)+`"}`)},
	} {
		if _, _, err := hear(t, canned(c.fits+stops("max_tokens")+counts)); err != nil {
			t.Errorf("%s: %v at the limit", name, err)
		}
		_, _, err := hear(t, canned(c.fits+c.more+ended))
		if f := fault(t, err); f.Code != model.TooLarge || !f.Permanent {
			t.Errorf("%s: %+v", name, f)
		}
	}
}
