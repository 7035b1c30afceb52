package lambda

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"slices"
	"unicode/utf8"
)

// maxLine bounds a line in the log; what is longer is cut.
const maxLine = 16 << 10

// An output puts what a process writes into the log, line by line.
type output struct {
	log      *slog.Logger
	function string
	line     []byte
	skip     bool // the rest of a line that was too long
}

// Write never fails: a process must not die of its log.
func (o *output) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 {
		text, rest, ended := bytes.Cut(p, []byte{'\n'})
		p = rest
		o.add(text)
		if ended {
			o.flush()
			o.skip = false
		}
	}
	return n, nil
}

func (o *output) add(text []byte) {
	if o.skip {
		return
	}
	o.line = append(o.line, text[:min(len(text), maxLine-len(o.line))]...)
	if len(o.line) == maxLine {
		o.flush()
		o.skip = true
	}
}

func (o *output) flush() {
	if line := bytes.TrimSpace(o.line); len(line) > 0 {
		o.record(line)
	}
	o.line = o.line[:0]
}

// record takes a line that log/slog wrote as JSON apart. Any other line is what a
// runtime says when it ends, and a warning.
func (o *output) record(line []byte) {
	var fields map[string]any
	var level slog.Level
	message, ok := "", false
	if json.Unmarshal(line, &fields) == nil {
		message, ok = fields[slog.MessageKey].(string)
		text, _ := fields[slog.LevelKey].(string)
		ok = ok && level.UnmarshalText([]byte(text)) == nil
	}
	if !ok {
		o.log.Warn("a function wrote a line", "function", o.function, "line", string(bytes.ToValidUTF8(line, []byte(string(utf8.RuneError)))))
		return
	}
	for _, key := range []string{slog.TimeKey, slog.LevelKey, slog.MessageKey, "function"} {
		delete(fields, key)
	}
	attributes := []any{"function", o.function}
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		attributes = append(attributes, key, fields[key])
	}
	o.log.Log(context.Background(), level, message, attributes...)
}
