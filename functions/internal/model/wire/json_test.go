package wire

import (
	"bytes"
	"encoding/json"
	"math"
	"testing"
)

func TestWhatServersWriteInPlaceOfATextIsText(t *testing.T) {
	for in, want := range map[string]Text{`"a\nb"`: "a\nb", `""`: "", `null`: "", `7`: "7", `1.50`: "1.50", `true`: "true", `{"a":1}`: `{"a":1}`, `[1, 2]`: `[1, 2]`} {
		got := Text("before")
		if in == "null" {
			got = ""
		}
		if err := json.Unmarshal([]byte(in), &got); err != nil || got != want {
			t.Errorf("%s: %q, %v", in, got, err)
		}
	}
}

func TestACountIsNeverWorthAnAnswer(t *testing.T) {
	for in, want := range map[string]Count{`7`: 7, `7.9`: 7, `0`: 0, `-3`: 0, `1e300`: 1 << 40, `"7"`: 0, `null`: 0, `{}`: 0, `[7]`: 0, `1e999`: 0} {
		var got Count
		if err := json.Unmarshal([]byte(in), &got); err != nil || got != want {
			t.Errorf("%s: %d, %v", in, got, err)
		}
	}
}

func TestJSONIsWrittenForAModelToRead(t *testing.T) {
	b := bytes.NewBufferString("[")
	if err := AppendJSON(b, map[string]string{"a": "<b> & \"c\""}); err != nil || b.String() != `[{"a":"<b> & \"c\""}` {
		t.Errorf("%s, %v", b, err)
	}
	if AppendJSON(b, math.NaN()) == nil {
		t.Error("what is no JSON is written")
	}
}

func TestTextIsCleanForEveryServer(t *testing.T) {
	for in, want := range map[string]string{"": "", "a 🦀": "a 🦀", "a\x00b": "a\uFFFDb", "\xff": "\uFFFD", "\xf0\x9f": "\uFFFD"} {
		if got := Clean(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestWhatIsNullIsNotGiven(t *testing.T) {
	for in, want := range map[string]bool{`{"a":null}`: false, `{}`: false, `{"a":0}`: true, `{"a":{}}`: true} {
		var v struct{ A json.RawMessage }
		if err := json.Unmarshal([]byte(in), &v); err != nil || Given(v.A) != want {
			t.Errorf("%s: %t, %v", in, Given(v.A), err)
		}
	}
}
