package lambda

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// logged is what becomes of a process's output, without times.
func logged(chunks ...string) string {
	var b bytes.Buffer
	log := slog.New(slog.NewTextHandler(&b, &slog.HandlerOptions{Level: slog.LevelInfo, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
	o := &output{log: log, function: "f"}
	for _, c := range chunks {
		_, _ = o.Write([]byte(c)) // it never fails
	}
	o.flush()
	return b.String()
}

func TestWhatAProcessWritesIsLoggedLineByLineWithItsFunction(t *testing.T) {
	for _, c := range []struct {
		name   string
		chunks []string
		want   string
	}{
		{"plain", []string{"one\ntw", "o\n\nthree"}, "level=WARN msg=\"a function wrote a line\" function=f line=one\nlevel=WARN msg=\"a function wrote a line\" function=f line=two\nlevel=WARN msg=\"a function wrote a line\" function=f line=three\n"},
		{"slog", []string{`{"time":"2026-11-30T00:00:00Z","level":"ERROR","msg":"it failed","function":"drive","error":"x y","code":"internal"}` + "\n"}, "level=ERROR msg=\"it failed\" function=f code=internal error=\"x y\"\n"},
		{"below the level", []string{`{"level":"DEBUG","msg":"detail"}` + "\n"}, ""},
		{"other JSON", []string{`{"level":7,"msg":"x"}` + "\n"}, "level=WARN msg=\"a function wrote a line\" function=f line=\"{\\\"level\\\":7,\\\"msg\\\":\\\"x\\\"}\"\n"},
		{"escapes stay text", []string{"\x1b[31m\xff\n"}, "level=WARN msg=\"a function wrote a line\" function=f line=\"\\x1b[31m\ufffd\"\n"},
	} {
		if diff := cmp.Diff(c.want, logged(c.chunks...)); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

func TestALineIsBounded(t *testing.T) {
	got := logged(strings.Repeat("x", maxLine-1), strings.Repeat("y", 10*maxLine), "z\nnext\n")
	if n := strings.Count(got, "\n"); n != 2 || strings.Contains(got, "yy") || !strings.Contains(got, "line=next") {
		t.Errorf("%d lines, %d bytes", n, len(got))
	}
}

func FuzzOutput(f *testing.F) {
	f.Add([]byte(`{"level":"INFO","msg":"m","a":{"b":[1]}}`), []byte("\nrest"))
	f.Add([]byte("\xff\x00"), []byte("\r\n"))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		got := logged(string(a), string(b))
		if lines, most := strings.Count(got, "\n"), bytes.Count(append(a, b...), []byte{'\n'})+1; lines > most {
			t.Errorf("%d records of %d lines", lines, most)
		}
	})
}
