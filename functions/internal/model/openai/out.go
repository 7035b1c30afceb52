package openai

import (
	"strings"

	"windlass/functions/internal/model"
)

// out are parts in their order, ready to be handed on.
type out struct {
	ready []model.Part
	// open is the text that a native part would stand for: all since another kind of part.
	open strings.Builder
}

// take gives what is ready, once.
func (o *out) take() []model.Part {
	p := o.ready
	o.ready = nil
	return p
}

func (o *out) part(p model.Part) {
	if o.open.WriteString(p.Text); p.Text == "" {
		o.open.Reset()
	}
	o.ready = append(o.ready, p)
}

// message ends the text under way with its phase.
func (o *out) message(phase string) {
	if said := o.open.String(); said != "" {
		o.part(model.Part{Native: phased(said, phase).text()})
	}
}

// opaque is reasoning of which there may be nothing to read. It must not be taken
// for the native form of a text before it, so that text gets its own.
func (o *out) opaque(n native) {
	o.message("")
	o.part(model.Part{Native: n.text()})
}
