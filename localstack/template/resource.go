package template

import (
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"
)

// A resource is one entry of the Resources section; name is physical.
type resource struct {
	id, name string
	kind     *kind
	node     *yaml.Node
	props    *object

	staged, routed bool // of an HTTP API
}

// A kind is a resource type: how to name it, what a template may ask of it and
// how to read it.
type kind struct {
	name       string
	noun       string
	ref        func(*reader, *resource) string
	attributes map[string]func(*reader, *resource) string
	build      func(*reader, *Stack, *resource, defaults)
}

var kinds map[string]*kind

// An assignment in the declaration would be an initialisation cycle.
func init() {
	kinds = map[string]*kind{}
	for _, k := range []*kind{tableKind, bucketKind, functionKind, httpAPIKind, machineKind, queueKind, policyKind, topicKind,
		alarmKind, socketAPIKind, integrationKind, routeKind, stageKind} {
		kinds[k.name] = k
	}
	for _, name := range ignoredTypes {
		kinds[name] = &kind{name: name, build: func(*reader, *Stack, *resource, defaults) {}}
	}
}

// declare names every resource before any is read, so that references may
// point forwards.
func (r *reader) declare(resources *object) {
	r.resources = map[string]*resource{}
	owner := map[string]string{}
	resources.each(func(id string, n *yaml.Node) {
		o := r.object(n, id)
		if c := o.take("Condition"); c != nil && !r.held(c) {
			return // it is not there
		}
		t := o.need("Type")
		k := kinds[r.text(t).Value]
		if k == nil {
			r.fail(t, "%s: the embedded stack does not model the type %s", id, r.text(t).Value)
			return
		}
		o.ignore("DeletionPolicy", "UpdateReplacePolicy", "Metadata", "DependsOn")
		res := &resource{id: id, name: r.physical(id, k.noun), kind: k, node: n}
		res.props = r.object(o.take("Properties"), id)
		o.end()
		if k.noun != "" {
			if other, taken := owner[k.noun+res.name]; taken {
				r.fail(n, "%s and %s would have the same name, %s", other, id, res.name)
			}
			owner[k.noun+res.name] = id
		}
		r.resources[id] = res
	})
}

// physical makes a name of a logical id; see the package's documentation.
func (r *reader) physical(id, noun string) string {
	if short := strings.TrimSuffix(id, noun); short != "" {
		id = short
	}
	return r.opts.Stack + "-" + kebab(id)
}

func kebab(id string) string {
	var b strings.Builder
	runes := []rune(id)
	for i, c := range runes {
		startsWord := unicode.IsUpper(c) && i > 0 &&
			(!unicode.IsUpper(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1]))
		if startsWord {
			b.WriteByte('-')
		}
		b.WriteRune(unicode.ToLower(c))
	}
	return b.String()
}

func (r *reader) arn(service, rest string) string {
	return "arn:aws:" + service + ":" + r.opts.Region + ":" + r.opts.Account + ":" + rest
}

func physicalName(_ *reader, res *resource) string { return res.name }
