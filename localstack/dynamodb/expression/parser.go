package expression

import (
	"strconv"
	"strings"

	"windlass/localstack/dynamodb/attribute"
)

// Limits of one expression.
const (
	maxSize      = 4096
	maxOperators = 300
)

// parser holds one expression. Its error sticks, and after one every token is
// the end, so that loops stop by themselves.
type parser struct {
	kind      string // as in the messages: ConditionExpression ...
	text      string
	tokens    []token
	pos       int
	operators int
	params    *Placeholders
	err       error
}

func newParser(kind, text string, params *Placeholders) *parser {
	p := &parser{kind: kind, text: text, params: params}
	switch {
	case strings.TrimSpace(text) == "":
		p.fail("The expression can not be empty;")
	case len(text) > maxSize:
		p.fail("Expression size has exceeded the maximum allowed size; expression size: %d", len(text))
	default:
		p.tokens = lex(text)
	}
	return p
}

func (p *parser) fail(format string, args ...any) {
	if p.err == nil {
		p.err = refuse("Invalid "+p.kind+": "+format, args...)
	}
}

// syntax refuses the current token.
func (p *parser) syntax() {
	if p.err != nil {
		return
	}
	t := p.tokens[p.pos]
	first, last := p.tokens[max(p.pos-1, 0)], p.tokens[min(p.pos+1, len(p.tokens)-1)]
	p.fail(`Syntax error; token: "%s", near: "%s"`, t.text, p.text[first.start:last.end])
}

func (p *parser) peek() token { return p.ahead(0) }

func (p *parser) ahead(n int) token {
	if p.err != nil || p.pos+n >= len(p.tokens) {
		return token{kind: 'e'}
	}
	return p.tokens[p.pos+n]
}

func (p *parser) take() token {
	t := p.peek()
	if t.kind != 'e' {
		p.pos++
	}
	return t
}

// accept consumes the operator if it is next.
func (p *parser) accept(op string) bool {
	if !p.peek().is(op) {
		return false
	}
	p.pos++
	return true
}

func (p *parser) expect(op string) {
	if !p.accept(op) {
		p.syntax()
	}
}

// keyword reports whether the next token is the word, in any case.
func (p *parser) keyword(word string) bool {
	t := p.peek()
	return t.kind == 'w' && strings.EqualFold(t.text, word)
}

func (p *parser) acceptKeyword(word string) bool {
	if !p.keyword(word) {
		return false
	}
	p.pos++
	return true
}

// end demands that everything is read.
func (p *parser) end() {
	if p.err == nil && p.peek().kind != 'e' {
		p.syntax()
	}
}

func (p *parser) operator() {
	if p.operators++; p.operators > maxOperators {
		p.fail("The expression contains too many operators; number of operators: %d", p.operators)
	}
}

// path reads name, name.name, name[1] and so on.
func (p *parser) path() Path {
	path := Path{{Name: p.pathName(), Index: -1}}
	for {
		switch {
		case p.accept("."):
			path = append(path, Step{Name: p.pathName(), Index: -1})
		case p.accept("["):
			t := p.peek()
			index, err := strconv.Atoi(t.text)
			if t.kind != 'n' || err != nil {
				p.syntax()
				return path
			}
			p.take()
			p.expect("]")
			path = append(path, Step{Index: index})
		default:
			return path
		}
	}
}

func (p *parser) pathName() string {
	switch t := p.peek(); t.kind {
	case 'w':
		if reserved(t.text) {
			p.fail("Attribute name is a reserved keyword; reserved keyword: %s", t.text)
		}
		return p.take().text
	case '#':
		name, ok := p.params.name(t.text)
		if !ok {
			p.fail("An expression attribute name used in the document path is not defined; attribute name: %s", t.text)
		}
		p.take()
		return name
	}
	p.syntax()
	return ""
}

func (p *parser) value() attribute.Value {
	t := p.take()
	v, ok := p.params.value(t.text)
	if !ok {
		p.fail("An expression attribute value used in expression is not defined; attribute value: %s", t.text)
	}
	return v
}
