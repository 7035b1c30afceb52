package template

import (
	"regexp"

	"go.yaml.in/yaml/v3"
)

// A WebSocket API is resources of four types that refer to each other, in any
// order. Each is read on its own; what joins them runs when all are read.

var socketAPIKind = &kind{
	name: "AWS::ApiGatewayV2::Api",
	noun: "Api",
	ref:  physicalName,
	attributes: map[string]func(*reader, *resource) string{
		"ApiId":       physicalName,
		"ApiEndpoint": (*reader).endpoint,
	},
	build: (*reader).socketAPI,
}

// selection is API Gateway's expression for one member at the top of a JSON message.
var selection = regexp.MustCompile(`^\$request\.body\.[A-Za-z_][A-Za-z0-9_]*$`)

// endpoint is where an API is reached; which one, its protocol says.
func (r *reader) endpoint(res *resource) string {
	if overHTTP(res) {
		return r.opts.HTTPEndpoint
	}
	return r.opts.SocketEndpoint
}

func (r *reader) socketAPI(s *Stack, res *resource, _ defaults) {
	if overHTTP(res) {
		r.httpAPIOfParts(s, res)
		return
	}
	p := res.props
	p.ignore(ignoredOfSocketAPI...)
	r.text(p.need("Name")) // a label for people: the API is known by its id
	r.literal(p.need("ProtocolType"), "WEBSOCKET")
	expression := p.need("RouteSelectionExpression")
	a := SocketAPI{LogicalID: res.id, Name: res.name, Selection: r.text(expression).Value, Routes: map[string]string{}}
	if !selection.MatchString(a.Selection) {
		r.fail(expression, "the route selection %q: only $request.body.NAME is modelled", a.Selection)
	}
	p.end()
	s.SocketAPIs = append(s.SocketAPIs, a)
}

var stageKind = &kind{
	name:  "AWS::ApiGatewayV2::Stage",
	noun:  "Stage",
	ref:   (*reader).stageName,
	build: (*reader).stage,
}

var stageName = regexp.MustCompile(`^(\$default|[A-Za-z0-9_-]{1,128})$`)

// stageName takes plain text alone: an intrinsic could refer to the stage itself.
func (r *reader) stageName(res *resource) string {
	n := res.props.need("StageName")
	if n == nil {
		return ""
	}
	if n.Kind != yaml.ScalarNode || n.Tag != "!!str" || !stageName.MatchString(n.Value) {
		r.fail(n, "a stage's name is up to 128 letters, digits, hyphens and underscores, written out")
	}
	return n.Value
}

func (r *reader) stage(_ *Stack, res *resource, _ defaults) {
	p := res.props
	p.ignore(ignoredOfStage...)
	api, name := r.refTo(p.need("ApiId"), socketAPIKind), r.stageName(res)
	if deploy := p.take("AutoDeploy"); !r.boolean(deploy) {
		r.fail(either(deploy, res.node), "%s: only AutoDeploy: true is modelled", res.id)
	}
	p.end()
	if api != nil && overHTTP(api) {
		r.httpStage(res, api, name)
		return
	}
	r.join(func(s *Stack) {
		a := s.socketAPI(api)
		if a.Stage != "" {
			r.fail(res.node, "%s has two stages; the embedded stack serves one", a.LogicalID)
		}
		a.Stage = name
	})
}

// join leaves something to be done when all resources are read.
func (r *reader) join(f func(*Stack)) { r.joins = append(r.joins, f) }

// joined finishes the APIs.
func (r *reader) joined(s *Stack) {
	for _, f := range r.joins {
		if r.err == nil { // else what f refers to may be missing
			f(s)
		}
	}
	for _, a := range s.HTTPAPIs {
		if res := r.resources[a.LogicalID]; res.kind == socketAPIKind && !(res.staged && res.routed) {
			r.fail(res.node, "%s needs a stage and a route", res.id)
		}
	}
	for _, a := range s.SocketAPIs {
		if a.Stage == defaultStage {
			r.fail(r.resources[a.LogicalID].node, "%s: only an HTTP API has the stage %s", a.LogicalID, defaultStage)
		}
		if a.Stage == "" || len(a.Routes) == 0 {
			r.fail(r.resources[a.LogicalID].node, "%s needs a stage and a route", a.LogicalID)
		}
	}
}

func (s *Stack) socketAPI(res *resource) *SocketAPI {
	for i := range s.SocketAPIs {
		if s.SocketAPIs[i].LogicalID == res.id {
			return &s.SocketAPIs[i]
		}
	}
	return nil // never: every resource of the type has been read
}
