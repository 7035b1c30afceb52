package template

import (
	"encoding/json"
	"regexp"
	"strconv"
	"time"

	"go.yaml.in/yaml/v3"
)

// event reads one entry of a function's Events.
func (r *reader) event(f *Function, name string, n *yaml.Node) {
	o := r.object(n, "event "+name)
	kind := o.need("Type")
	p := r.object(o.take("Properties"), "event "+name)
	o.end()
	full := f.Name + "-" + kebab(name)
	switch r.text(kind).Value {
	case "HttpApi":
		r.httpEvent(f, p)
	case "DynamoDB":
		r.streamEvent(f, p, full)
	case "EventBridgeRule":
		p.ignore(ignoredOfEvent...)
		pattern, err := json.Marshal(r.plain(p.need("Pattern")))
		if err != nil {
			r.fail(n, "event %s: %v", name, err)
		}
		f.Rules = append(f.Rules, Rule{Name: full, Pattern: pattern})
	case "Schedule":
		p.ignore("Description", "Name")
		p.ignore(ignoredOfEvent...)
		f.Schedules = append(f.Schedules, Schedule{Name: full, Minutes: r.rate(p.need("Schedule"))})
	default:
		r.fail(kind, "the embedded stack does not model events of the type %s", r.text(kind).Value)
	}
	p.end()
}

func (r *reader) httpEvent(f *Function, p *object) {
	// Method and Path are not taken: the one route is $default, and the
	// product's own mux decides. So end refuses them.
	api := r.refTo(p.need("ApiId"), httpAPIKind)
	r.literal(p.take("PayloadFormatVersion"), "2.0")
	if api != nil {
		f.Routes = append(f.Routes, Route{API: api.name, Key: "$default"})
	}
}

func (r *reader) streamEvent(f *Function, p *object, name string) {
	m := StreamMapping{Name: name}
	if table := r.reference(p.need("Stream"), tableKind.name, "StreamArn"); table != nil {
		m.Table = table.name
		if table.props.value["StreamSpecification"] == nil {
			r.fail(p.node, "%s has no stream", table.id)
		}
	}
	start := p.need("StartingPosition")
	m.StartingPosition = r.text(start).Value
	if m.StartingPosition != "TRIM_HORIZON" && m.StartingPosition != "LATEST" {
		r.fail(start, "%q is no starting position of a DynamoDB stream", m.StartingPosition)
	}
	m.BatchSize = r.number(p.take("BatchSize"), 100, 1, 10000)
	m.Parallelization = r.number(p.take("ParallelizationFactor"), 1, 1, 10)
	m.PartialFailures = r.literals(p.take("FunctionResponseTypes"), "ReportBatchItemFailures")
	m.Bisect = r.boolean(p.take("BisectBatchOnFunctionError"))
	m.MaximumRetries = r.number(p.take("MaximumRetryAttempts"), -1, -1, 10000)
	m.MaximumRecordAge = -1
	if age := r.number(p.take("MaximumRecordAgeInSeconds"), -1, -1, 604800); age >= 0 {
		m.MaximumRecordAge = time.Duration(age) * time.Second
	}
	m.FailureQueue = r.failureQueue(p.take("DestinationConfig"))
	m.Filters = r.filters(p.take("FilterCriteria"))
	f.Streams = append(f.Streams, m)
}

func (r *reader) failureQueue(n *yaml.Node) string {
	if n == nil {
		return ""
	}
	o := r.object(n, "DestinationConfig")
	failure := r.object(o.need("OnFailure"), "OnFailure")
	failure.ignore("Type")
	queue := r.reference(failure.need("Destination"), queueKind.name, "Arn")
	failure.end()
	o.end()
	if queue == nil {
		return ""
	}
	return queue.name
}

func (r *reader) filters(n *yaml.Node) []string {
	o := r.object(n, "FilterCriteria")
	var patterns []string
	for _, item := range r.list(o.take("Filters"), "Filters") {
		f := r.object(item, "a filter")
		pattern := f.need("Pattern")
		if text := r.text(pattern).Value; json.Valid([]byte(text)) {
			patterns = append(patterns, text)
		} else {
			r.fail(pattern, "the filter's pattern is not JSON")
		}
		f.end()
	}
	o.end()
	return patterns
}

var rate = regexp.MustCompile(`^rate\(([1-9][0-9]{0,5}) (minute|minutes|hour|hours|day|days)\)$`)

// rate reads a rate expression as minutes. As on AWS the unit is singular for
// one and plural otherwise.
func (r *reader) rate(n *yaml.Node) int {
	text := r.text(n).Value
	m := rate.FindStringSubmatch(text)
	if m == nil {
		r.fail(n, "schedule %q: only rate(n minutes|hours|days) is modelled", text)
		return 0
	}
	count, _ := strconv.Atoi(m[1])
	unit := m[2]
	if plural := unit[len(unit)-1] == 's'; plural == (count == 1) {
		r.fail(n, "schedule %q: one minute, but 2 minutes", text)
	}
	return count * map[byte]int{'m': 1, 'h': 60, 'd': 1440}[unit[0]]
}
