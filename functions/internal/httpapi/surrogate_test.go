package httpapi

import "testing"

func TestHalfASurrogatePairIsNoCharacter(t *testing.T) {
	for in, want := range map[string]bool{
		`{"a":"plain"}`: false, `"\\ud800"`: false, `"\ud83d\ude00"`: false, `"\u0041\ud83d\ude00\u00e9"`: false, `"\n\"\\\u0000"`: false,
		`"\ud800"`: true, `"a\udc00b"`: true, `"\ude00\ud83d"`: true, `"\ud83dx"`: true, `"\ud83d\u0041"`: true, `"\uD83D\uD83D\uDE00"`: true, `"\ud83d\`: true,
	} {
		if got := halfSurrogate([]byte(in)); got != want {
			t.Errorf("%s: %v", in, got)
		}
	}
}
