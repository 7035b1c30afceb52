package template

import "go.yaml.in/yaml/v3"

var tableKind = &kind{
	name: "AWS::DynamoDB::Table",
	noun: "Table",
	ref:  physicalName,
	attributes: map[string]func(*reader, *resource) string{
		"Arn": func(r *reader, res *resource) string { return r.arn("dynamodb", "table/"+res.name) },
	},
	build: (*reader).table,
}

func (r *reader) table(s *Stack, res *resource, _ defaults) {
	p := res.props
	p.ignore(ignoredOfTable...)
	t := Table{LogicalID: res.id, Name: res.name}
	types := r.attributeTypes(p.need("AttributeDefinitions"))
	for i, item := range r.list(p.need("KeySchema"), "KeySchema") {
		key := r.object(item, "a key")
		name := r.text(key.need("AttributeName")).Value
		a := Attribute{Name: name, Type: types[name]}
		delete(types, name)
		switch kind := r.text(key.need("KeyType")).Value; {
		case a.Type == "":
			r.fail(item, "key %q has no attribute definition", name)
		case kind == "HASH" && i == 0:
			t.HashKey = a
		case kind == "RANGE" && i == 1:
			t.RangeKey = a
		default:
			r.fail(item, "a table has one HASH key and then at most one RANGE key")
		}
		key.end()
	}
	if len(types) > 0 {
		r.fail(res.node, "%s defines attributes that are no key", res.id)
	}
	t.StreamView = r.streamView(p.take("StreamSpecification"))
	t.TTLAttribute = r.ttl(p.take("TimeToLiveSpecification"))
	p.end()
	if t.HashKey.Name == "" {
		r.fail(res.node, "%s has no HASH key", res.id)
	}
	s.Tables = append(s.Tables, t)
}

func (r *reader) attributeTypes(n *yaml.Node) map[string]string {
	types := map[string]string{}
	for _, item := range r.list(n, "AttributeDefinitions") {
		d := r.object(item, "an attribute definition")
		name, kind := r.text(d.need("AttributeName")).Value, r.text(d.need("AttributeType")).Value
		if kind != "S" && kind != "N" && kind != "B" {
			r.fail(item, "attribute %s: %q is no key type", name, kind)
		}
		types[name] = kind
		d.end()
	}
	return types
}

func (r *reader) streamView(n *yaml.Node) string {
	if n == nil {
		return ""
	}
	o := r.object(n, "StreamSpecification")
	view := r.text(o.need("StreamViewType")).Value
	o.end()
	switch view {
	case "KEYS_ONLY", "NEW_IMAGE", "OLD_IMAGE", "NEW_AND_OLD_IMAGES":
	default:
		r.fail(n, "%q is no stream view", view)
	}
	return view
}

func (r *reader) ttl(n *yaml.Node) string {
	if n == nil {
		return ""
	}
	o := r.object(n, "TimeToLiveSpecification")
	name, enabled := r.text(o.take("AttributeName")).Value, r.boolean(o.need("Enabled"))
	o.end()
	if !enabled {
		return ""
	}
	if name == "" {
		r.fail(n, "TimeToLiveSpecification names no attribute")
	}
	return name
}
