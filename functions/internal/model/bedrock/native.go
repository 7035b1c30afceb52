package bedrock

import (
	"encoding/base64"
	"encoding/json"
	"strings"
)

// reasoningBlock is reasoning as the model gave it: with its text and the proof of
// it, or sealed altogether.
type reasoningBlock struct {
	Reasoning reasoningContent `json:"reasoningContent"`
}

type reasoningContent struct {
	Text *reasoningText `json:"reasoningText,omitempty"`
	// Redacted is base64.
	Redacted string `json:"redactedContent,omitempty"`
}

type reasoningText struct {
	Text      string `json:"text"`
	Signature string `json:"signature"`
}

// reasoned: s is reasoning as [answer] wrote it down, to be given back byte for byte.
// What is read is from a log, and a
// block that the model does not take would end the session, so it has to be the same
// when it is written again.
func reasoned(s string) bool {
	var b reasoningBlock
	if json.Unmarshal([]byte(s), &b) != nil || written(b) != s {
		return false
	}
	_, err := base64.StdEncoding.DecodeString(b.Reasoning.Redacted)
	proved := b.Reasoning.Text != nil && b.Reasoning.Text.Signature != ""
	return err == nil && proved != (b.Reasoning.Redacted != "")
}

// worded: s is text as [answer] wrote it down.
func worded(s string) bool {
	var b textBlock
	return json.Unmarshal([]byte(s), &b) == nil && written(b) == s && !blank(b.Text)
}

// blank text is refused.
func blank(s string) bool { return strings.TrimSpace(s) == "" }
