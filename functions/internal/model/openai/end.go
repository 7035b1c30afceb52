package openai

import (
	"encoding/json"

	"windlass/functions/internal/model"
	"windlass/functions/internal/model/wire"
)

// end hands on what is left, and how the answer ended.
func (r *reader) end(last response, kind string) error {
	if wire.Given(last.Error) || last.Status == "failed" || kind == "response.failed" {
		wrapped, err := json.Marshal(map[string]json.RawMessage{"error": last.Error})
		if err != nil || len(last.Error) == 0 {
			wrapped = []byte("{}")
		}
		return r.complain(wire.ReadComplaint(wrapped))
	}
	if kind == "response.cancelled" || last.Status == "cancelled" {
		return wire.ErrBrokeOff
	}
	cut := kind == "response.incomplete" || last.Status == "incomplete"
	r.answer.finish(last.Output, cut)
	if err := r.flush(); err != nil {
		return err
	}
	stop := model.StopEnd
	switch {
	case cut && last.Incomplete.Reason == "content_filter", r.answer.refused:
		stop = model.StopRefusal
	case cut:
		stop = model.StopLength
	case r.answer.calls > 0:
		stop = model.StopTools
	}
	r.yield(model.Part{Stop: stop, Usage: last.Usage.tokens()}, nil)
	return nil
}

// flush hands on what may be.
func (r *reader) flush() error {
	if r.answer.tooLarge() {
		return wire.ErrTooLarge
	}
	for _, p := range r.answer.take() {
		if !r.yield(p, nil) {
			return errEnough
		}
	}
	return nil
}

func (r *reader) complain(c wire.Complaint) error {
	return c.Fault(c.Status(), c.Said(0, r.key))
}
