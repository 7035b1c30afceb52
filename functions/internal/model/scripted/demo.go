package scripted

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"windlass/eventstore/event"
	"windlass/functions/internal/model"
)

// writeRequest is the one thing that the demo can do.
var writeRequest = regexp.MustCompile(`(?is)^\s*write\s+(.+?)\s+to\s+(\S+?)((?:,|\s)\s*and\s+read\s+it\s+back)?[\s.!]*$`)

// longestRequest is as long as a request of that form gets, in bytes.
const longestRequest = 4 << 10

const whatItIs = "I am Windlass's demo agent: a script, not a language model. I can carry out requests of one form, " +
	`"write SOMETHING to PATH and read it back", such as: write a short README to /codex/result.txt and read it back. ` +
	"Everything around me is real: this answer was kept in the log before you saw it."

// demo writes a file, reads it back, and says so.
func demo(t turn) (answer, *model.Fault) {
	m := writeRequest.FindStringSubmatch(t.prompt)
	if m == nil || len(t.prompt) > longestRequest {
		return say(whatItIs)
	}
	what, path, readBack := m[1], strings.Trim(m[2], `"'`+"`"), m[3] != ""
	done, results := t.answers(), t.results()
	if len(results) > 0 && results[0].Failed {
		var failed struct{ Error event.Error }
		_ = json.Unmarshal([]byte(results[0].Output), &failed)
		return say(fmt.Sprintf("I could not do that: %s (%s).", failed.Error.Message, failed.Error.Code))
	}
	switch {
	case done == 0:
		return call("demo-write", "workspace_write", map[string]any{"path": path, "content": content(what)})
	case done == 1 && readBack:
		return call("demo-read", "workspace_read", map[string]any{"path": path})
	case readBack:
		var r struct{ Content string }
		if len(results) > 0 {
			_ = json.Unmarshal([]byte(results[0].Output), &r)
		}
		return say(fmt.Sprintf("I wrote %s to %s and read it back:\n\n%s", what, path, r.Content))
	}
	return say(fmt.Sprintf("I wrote %s to %s.", what, path))
}

func content(what string) string {
	return fmt.Sprintf("# %s\n\nWindlass's demo agent wrote this file when it was asked for %q.\nThe write, this text and the turn around them stand in the session's log.\n", strings.TrimPrefix(strings.TrimPrefix(what, "a "), "short "), what)
}

func say(text string) (answer, *model.Fault) {
	return answer{parts: []model.Part{{Text: text}}}, nil
}

func call(id, name string, args map[string]any) (answer, *model.Fault) {
	b, err := json.Marshal(args)
	if err != nil {
		panic(err) // strings only
	}
	return answer{parts: []model.Part{{Call: &model.Call{ID: id, Name: name, Arguments: string(b)}}}}, nil
}
