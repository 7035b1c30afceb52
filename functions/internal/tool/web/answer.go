package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"unicode/utf8"

	"windlass/functions/internal/tool/outside"
)

// maxBinary bounds what is shown of a body that is no text; a longer one is only
// spoken of.
const maxBinary = 48 << 10

// answer is what the model reads.
type answer struct {
	Status  int               `json:"status"`
	URL     string            `json:"url,omitempty"` // where redirects led
	Headers map[string]string `json:"headers,omitempty"`
	Body    string            `json:"body,omitempty"`
	Base64  []byte            `json:"base64,omitempty"`
	Note    string            `json:"note,omitempty"`
}

// answer reads a response. Once there is a status the call has come to something:
// a body that breaks off is shown as far as it came.
func (t *Tools) answer(q *request, res *http.Response) string {
	hidden := q.hidden
	a := answer{Status: res.StatusCode, Headers: show(res.Header, hidden)}
	if first, err := outside.ParseURL(q.args.URL); err == nil && first.String() != q.at.String() {
		a.URL = string(hidden.Hide([]byte(q.at.String()), false))
	}
	body, cut, err := t.read(res.Body, hidden)
	a.show(body, cut || err != nil)
	switch {
	case err != nil:
		a.Note = join(a.Note, "The connection broke off: this is not the whole body.")
	case cut && res.ContentLength > 0:
		a.Note = join(a.Note, fmt.Sprintf("The body was cut: it has %d bytes, %d were read.", res.ContentLength, len(body)))
	case cut:
		a.Note = join(a.Note, fmt.Sprintf("The body was cut after %d bytes; how long it is, is not known.", len(body)))
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // a page's text costs the model enough as it is
	_ = e.Encode(a)        // of values that can be written
	return strings.TrimSpace(b.String())
}

// read reads as much of a body as is shown, and a little more, so that a secret that
// lies across the cut is found. What was compressed counts as what it is.
func (t *Tools) read(body io.Reader, hidden outside.Hidden) (data []byte, cut bool, err error) {
	most := t.maxBytes + hidden.Longest() + 1
	data, err = io.ReadAll(io.LimitReader(body, int64(most)))
	whole := len(data) < most && err == nil
	data = hidden.Hide(data, !whole)
	if !whole || len(data) > t.maxBytes {
		cut = err == nil
		data = data[:min(len(data), t.maxBytes)]
	}
	return data, cut, err
}

func (a *answer) show(body []byte, cut bool) {
	text := body
	if cut {
		text = wholeCharacters(body)
	}
	switch {
	case utf8.Valid(text) && !bytes.Contains(text, []byte{0}):
		a.Body = string(text)
	case len(body) <= maxBinary:
		a.Base64 = body
	default:
		a.Note = fmt.Sprintf("The body is not text; its %d bytes are not shown.", len(body))
	}
}

// wholeCharacters leaves out a character that was cut in two.
func wholeCharacters(b []byte) []byte {
	for back := 1; back < utf8.UTFMax && back <= len(b); back++ {
		if at := len(b) - back; utf8.RuneStart(b[at]) {
			if !utf8.FullRune(b[at:]) {
				return b[:at]
			}
			break
		}
	}
	return b
}

func join(a, b string) string { return strings.TrimSpace(a + " " + b) }
