package template

import (
	"encoding/json"

	"go.yaml.in/yaml/v3"
)

var machineKind = &kind{
	name: "AWS::Serverless::StateMachine",
	noun: "StateMachine",
	ref:  machineARN,
	attributes: map[string]func(*reader, *resource) string{
		"Arn":  machineARN,
		"Name": physicalName,
	},
	build: (*reader).machine,
}

func machineARN(r *reader, res *resource) string { return r.arn("states", "stateMachine:"+res.name) }

func (r *reader) machine(s *Stack, res *resource, _ defaults) {
	p := res.props
	p.ignore(ignoredOfMachine...)
	r.literal(p.take("Type"), "STANDARD")
	uri := p.need("DefinitionUri")
	substitutions := map[string]string{}
	r.object(p.take("DefinitionSubstitutions"), "DefinitionSubstitutions").each(func(k string, v *yaml.Node) {
		substitutions[k] = r.text(v).Value
	})
	p.end()
	if r.err != nil {
		return
	}
	m := StateMachine{LogicalID: res.id, Name: res.name, ARN: machineARN(r, res)}
	m.Definition = r.definition(uri, substitutions)
	s.Machines = append(s.Machines, m)
}

// definition reads the machine's file and fills in its placeholders. One that
// stays empty is refused: AWS would take it for text.
func (r *reader) definition(uri *yaml.Node, with map[string]string) []byte {
	name := r.text(uri).Value
	data, err := r.read(name)
	if err != nil {
		r.fail(uri, "the state machine's definition %s cannot be read: %v", name, err)
		return nil
	}
	filled := placeholder.ReplaceAllFunc(data, func(hole []byte) []byte {
		value, ok := with[string(hole[2:len(hole)-1])]
		if !ok {
			r.fail(uri, "%s: nothing is given for %s", name, hole)
		}
		return []byte(value)
	})
	if !json.Valid(filled) {
		r.fail(uri, "%s is not JSON", name)
	}
	return filled
}
