package template

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"go.yaml.in/yaml/v3"
)

// maxBytes bounds a template as CloudFormation does.
const maxBytes = 1 << 20

// Options say where the stack is to live. The zero value is the embedded one.
type Options struct {
	Stack   string // default "windlass"
	Region  string // default "us-east-1"
	Account string // default "000000000000"

	// SocketEndpoint is a WebSocket API's ApiEndpoint, which is known once its
	// listener is bound; default "ws://127.0.0.1:8787".
	SocketEndpoint string
	// HTTPEndpoint is an HTTP API's; default "http://127.0.0.1:8787".
	HTTPEndpoint string

	// Parameters override the template's defaults.
	Parameters map[string]string
}

func (o Options) withDefaults() Options {
	o.Stack = orElse(o.Stack, "windlass")
	o.Region = orElse(o.Region, "us-east-1")
	o.Account = orElse(o.Account, "000000000000")
	o.SocketEndpoint = orElse(o.SocketEndpoint, "ws://127.0.0.1:8787")
	o.HTTPEndpoint = orElse(o.HTTPEndpoint, "http://127.0.0.1:8787")
	return o
}

// An Error says what a template holds that the embedded stack does not model.
type Error struct {
	Line   int
	Reason string
}

func (e *Error) Error() string { return fmt.Sprintf("template line %d: %s", e.Line, e.Reason) }

// A File is a template that was read and is not evaluated yet: what it says may
// depend on addresses that are known later.
type File struct {
	dir  string
	text []byte
}

// Read reads the template at path. A missing file is reported with
// os.ErrNotExist inside.
func Read(path string) (*File, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return &File{filepath.Dir(path), text}, nil
}

// Load is Read and Parse.
func Load(path string, o Options) (*Stack, error) {
	f, err := Read(path)
	if err != nil {
		return nil, err
	}
	return f.Parse(o)
}

// Parse evaluates the template; the state machine's definition is found beside
// it.
func (f *File) Parse(o Options) (*Stack, error) {
	return Parse(f.text, o, func(name string) ([]byte, error) {
		if !filepath.IsLocal(name) {
			return nil, errors.New("the path leaves the template's folder")
		}
		return os.ReadFile(filepath.Join(f.dir, name))
	})
}

// Parse reads a template. read returns a file that the template names by a path
// relative to itself.
func Parse(data []byte, o Options, read func(string) ([]byte, error)) (*Stack, error) {
	if len(data) > maxBytes {
		return nil, &Error{Line: 1, Reason: "the template is larger than 1 MB"}
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		return nil, fmt.Errorf("template: %w", err)
	}
	if doc.Kind != yaml.DocumentNode || len(doc.Content) != 1 {
		return nil, &Error{Line: 1, Reason: "the template is empty"}
	}
	r := &reader{opts: o.withDefaults(), read: read}
	stack := r.template(doc.Content[0])
	if r.err != nil {
		return nil, r.err
	}
	return stack, nil
}

// template reads the sections in the order in which they depend on each other.
func (r *reader) template(root *yaml.Node) *Stack {
	top := r.object(root, "template")
	r.literal(top.take("AWSTemplateFormatVersion"), "2010-09-09")
	r.literal(top.take("Transform"), "AWS::Serverless-2016-10-31")
	top.ignore("Description", "Metadata", "Outputs")
	r.parameters(top.take("Parameters"))
	r.conditions(top.take("Conditions"))
	for _, name := range []string{"Resources", "Globals"} {
		r.chosen(top.take(name))
	}
	resources := r.object(top.need("Resources"), "Resources")
	r.declare(resources)
	globals := r.globals(top.take("Globals"))
	top.end()

	stack := &Stack{}
	resources.each(func(id string, _ *yaml.Node) {
		if res := r.resources[id]; res != nil {
			res.kind.build(r, stack, res, globals)
		}
	})
	r.connected(stack)
	return stack
}

// connected does what no single resource can: it checks that names are unique,
// and joins what refers to each other.
func (r *reader) connected(s *Stack) {
	r.joined(s)
	code := map[string]bool{}
	for _, f := range s.Functions {
		if code[f.Code] {
			r.fail(r.resources[f.LogicalID].node, "two functions have the code %q", f.Code)
		}
		code[f.Code] = true
	}
}

func orElse(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}
