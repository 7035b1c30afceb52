package asl

import (
	"sort"
	"unicode/utf8"
)

// Limits of a definition.
const (
	MaxDefinition = 1 << 20 // bytes
	maxStateName  = 80
	maxSeconds    = 99_999_999
)

// Machine is a definition that can be run. It is immutable.
type Machine struct {
	StartAt        string
	TimeoutSeconds int // 0: none
	States         map[string]State
}

// State is one of *Task, *Choice, *Wait, *Pass, *Succeed and *Fail.
type State interface {
	// targets lists every state this one may go to, with the field that says so.
	targets() []target
	// terminal reports whether the execution may end here.
	terminal() bool
}

type target struct{ field, state string }

// Transition is where a state goes: to Next, or nowhere if Next is empty.
type Transition struct{ Next string }

func (t Transition) targets() []target {
	if t.Next == "" {
		return nil
	}
	return []target{{"Next", t.Next}}
}
func (t Transition) terminal() bool { return t.Next == "" }

// stateTypes maps Type to its reader: one per file.
var stateTypes = map[string]func(*object) State{
	"Task": readTask, "Choice": readChoice, "Wait": readWait, "Pass": readPass, "Succeed": readSucceed, "Fail": readFail,
}

// Parse reads and validates a definition. The error is a [*DefinitionError].
func Parse(definition []byte) (*Machine, error) {
	var p problems
	m := parseMachine(definition, &p)
	if len(p) == 0 {
		checkGraph(m, &p)
	}
	if len(p) > 0 {
		return nil, &DefinitionError{Problems: p}
	}
	return m, nil
}

func parseMachine(definition []byte, p *problems) *Machine {
	if len(definition) > MaxDefinition {
		p.add(schemaFailed, "/", "the definition is larger than %d bytes", MaxDefinition)
		return nil
	}
	if !utf8.Valid(definition) {
		p.add(invalidJSON, "/", "the definition is not UTF-8")
		return nil
	}
	if _, err := decode(definition); err != nil {
		p.add(invalidJSON, "/", "%v", err)
		return nil
	}
	o := readObject("", definition, p)
	o.text("Comment")
	if v, given := o.text("Version"); given && v != "1.0" {
		o.fail("Version", "must be \"1.0\"")
	}
	readQueryLanguage(o)
	m := &Machine{
		StartAt:        o.requiredText("StartAt"),
		TimeoutSeconds: o.whole("TimeoutSeconds", 1, maxSeconds, 0),
		States:         map[string]State{},
	}
	if !o.has("States") {
		o.fail("States", "is required")
	}
	raw, _ := o.take("States")
	o.done()
	if raw != nil {
		readStates(m, readObject("/States", raw, p))
	}
	return m
}

func readQueryLanguage(o *object) {
	if v, given := o.text("QueryLanguage"); given && v != "JSONPath" {
		o.fail("QueryLanguage", "%.40q is not supported here, only JSONPath", v)
	}
}

func readStates(m *Machine, states *object) {
	names := make([]string, 0, len(states.members))
	for name := range states.members {
		names = append(names, name)
	}
	sort.Strings(names) // the message of a wrong definition is the same each time
	for _, name := range names {
		at := "/States/" + name
		if n := utf8.RuneCountInString(name); n == 0 || n > maxStateName {
			states.problems.add(schemaFailed, at, "a state's name has 1 to %d characters", maxStateName)
		}
		o := readObject(at, states.members[name], states.problems)
		o.text("Comment")
		readQueryLanguage(o)
		kind := o.requiredText("Type")
		read, known := stateTypes[kind]
		if !known {
			if kind != "" {
				o.fail("Type", "state type %.40q is not supported here", kind)
			}
			continue
		}
		m.States[name] = read(o)
		o.done()
	}
}

// transition takes Next or End, of which there must be exactly one.
func (o *object) transition() Transition {
	next, hasNext := o.text("Next")
	hasEnd := o.has("End")
	end := o.flag("End")
	if hasNext && next == "" {
		o.fail("Next", "must name a state")
	}
	if hasNext == end || hasEnd && !end {
		o.fail("Next", "exactly one of Next and \"End\": true is required")
	}
	return Transition{Next: next}
}
