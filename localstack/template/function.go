package template

import (
	"path"
	"time"

	"go.yaml.in/yaml/v3"
)

var functionKind = &kind{
	name: "AWS::Serverless::Function",
	noun: "Function",
	ref:  physicalName,
	attributes: map[string]func(*reader, *resource) string{
		"Arn": func(r *reader, res *resource) string { return r.arn("lambda", "function:"+res.name) },
	},
	build: (*reader).function,
}

// defaults is the Globals section: what a function says itself goes before it.
type defaults struct {
	timeout, memory *yaml.Node
	env             map[string]Variable
}

func (r *reader) globals(n *yaml.Node) defaults {
	top := r.object(n, "Globals")
	f := r.object(top.take("Function"), "Globals.Function")
	f.ignore(ignoredOfFunction...)
	d := defaults{timeout: f.take("Timeout"), memory: f.take("MemorySize"), env: map[string]Variable{}}
	r.environment(f.take("Environment"), d.env)
	if layers := f.take("Layers"); len(r.list(layers, "Layers")) > 0 {
		r.fail(layers, "Globals.Function: the embedded stack does not model Layers")
	}
	f.end()
	top.end()
	return d
}

func (r *reader) environment(n *yaml.Node, into map[string]Variable) {
	o := r.object(n, "Environment")
	r.object(o.take("Variables"), "Variables").each(func(name string, value *yaml.Node) {
		into[name] = r.text(value)
	})
	o.end()
}

func (r *reader) function(s *Stack, res *resource, d defaults) {
	p := res.props
	p.ignore(ignoredOfFunction...)
	f := Function{LogicalID: res.id, Name: res.name, Env: map[string]Variable{}}
	f.ARN = r.arn("lambda", "function:"+res.name)
	code := p.need("CodeUri")
	f.Code = path.Base(r.text(code).Value)
	if f.Code == "." || f.Code == "/" {
		r.fail(code, "%s: the last element of CodeUri names the function", res.id)
	}
	for name, v := range d.env {
		f.Env[name] = v
	}
	r.environment(p.take("Environment"), f.Env)
	f.Timeout = time.Duration(r.number(either(p.take("Timeout"), d.timeout), 3, 1, 900)) * time.Second
	f.MemoryMB = r.number(either(p.take("MemorySize"), d.memory), 128, 128, 10240)
	f.Concurrency = r.number(p.take("ReservedConcurrentExecutions"), 0, 1, 1000)
	r.invokedLater(p.take("EventInvokeConfig"))
	r.object(p.take("Events"), "Events").each(func(name string, n *yaml.Node) {
		r.event(&f, name, n)
	})
	p.end()
	s.Functions = append(s.Functions, f)
}

func either(n, otherwise *yaml.Node) *yaml.Node {
	if n != nil {
		return n
	}
	return otherwise
}

// invokedLater reads how often an event is tried. The embedded stack's bus tries
// three times, as is AWS's default; what it gives up is in its log.
func (r *reader) invokedLater(n *yaml.Node) {
	o := r.object(n, "EventInvokeConfig")
	o.ignore(ignoredOfInvoke...)
	r.literal(o.take("MaximumRetryAttempts"), "2")
	o.end()
}
