package preview

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// However a text is cut into chunks, what is kept is the end of it, whole characters
// at their own offsets, and everything that is read of it fits its bounds.
func FuzzATextIsKeptAsItWasSaid(f *testing.F) {
	f.Add("häß🦀 \xe2\x82 x\xff", uint8(1), uint16(0), uint8(4))
	f.Add("\xf0\x9f", uint8(1), uint16(9), uint8(4))
	f.Add("\xed\xa0\x80\x00", uint8(2), uint16(3), uint8(7))
	f.Fuzz(func(t *testing.T, all string, size uint8, offset uint16, most uint8) {
		var s said
		step, limit := int(size)+1, max(int(most), utf8.UTFMax)
		for rest := all; rest != ""; rest = rest[min(step, len(rest)):] {
			s.add(rest[:min(step, len(rest))])
		}
		want := mended(strings.TrimSuffix(all, s.rest))
		if got := string(s.kept); got != want || s.from != 0 || len(s.rest) >= utf8.UTFMax {
			t.Fatalf("%q is kept as %q from %d, with %q to come; want %q", all, got, s.from, s.rest, want)
		}
		at := len(want[:start([]byte(want), min(int(offset), len(want)))])
		if p := s.after(at, limit); p.From != at || !utf8.ValidString(p.Text) || len(p.Text) > limit || !strings.HasPrefix(want[at:], p.Text) || p.Text == "" && at < len(want) {
			t.Errorf("behind %d of %q is %+v", at, want, p)
		}
		if p := s.newest(limit); p.End() != len(want) || !utf8.ValidString(p.Text) || len(p.Text) > limit || want[p.From:] != p.Text {
			t.Errorf("the newest %d of %q is %+v", limit, want, p)
		}
	})
}

// mended has U+FFFD for each byte that is no part of a character.
func mended(s string) string {
	var b strings.Builder
	for _, r := range s {
		b.WriteRune(r)
	}
	return b.String()
}

func TestOfALongTextTheEndIsKept(t *testing.T) {
	var s said
	var all strings.Builder
	for range 20_000 {
		chunk := strings.Repeat("é", 25) + "x"
		all.WriteString(chunk)
		s.add(chunk)
		if len(s.kept) > 2*maxKept || s.end() != all.Len() {
			t.Fatalf("%d bytes are kept of %d", len(s.kept), all.Len())
		}
	}
	if want := all.String()[s.from:]; string(s.kept) != want || len(want) < maxKept || !utf8.ValidString(want) {
		t.Errorf("%d bytes are kept, not the end of the text, or too few", len(want))
	}
	if p := s.after(0, 100); p.From != s.from {
		t.Errorf("who is behind goes on at %d, want %d", p.From, s.from)
	}
}
