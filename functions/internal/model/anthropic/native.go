package anthropic

import (
	"encoding/json"
	"strings"
)

// kept is the form in which a block is kept outside: within an object of its own, so
// that nothing else in a log is taken for one.
type kept struct {
	Block json.RawMessage `json:"block"`
}

func keep(block string) string { return `{"block":` + block + `}` }

// given is a block that was kept, byte for byte, and its type; an empty type if it
// cannot go back: it came from a log, and may be anything. Text with nothing in it is
// refused.
func given(native string) (block, kind string) {
	var k kept
	var b struct {
		Type string  `json:"type"`
		Text *string `json:"text"`
	}
	if native == "" || json.Unmarshal([]byte(native), &k) != nil || json.Unmarshal(k.Block, &b) != nil {
		return "", ""
	}
	if b.Type == "text" && (b.Text == nil || strings.TrimSpace(*b.Text) == "") {
		return "", ""
	}
	return string(k.Block), b.Type
}

// thinkingBlock is one that its model signed.
type thinkingBlock struct {
	Type      string `json:"type"`
	Thinking  string `json:"thinking"`
	Signature string `json:"signature"`
}

type citedBlock struct {
	textBlock
	Citations []json.RawMessage `json:"citations"`
}
