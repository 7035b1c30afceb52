package expression

import (
	"strings"

	"windlass/localstack/dynamodb/attribute"
)

// Update is a parsed update expression.
type Update struct {
	sets    []assignment
	removes []Path
	adds    []delta
	deletes []delta
}

type assignment struct {
	path  Path
	value term
}

type delta struct {
	path  Path
	value attribute.Value
}

// ParseUpdate parses an update expression for an item with these key names,
// which no update may change.
func ParseUpdate(text string, keys []string, params *Placeholders) (*Update, error) {
	p := newParser("UpdateExpression", text, params)
	u := &Update{}
	used := map[string]bool{}
	for p.err == nil && p.peek().kind != 'e' {
		section := strings.ToUpper(p.peek().text)
		if used[section] {
			p.fail(`The "%s" section can only be used once in an update expression;`, section)
		}
		used[section] = true
		p.section(u, section)
	}
	paths := u.Paths()
	p.distinct(paths)
	if p.err != nil {
		return nil, p.err
	}
	for _, path := range paths {
		for _, key := range keys {
			if path[0].Name == key {
				return nil, refuse("One or more parameter values were invalid: Cannot update attribute %s. This attribute is part of the key", key)
			}
		}
	}
	return u, nil
}

// section reads one clause, up to the next clause's word.
func (p *parser) section(u *Update, section string) {
	switch section {
	case "SET", "REMOVE", "ADD", "DELETE":
		p.take()
	default:
		p.syntax()
	}
	for p.err == nil {
		path := p.path()
		switch section {
		case "SET":
			p.expect("=")
			u.sets = append(u.sets, assignment{path, p.sum()})
		case "REMOVE":
			u.removes = append(u.removes, path)
		case "ADD":
			u.adds = append(u.adds, p.delta(section, path))
		case "DELETE":
			u.deletes = append(u.deletes, p.delta(section, path))
		}
		p.operator()
		if !p.accept(",") {
			return
		}
	}
}

func (p *parser) delta(section string, path Path) delta {
	if p.err == nil && p.peek().kind != ':' {
		p.syntax()
	}
	d := delta{path, p.value()}
	if p.err != nil || d.value.Kind.Element() != "" || section == "ADD" && d.value.Kind == attribute.Number {
		return d
	}
	p.fail("Incorrect operand type for operator or function; operator: %s, operand type: %s, typeSet: ALLOWED_FOR_%s_OPERAND", section, typeNames[d.value.Kind], section)
	return d
}

// typeNames are the long names that some messages use.
var typeNames = map[attribute.Kind]string{
	attribute.String: "STRING", attribute.Number: "NUMBER", attribute.Binary: "BINARY", attribute.Bool: "BOOLEAN", attribute.Null: "NULL",
	attribute.List: "LIST", attribute.Map: "MAP", attribute.StringSet: "STRING_SET", attribute.NumberSet: "NUMBER_SET", attribute.BinarySet: "BINARY_SET",
}

// Paths are the values that the update may change, in order of the clauses SET,
// REMOVE, ADD, DELETE.
func (u *Update) Paths() []Path {
	paths := make([]Path, 0, len(u.sets)+len(u.removes)+len(u.adds)+len(u.deletes))
	for _, s := range u.sets {
		paths = append(paths, s.path)
	}
	paths = append(paths, u.removes...)
	for _, d := range u.adds {
		paths = append(paths, d.path)
	}
	for _, d := range u.deletes {
		paths = append(paths, d.path)
	}
	return paths
}
