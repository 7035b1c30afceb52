package anthropic

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"windlass/functions/internal/model/wire"
	"windlass/functions/internal/projection"
)

const (
	// noText stands where the API wants text, and there is none.
	noText = "(empty)"
	// goOn is said for the user where the transcript ends in the model's own words, because
	// another model paused in them: no newer one goes on with words that it is given.
	goOn = "Continue."
)

type textBlock struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

type toolUse struct {
	Type  string          `json:"type"`
	ID    string          `json:"id"`
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input"`
}

type toolResult struct {
	Type    string `json:"type"`
	ID      string `json:"tool_use_id"`
	Content string `json:"content"`
	Failed  bool   `json:"is_error,omitempty"`
}

type fileBlock struct {
	Type   string     `json:"type"`
	Source fileSource `json:"source"`
	Title  string     `json:"title,omitempty"`
}

type fileSource struct {
	Type  string `json:"type"`
	Media string `json:"media_type"`
	Data  string `json:"data"`
}

const pdf = "application/pdf"

// takes says which files the API takes as such.
func takes(mediaType string) bool {
	switch mediaType {
	case "image/png", "image/jpeg", "image/gif", "image/webp", pdf:
		return true
	}
	return false
}

// breakpoint is the last field of a block. A server compares what stands before it
// with what it keeps, and not the field.
//
// The one field for a whole request that the API has for this, cache_control beside
// the messages, would leave the messages' bytes alone. But gateways to other clouds
// refuse a request for it, or pass it over, and this one all know.
const breakpoint = `,"cache_control":{"type":"ephemeral"}}`

// breakpoints are on the last two of the user's messages: one to keep what is new,
// one where the request before had its own. A server looks for that in twenty blocks
// only, and a round may have more.
const breakpoints = 2

func (w *writer) messages(all []projection.Message) error {
	marked := len(all)
	for n := 0; n < breakpoints && marked > 0; {
		if marked--; all[marked].Role == projection.User {
			n++
		}
	}
	for i, m := range all {
		if i > 0 {
			w.out.WriteByte(',')
		}
		if err := w.message(m, i >= marked && m.Role == projection.User); err != nil {
			return err
		}
	}
	if n := len(all); n > 0 && all[n-1].Role == projection.Assistant && !paused(all[n-1]) {
		w.out.WriteByte(',')
		return w.message(projection.Message{Role: projection.User, Parts: []projection.Part{{Text: goOn}}}, false)
	}
	return nil
}

// paused: the answer ends in something that the server itself does, and goes on with.
func paused(m projection.Message) bool {
	_, kind := given(m.Parts[len(m.Parts)-1].Native)
	return kind != "" && kind != "text" && !isThinking(kind)
}

// message writes one message. An answer may have been cut off within its thinking, or
// hold nothing that can be given back: no message may be empty or end in thinking.
func (w *writer) message(m projection.Message, mark bool) error {
	w.out.WriteString(`{"role":"` + string(m.Role) + `","content":[`)
	begin, last := w.out.Len(), ""
	for _, p := range m.Parts {
		if p.Native != "" {
			if native, kind := given(p.Native); kind != "" {
				w.comma(begin)
				w.out.WriteString(native)
				last = kind
			}
			continue
		}
		if err := w.block(begin, content(p)); err != nil {
			return err
		}
		last = ""
	}
	if w.out.Len() == begin || isThinking(last) {
		if err := w.block(begin, textBlock{"text", noText}); err != nil {
			return err
		}
	}
	if mark {
		w.out.Truncate(w.out.Len() - 1) // the block's closing brace
		w.out.WriteString(breakpoint)
	}
	w.out.WriteString("]}")
	return w.bounded()
}

func (w *writer) comma(begin int) {
	if w.out.Len() > begin {
		w.out.WriteByte(',')
	}
}

func (w *writer) block(begin int, v any) error {
	w.comma(begin)
	return wire.AppendJSON(&w.out, v)
}

// content is a part in the API's form.
func content(p projection.Part) any {
	switch {
	case p.Call != nil:
		return toolUse{"tool_use", p.Call.ID, p.Call.Name, json.RawMessage(p.Call.Arguments)}
	case p.Result != nil:
		return toolResult{"tool_result", p.Result.CallID, visible(p.Result.Output), p.Result.Failed}
	case p.File != nil:
		return file(*p.File)
	}
	return textBlock{"text", visible(p.Text)}
}

// visible: the API refuses text with nothing in it.
func visible(s string) string {
	if strings.TrimSpace(s) == "" {
		return noText
	}
	return s
}

func file(f projection.File) fileBlock {
	source := fileSource{"base64", f.Type, base64.StdEncoding.EncodeToString([]byte(f.Data))}
	if f.Type != pdf {
		return fileBlock{Type: "image", Source: source}
	}
	return fileBlock{Type: "document", Source: source, Title: strings.ToValidUTF8(f.Name[:min(len(f.Name), 200)], "")}
}
