package projection

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// clean makes text that every server can read: some refuse a NUL, and then every
// later request of the session. Half an emoji is no UTF-8 either.
func clean(s string) (text string, changed bool) {
	if utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 {
		return s, false
	}
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD"), true
}

// blank: some protocols refuse text with nothing in it.
func blank(s string) bool { return strings.TrimFunc(s, unicode.IsSpace) == "" }

// odd are escapes that are JSON and that some servers fail on when they read a
// call's arguments again: half of a surrogate pair, and NUL.
var odd = regexp.MustCompile(`\\u(0000|[dD][89a-fA-F])`)

// wholeRunes writes arguments anew if they hold such an escape, each key in its
// sorted place.
func wholeRunes(arguments string) string {
	if !odd.MatchString(arguments) {
		return arguments
	}
	d := json.NewDecoder(strings.NewReader(arguments))
	d.UseNumber()
	var v map[string]any
	if d.Decode(&v) != nil {
		return arguments
	}
	return compact(whole(v))
}

// whole replaces NULs; the decoder has replaced the surrogates.
func whole(v any) any {
	switch v := v.(type) {
	case string:
		return strings.ReplaceAll(v, "\x00", "\uFFFD")
	case []any:
		for i := range v {
			v[i] = whole(v[i])
		}
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, e := range v {
			out[strings.ReplaceAll(k, "\x00", "\uFFFD")] = whole(e)
		}
		return out
	}
	return v
}

// compact is v's JSON, with <, > and & as they are: a model reads it.
func compact(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return "{}" // strings, numbers and what was JSON before
	}
	return strings.TrimSuffix(b.String(), "\n")
}
