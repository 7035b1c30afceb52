package frame

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestAPreviewIsAsTheProtocolSays(t *testing.T) {
	const want = `{"v":1,"type":"preview","session":"s","operationId":"a","round":2,"attempt":1,"run":3,"kind":"text","offset":7,"text":"<b> & \"so on\""}`
	f, end := Preview{"s", "a", 2, 1, 3, Text, 7, `<b> & "so on"`}.First()
	if string(f) != want || end != 20 {
		t.Errorf("%s\nwant %s; to %d", f, want, end)
	}
}

// However long a text is and whatever stands in it, its frames fit, split no
// character, and together are the text.
func FuzzPreviewsFitAndHoldTheText(f *testing.F) {
	for _, s := range []string{"", "x", "é", "🦀x", "\x00", "\"\\", "\u2028<>"} {
		f.Add(s, uint16(1))
		f.Add(s, uint16(20_000))
	}
	f.Fuzz(func(t *testing.T, some string, times uint16) {
		if !utf8.ValidString(some) || len(some) > 100 {
			return // previews are whole characters, and these are repeated
		}
		id := strings.Repeat("i", 128)
		want := Preview{id, id, 1 << 30, 1 << 30, 1 << 30, Reasoning, 1 << 40, strings.Repeat(some, int(times)%30_000)}
		got := want
		got.Text = ""
		for _, b := range want.All() {
			var p Preview
			if err := json.Unmarshal(b, &p); err != nil || len(b) > Max || p.Text == "" || p.Offset != want.Offset+len(got.Text) || !utf8.ValidString(p.Text) {
				t.Fatalf("%v: %d bytes, %d of text at %d", err, len(b), len(p.Text), p.Offset)
			}
			got.Text += p.Text
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("(-want +got):\n%.500s", d)
		}
	})
}
