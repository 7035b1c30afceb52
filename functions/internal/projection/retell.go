package projection

import (
	"fmt"
	"strings"

	"windlass/functions/internal/transcript"
)

// Retell is a conversation as a text that somebody is to summarise. Told so it needs
// to keep no protocol's rules, and no tool has to be declared. leftOut items before
// are not in it.
func Retell(items []Item, leftOut int) []Message {
	var b strings.Builder
	if leftOut > 0 {
		fmt.Fprintf(&b, "(%d entries before these are left out.)\n\n", leftOut)
	}
	for _, it := range items {
		text, _ := clean(it.Body)
		switch it.Kind {
		case transcript.User:
			fmt.Fprintf(&b, "PERSON: %s\n", text)
		case transcript.Summary:
			fmt.Fprintf(&b, "SUMMARY OF WHAT WAS BEFORE: %s\n", text)
		case transcript.Text:
			fmt.Fprintf(&b, "ASSISTANT: %s\n", text)
		case transcript.File:
			b.WriteString("ASSISTANT:\n")
		case transcript.ToolCall:
			fmt.Fprintf(&b, "CALL of %s: %s\n", callName(it.Call.Name), text)
		case transcript.ToolResult:
			if it.Error != nil {
				text, _ = clean(it.Error.Code + ": " + it.Error.Message)
				text = "failed, " + text
			}
			fmt.Fprintf(&b, "RESULT of %s: %s\n", callName(it.Call.Name), text)
		default: // reasoning is nothing to go on from
			continue
		}
		for _, f := range it.Item.Files {
			fmt.Fprintf(&b, "%s\n", named(f))
		}
		b.WriteString("\n")
	}
	b.WriteString("Now write the summary.")
	return []Message{{User, []Part{{Text: b.String()}}}}
}
