package providers

import (
	"fmt"
	"maps"
)

// item streams one item of the output; cut says that the answer's length ends
// within it.
func (s *responsesStream) item(p Part, cut bool) {
	switch {
	case p.Call != nil:
		s.call(p.Call, cut)
	case p.Reasoning != "" || p.Signature != "":
		s.reasoning(p)
	default:
		s.message(p.Text, cut)
	}
}

// place are the fields that name the item under way. The API gives an item's id a
// new value now and then, so nothing may depend on it.
func (s *responsesStream) place(fields object) object {
	fields["output_index"], fields["item_id"] = len(s.output), fmt.Sprintf("item_%d", s.number)
	return fields
}

func (s *responsesStream) begin(item object) {
	s.event("response.output_item.added", object{"output_index": len(s.output), "item": item})
}

func (s *responsesStream) end(begun, fields object, cut bool) {
	item := maps.Clone(begun)
	maps.Copy(item, fields)
	if item["status"] = "completed"; cut {
		item["status"] = "incomplete"
	}
	s.event("response.output_item.done", object{"output_index": len(s.output), "item": item})
	s.output = append(s.output, item)
}

func (s *responsesStream) message(text string, cut bool) {
	kind, field := "output_text", "text"
	if s.refuses {
		kind, field = "refusal", "refusal"
	}
	content := func(text string) object {
		c := object{"type": kind, field: text}
		if !s.refuses {
			c["annotations"] = []any{}
		}
		return c
	}
	begun := object{"id": "msg_1", "type": "message", "role": "assistant", "status": "in_progress", "content": []any{}}
	s.begin(begun)
	s.event("response.content_part.added", s.place(object{"content_index": 0, "part": content("")}))
	for _, d := range pieces(text) {
		s.event("response."+kind+".delta", s.place(object{"content_index": 0, "delta": d, "obfuscation": "x"}))
	}
	s.event("response."+kind+".done", s.place(object{"content_index": 0, field: text}))
	s.event("response.content_part.done", s.place(object{"content_index": 0, "part": content(text)}))
	s.end(begun, object{"content": []object{content(text)}}, cut)
}

// reasoning begins with an encrypted form that is not yet whole, as the API does.
func (s *responsesStream) reasoning(p Part) {
	begun := object{"id": "rs_1", "type": "reasoning", "summary": []any{}}
	if p.Signature != "" {
		begun["encrypted_content"] = "not-yet-" + p.Signature[:len(p.Signature)/2]
	}
	s.begin(begun)
	summary := []object{}
	if p.Reasoning != "" {
		s.event("response.reasoning_summary_part.added", s.place(object{"summary_index": 0, "part": object{"type": "summary_text", "text": ""}}))
		for _, d := range pieces(p.Reasoning) {
			s.event("response.reasoning_summary_text.delta", s.place(object{"summary_index": 0, "delta": d}))
		}
		summary = append(summary, object{"type": "summary_text", "text": p.Reasoning})
		s.event("response.reasoning_summary_text.done", s.place(object{"summary_index": 0, "text": p.Reasoning}))
		s.event("response.reasoning_summary_part.done", s.place(object{"summary_index": 0, "part": summary[0]}))
	}
	whole := object{"summary": summary}
	if p.Signature != "" {
		whole["encrypted_content"] = p.Signature
	}
	s.end(begun, whole, false)
}

func (s *responsesStream) call(c *Call, cut bool) {
	begun := object{"id": "fc_1", "type": "function_call", "status": "in_progress", "call_id": c.ID, "name": c.Name, "arguments": ""}
	s.begin(begun)
	for _, d := range pieces(c.Arguments) {
		s.event("response.function_call_arguments.delta", s.place(object{"delta": d}))
	}
	if !cut {
		s.event("response.function_call_arguments.done", s.place(object{"arguments": c.Arguments}))
	}
	s.end(begun, object{"arguments": c.Arguments}, cut)
}
