package asl

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"
)

// Wait hands on its input at a later instant.
type Wait struct {
	Transition
	Flow
	seconds                    int
	timestamp                  time.Time
	secondsPath, timestampPath *Path
}

func readWait(o *object) State {
	s := &Wait{Transition: o.transition(), Flow: Flow{InputPath: o.pathOrNull("InputPath"), OutputPath: o.pathOrNull("OutputPath")}}
	given := 0
	for _, name := range []string{"Seconds", "SecondsPath", "Timestamp", "TimestampPath"} {
		if o.has(name) {
			given++
		}
	}
	if given != 1 {
		o.fail("Seconds", "exactly one of Seconds, SecondsPath, Timestamp and TimestampPath is required")
	}
	s.seconds = o.whole("Seconds", 0, maxSeconds, 0)
	s.secondsPath, s.timestampPath = o.path("SecondsPath"), o.path("TimestampPath")
	if text, given := o.text("Timestamp"); given {
		var err error
		if s.timestamp, err = parseTimestamp(text); err != nil {
			o.fail("Timestamp", "%v", err)
		}
	}
	return s
}

// Until returns the instant at which a wait that begins at now ends.
func (s *Wait) Until(now time.Time, input *Value, ctx *Context) (time.Time, *Failure) {
	effective, failure := selectPath("InputPath", s.InputPath, input, ctx)
	if failure != nil {
		return time.Time{}, failure
	}
	switch {
	case s.secondsPath != nil:
		n, failure := secondsAt("SecondsPath", s.secondsPath, 0, effective, ctx)
		return now.Add(time.Duration(n) * time.Second), failure
	case s.timestampPath != nil:
		return timestampAt(s.timestampPath, effective, ctx)
	case !s.timestamp.IsZero():
		return s.timestamp, nil
	}
	return now.Add(time.Duration(s.seconds) * time.Second), nil
}

func secondsAt(field string, p *Path, least int, input *Value, ctx *Context) (int, *Failure) {
	value, failure := p.get(field, input, ctx)
	if failure != nil {
		return 0, failure
	}
	if number, isNumber := value.(json.Number); isNumber {
		if n, err := strconv.Atoi(number.String()); err == nil && n >= least && n <= maxSeconds {
			return n, nil
		}
	}
	return 0, &Failure{ErrRuntime, fmt.Sprintf("The %s '%s' must name an integer from %d to %d, not %s", field, p, least, maxSeconds, excerpt(encode(value)))}
}

func timestampAt(p *Path, input *Value, ctx *Context) (time.Time, *Failure) {
	value, failure := p.get("TimestampPath", input, ctx)
	if failure != nil {
		return time.Time{}, failure
	}
	text, _ := value.(string)
	t, err := parseTimestamp(text)
	if err != nil {
		return time.Time{}, &Failure{ErrRuntime, fmt.Sprintf("The TimestampPath '%s' does not name a timestamp: %v", p, err)}
	}
	return t, nil
}

// parseTimestamp reads RFC 3339 with upper-case T and Z, as AWS demands. Go's
// parser is lenient about neither.
func parseTimestamp(text string) (time.Time, error) {
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return time.Time{}, fmt.Errorf("%.60q is not an RFC 3339 timestamp", text)
	}
	return t, nil
}
