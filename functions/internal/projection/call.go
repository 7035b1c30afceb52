package projection

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"windlass/eventstore/event"
)

func (p *projector) call(it Item, own bool) {
	c := it.Call
	arguments, malformed := object(it.Body)
	p.repaired(malformed != "", event.RepairArguments, it.N)
	o := openCall{item: it.N, call: c, id: p.callID(c.CallID, it.N, own), name: callName(c.Name), malformed: malformed}
	call := &Call{ID: o.id, Name: o.name, Arguments: arguments}
	if own {
		call.Native = it.Native
	}
	p.open = append(p.open, o)
	p.say(Assistant, Part{Call: call})
}

// result answers the open call that it names. Results come in the order of their
// calls, so those before it have none, and never will.
func (p *projector) result(it Item) {
	i := slices.IndexFunc(p.open, func(o openCall) bool { return it.Call != nil && o.call.Index == it.Call.Index })
	if i < 0 {
		p.repaired(true, event.RepairOrphan, it.N)
		return
	}
	for range i {
		p.lost()
	}
	o := p.open[0]
	p.open, p.answered = p.open[1:], true
	if it.Error != nil {
		code, _ := clean(it.Error.Code)
		message, _ := clean(it.Error.Message)
		p.say(User, Part{Result: &Result{o.id, o.name, failedCall(code, message, o.malformed), true}})
		return
	}
	output, changed := clean(it.Body)
	p.repaired(changed, event.RepairText, it.N)
	if output == "" {
		output = noText
	}
	p.say(User, Part{Result: &Result{o.id, o.name, output, false}})
}

// lost gives the first open call a result.
func (p *projector) lost() {
	o := p.open[0]
	p.open, p.answered = p.open[1:], true
	p.repaired(true, event.RepairResult, o.item)
	p.say(User, Part{Result: &Result{o.id, o.name, failedCall("lost", "the result of this call is not known", o.malformed), true}})
}

// close ends an answer: its calls that have no result get one.
func (p *projector) close() {
	for len(p.open) > 0 {
		p.lost()
	}
	p.answered = false
}

// failedCall is the output of a call that failed. Arguments are what the model
// wrote, where they could not be sent as such.
func failedCall(code, message, malformed string) string {
	var out struct {
		Error     event.Error `json:"error"`
		Arguments string      `json:"arguments,omitempty"`
	}
	out.Error, out.Arguments = event.Error{Code: code, Message: message}, malformed
	return compact(out)
}

// plainID is what every protocol takes for a call's id.
var plainID = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// callID keeps the id of a model's own call where it can, because some models were
// trained on its form. Any other, and one that was used before, is made from the
// call's place in the transcript, in nine letters and digits, the one form that all
// servers take. So a call has the same id in every later request.
func (p *projector) callID(id string, place int, own bool) string {
	form := p.CallID
	if form == nil {
		form = plainID
	}
	if !own || !form.MatchString(id) || p.used[id] {
		for n := 0; ; n++ {
			if id = fmt.Sprintf("c%08d", (place+n)%100_000_000); !p.used[id] {
				break
			}
		}
	}
	p.used[id] = true
	return id
}

var notInNames = regexp.MustCompile(`[^A-Za-z0-9_-]`)

// callName is a name that every protocol takes: a model may have called what is no
// tool, which the call's result says.
func callName(name string) string {
	name = notInNames.ReplaceAllString(name, "_")
	if name == "" {
		return "_"
	}
	return name[:min(len(name), 64)]
}

// object gives arguments as a JSON object. Where they are none, because a model
// broke off or forgot them, it is an empty one, and the malformed text is told.
func object(arguments string) (object, malformed string) {
	arguments, _ = clean(arguments)
	switch trimmed := strings.TrimSpace(arguments); {
	case trimmed == "":
		return "{}", "(none)"
	case !strings.HasPrefix(trimmed, "{") || !json.Valid([]byte(trimmed)):
		return "{}", strings.ToValidUTF8(arguments[:min(len(arguments), 2<<10)], "")
	}
	return wholeRunes(arguments), ""
}
