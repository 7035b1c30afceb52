package template

import (
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// An Alarm is one of CloudWatch's, on one metric or on the sum of several.
type Alarm struct {
	LogicalID, Description string
	Metrics                []Metric
	Statistic              string
	Period                 time.Duration
	// Of the newest Periods datapoints Breaching have to breach.
	Periods, Breaching  int
	Threshold           float64
	Comparison, Missing string
}

// A Metric names a series.
type Metric struct {
	Namespace, Name string
	Dimensions      map[string]string
}

var alarmKind = &kind{
	name:  "AWS::CloudWatch::Alarm",
	noun:  "Alarm",
	ref:   physicalName,
	build: (*reader).alarm,
}

const day = 24 * 60 * 60

func (r *reader) alarm(s *Stack, res *resource, _ defaults) {
	p := res.props
	p.ignore(ignoredOfAlarm...)
	a := Alarm{LogicalID: res.id, Description: r.text(p.take("AlarmDescription")).Value}
	if several := p.take("Metrics"); several != nil {
		r.sum(&a, several)
	} else {
		a.Metrics = []Metric{{r.text(p.need("Namespace")).Value, r.text(p.need("MetricName")).Value, r.dimensions(p.take("Dimensions"))}}
		a.Statistic, a.Period = r.text(p.need("Statistic")).Value, r.seconds(p.need("Period"))
	}
	a.Periods = r.number(p.need("EvaluationPeriods"), 1, 1, 1440)
	a.Breaching = r.number(p.take("DatapointsToAlarm"), a.Periods, 1, a.Periods)
	threshold := p.need("Threshold")
	var err error
	if a.Threshold, err = strconv.ParseFloat(r.text(threshold).Value, 64); err != nil {
		r.fail(threshold, "the threshold is no number")
	}
	a.Comparison, a.Missing = r.text(p.need("ComparisonOperator")).Value, r.text(p.need("TreatMissingData")).Value
	p.end()
	s.Alarms = append(s.Alarms, a)
}

func (r *reader) seconds(n *yaml.Node) time.Duration {
	return time.Duration(r.number(n, 60, 60, day)) * time.Second
}

func (r *reader) dimensions(n *yaml.Node) map[string]string {
	all := map[string]string{}
	for _, item := range r.list(n, "Dimensions") {
		d := r.object(item, "a dimension")
		all[r.text(d.need("Name")).Value] = r.text(d.need("Value")).Value
		d.end()
	}
	return all
}

// sum reads an expression of the one form that is modelled: ids with + between them.
func (r *reader) sum(a *Alarm, n *yaml.Node) {
	found, added := map[string]Metric{}, []string(nil)
	for _, item := range r.list(n, "Metrics") {
		q := r.object(item, "a metric")
		id := r.text(q.need("Id")).Value
		q.ignore("Label")
		if e := q.take("Expression"); e != nil {
			for _, name := range strings.Split(r.text(e).Value, "+") {
				added = append(added, strings.TrimSpace(name))
			}
			q.end()
			continue
		}
		r.literal(q.need("ReturnData"), "false")
		stat := r.object(q.need("MetricStat"), "MetricStat")
		m := r.object(stat.need("Metric"), "Metric")
		found[id] = Metric{r.text(m.need("Namespace")).Value, r.text(m.need("MetricName")).Value, r.dimensions(m.take("Dimensions"))}
		m.end()
		a.Statistic, a.Period = r.text(stat.need("Stat")).Value, r.seconds(stat.need("Period"))
		stat.end()
		q.end()
	}
	for _, id := range added {
		m, ok := found[id]
		if !ok {
			r.fail(n, "only a sum of the alarm's own metrics is modelled; %q is none", id)
		}
		a.Metrics = append(a.Metrics, m)
	}
	if len(added) == 0 {
		r.fail(n, "Metrics without an expression are not modelled")
	}
}
