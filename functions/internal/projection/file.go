package projection

import (
	"fmt"
	"mime"
	"strings"
	"unicode/utf8"

	"windlass/eventstore/event"
)

// file shows a file: as such if the protocol takes it, as text if it is one, else by
// its name.
func (p *projector) file(it Item, f event.File, data string) {
	kind, _, err := mime.ParseMediaType(f.Type)
	if err != nil {
		kind = "application/octet-stream"
	}
	name, _ := clean(title(f))
	switch {
	case p.File != nil && p.File(kind) && data != "" && it.N > p.FilesAfter:
		p.say(User, Part{File: &File{Name: name, Type: kind, Data: data}})
	case textual(kind) && utf8.ValidString(data):
		text, changed := clean(data)
		p.repaired(changed, event.RepairText, it.N)
		p.say(User, Part{Text: fmt.Sprintf("File %s (%s):\n%s", name, kind, text)})
	default:
		p.repaired(true, event.RepairFile, it.N)
		p.say(User, Part{Text: named(f) + " This model cannot be shown it."})
	}
}

// textual media types are shown as text.
func textual(kind string) bool {
	switch kind {
	case "application/json", "application/xml", "application/yaml", "application/x-yaml", "application/javascript", "application/sql", "application/toml", "image/svg+xml":
		return true
	}
	return strings.HasPrefix(kind, "text/") || strings.HasSuffix(kind, "+json") || strings.HasSuffix(kind, "+xml")
}

// named is all that is shown of a file that a model made, or cannot be shown.
func named(f event.File) string {
	s, _ := clean(fmt.Sprintf("[File %s, %s, %d bytes.]", title(f), f.Type, f.Content.Len()))
	return s
}

func title(f event.File) string {
	switch {
	case f.Path != "":
		return f.Path
	case f.Name != "":
		return f.Name
	}
	return "without a name"
}
