package template

import (
	"slices"
	"strings"
)

var integrationKind = &kind{
	name:  "AWS::ApiGatewayV2::Integration",
	noun:  "Integration",
	ref:   physicalName,
	build: (*reader).integration,
}

// An integration leads from a WebSocket API to a function, by its name.
type integration struct {
	api      *resource
	function string
}

func (r *reader) integration(_ *Stack, res *resource, _ defaults) {
	p := res.props
	p.ignore(ignoredOfIntegration...)
	i := integration{api: r.refTo(p.need("ApiId"), socketAPIKind)}
	r.literal(p.need("IntegrationType"), "AWS_PROXY")
	uri := p.need("IntegrationUri")
	if f := r.integrated(r.text(uri).Value); f != nil {
		i.function = f.name
	} else {
		r.fail(uri, "IntegrationUri must be arn:${AWS::Partition}:apigateway:${AWS::Region}:lambda:path/2015-03-31/functions/${FUNCTION.Arn}/invocations of a function of this template")
	}
	if version := p.take("PayloadFormatVersion"); i.api != nil && overHTTP(i.api) && (version == nil || r.text(version).Value != "2.0") {
		r.fail(either(version, res.node), "%s: only PayloadFormatVersion 2.0 is modelled", res.id)
	} else if version != nil && !overHTTP(i.api) {
		r.fail(version, "%s: PayloadFormatVersion is for HTTP APIs", res.id)
	}
	p.end()
	if r.integrations == nil {
		r.integrations = map[string]integration{}
	}
	r.integrations[res.name] = i
}

// integrated is the function that API Gateway invokes by a URI.
func (r *reader) integrated(uri string) *resource {
	arn, ok := strings.CutPrefix(uri, "arn:aws:apigateway:"+r.opts.Region+":lambda:path/2015-03-31/functions/")
	arn, whole := strings.CutSuffix(arn, "/invocations")
	if !ok || !whole {
		return nil
	}
	for _, res := range r.resources {
		if res.kind == functionKind && r.arn("lambda", "function:"+res.name) == arn {
			return res
		}
	}
	return nil
}

var routeKind = &kind{
	name:  "AWS::ApiGatewayV2::Route",
	noun:  "Route",
	ref:   physicalName,
	build: (*reader).route,
}

// ownRoutes are the route keys that no message selects by its text.
var ownRoutes = []string{"$connect", "$disconnect", "$default"}

func (r *reader) route(_ *Stack, res *resource, _ defaults) {
	p := res.props
	p.ignore(ignoredOfRoute...)
	api := r.refTo(p.need("ApiId"), socketAPIKind)
	routeKey := p.need("RouteKey")
	key := r.text(routeKey).Value
	if strings.HasPrefix(key, "$") && !slices.Contains(ownRoutes, key) {
		r.fail(routeKey, "the route %s is none of API Gateway's own", key)
	}
	r.literal(p.take("AuthorizationType"), "NONE")
	target := p.need("Target")
	name, ok := strings.CutPrefix(r.text(target).Value, "integrations/")
	if !ok || key == "" {
		r.fail(target, "%s needs a RouteKey and a Target of the form integrations/${INTEGRATION}", res.id)
	}
	p.end()
	r.join(func(s *Stack) {
		to, ok := r.integrations[name]
		if !ok || to.api != api {
			r.fail(target, "%s: Target is no integration of its API", res.id)
			return
		}
		if overHTTP(api) {
			r.httpRoute(s, res, api, key, to.function)
			return
		}
		a := s.socketAPI(api)
		if _, twice := a.Routes[key]; twice {
			r.fail(res.node, "%s has the route %s twice", a.LogicalID, key)
		}
		a.Routes[key] = to.function
	})
}
