package template

// An HTTP API may be one resource, which SAM takes apart, or the same four types
// as a WebSocket API. The parts let a function refer to its API's address: SAM's
// refers to the functions behind it.

const (
	defaultStage = "$default"
	defaultRoute = "$default"
)

// overHTTP reports whether an API is no WebSocket API.
func overHTTP(res *resource) bool {
	protocol := res.props.value["ProtocolType"]
	return protocol != nil && protocol.Value == "HTTP"
}

func (r *reader) httpAPIOfParts(s *Stack, res *resource) {
	p := res.props
	p.ignore(ignoredOfSocketAPI...)
	r.text(p.need("Name"))
	r.literal(p.need("ProtocolType"), "HTTP")
	p.end()
	s.HTTPAPIs = append(s.HTTPAPIs, HTTPAPI{LogicalID: res.id, Name: res.name})
}

func (r *reader) httpStage(stage, api *resource, name string) {
	if name != defaultStage || api.staged {
		r.fail(stage.node, "%s: the one stage that is modelled is %s", api.id, defaultStage)
	}
	api.staged = true
}

// httpRoute: every method and path leads to one function, whose own mux decides.
func (r *reader) httpRoute(s *Stack, route, api *resource, key, function string) {
	if key != defaultRoute || api.routed {
		r.fail(route.node, "%s: the one route that is modelled is %s", api.id, defaultRoute)
	}
	api.routed = true
	for i := range s.Functions {
		if s.Functions[i].Name == function {
			s.Functions[i].Routes = append(s.Functions[i].Routes, Route{API: api.name, Key: defaultRoute})
		}
	}
}
