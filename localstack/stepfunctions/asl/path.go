package asl

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// maxSteps bounds the depth of one path.
const maxSteps = 64

// Path is a reference path: it names exactly one place, in the state's input
// ($.a.b, $.a[0], $['odd name']) or in the context object ($$.Execution.Name).
type Path struct {
	text    string
	context contextField // "" for a path into the input
	steps   []step
}

type step struct {
	name  string
	index int // -1 for a name
}

func (p *Path) String() string { return p.text }

// ParsePath reads a reference path. Everything of JSONPath that may name several
// places is refused, as are intrinsic functions.
func ParsePath(text string) (*Path, error) {
	p := &Path{text: text}
	rest, isContext := strings.CutPrefix(text, "$$")
	if !isContext {
		var ok bool
		if rest, ok = strings.CutPrefix(text, "$"); !ok {
			return nil, notAPath(text)
		}
	}
	for rest != "" {
		if len(p.steps) == maxSteps {
			return nil, fmt.Errorf("path %.40q... has more than %d steps", text, maxSteps)
		}
		s, after, err := parseStep(rest)
		if err != nil {
			return nil, fmt.Errorf("%q is not a reference path: %w", text, err)
		}
		p.steps, rest = append(p.steps, s), after
	}
	if isContext {
		return p, p.resolveContext()
	}
	return p, nil
}

func notAPath(text string) error {
	if strings.HasPrefix(text, "States.") {
		return fmt.Errorf("intrinsic functions are not supported here: %q", text)
	}
	if strings.HasPrefix(text, "{%") {
		return fmt.Errorf("JSONata is not supported here: %q", text)
	}
	return fmt.Errorf("%q is not a reference path: it must begin with $", text)
}

func parseStep(rest string) (step, string, error) {
	switch {
	case strings.HasPrefix(rest, ".."):
		return step{}, "", fmt.Errorf("'..' may match more than one place")
	case rest[0] == '.':
		end := strings.IndexAny(rest[1:], ".[")
		if end < 0 {
			end = len(rest) - 1
		}
		name := rest[1 : 1+end]
		if !plainName(name) {
			return step{}, "", fmt.Errorf("%q is not a plain name (write ['name'])", name)
		}
		return step{name: name, index: -1}, rest[1+end:], nil
	case strings.HasPrefix(rest, "['"):
		name, after, ok := strings.Cut(rest[2:], "']")
		if !ok || name == "" || strings.ContainsAny(name, `'\`) {
			return step{}, "", fmt.Errorf("bad name in brackets")
		}
		return step{name: name, index: -1}, after, nil
	case rest[0] == '[':
		digits, after, ok := strings.Cut(rest[1:], "]")
		index, err := strconv.Atoi(digits)
		if !ok || err != nil || index < 0 || strconv.Itoa(index) != digits {
			return step{}, "", fmt.Errorf("[%s] is not one index", digits)
		}
		return step{index: index}, after, nil
	}
	return step{}, "", fmt.Errorf("unexpected %q", rest)
}

func plainName(name string) bool {
	for _, r := range name {
		if r == unicode.ReplacementChar || r != '_' && r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return false
		}
	}
	return name != ""
}

// find returns what the path names; ok is false if there is no such place.
func (p *Path) find(input any, ctx *Context) (value any, ok bool) {
	value, steps := input, p.steps
	if p.context != "" {
		if value, ok = ctx.field(p.context); !ok {
			return nil, false
		}
		steps = steps[2:]
	}
	for _, s := range steps {
		if value, ok = s.descend(value); !ok {
			return nil, false
		}
	}
	return value, true
}

func (s step) descend(value any) (any, bool) {
	if s.index < 0 {
		object, _ := value.(map[string]any)
		value, ok := object[s.name]
		return value, ok
	}
	array, _ := value.([]any)
	if s.index >= len(array) {
		return nil, false
	}
	return array[s.index], true
}

// get is find with the failure that AWS reports for a missing place.
func (p *Path) get(field string, input *Value, ctx *Context) (any, *Failure) {
	if value, ok := p.find(input.Tree(), ctx); ok {
		return value, nil
	}
	return nil, &Failure{ErrRuntime, fmt.Sprintf("The JSONPath '%s' specified for the field '%s' could not be found in the input '%s'",
		p.text, field, excerpt(input.Text()))}
}

// isRoot reports whether the path is the whole input.
func (p *Path) isRoot() bool { return p.context == "" && len(p.steps) == 0 }

func excerpt(text []byte) string {
	const most = 1000
	if len(text) <= most {
		return string(text)
	}
	return strings.ToValidUTF8(string(text[:most]), "") + "..."
}
