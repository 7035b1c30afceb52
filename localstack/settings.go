package main

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"slices"
	"strings"
	"time"

	"windlass/localstack/cloudwatch"
	"windlass/localstack/usage"
)

// settings are what the environment says; README.md explains each.
type settings struct {
	addr     string
	awsAddr  string
	data     string
	devKey   string
	template string
	sync     bool
	isolated bool
	level    slog.Level
	minute   time.Duration
	shuffle  bool
	again    bool
	alone    bool
	heard    string // the file for what functions call
	// How long a WebSocket lives, idle and at all; 0 is as on AWS.
	socketIdle, socketLife time.Duration

	lookup func(string) (string, bool)
	// metrics are those that functions log.
	metrics *cloudwatch.Metrics
	// usage is what AWS would bill; nil counts none.
	usage *usage.Counter
	// deployment is what functions are given beside what the template declares.
	deployment map[string]string
}

// ours are the variables that this package reads; the others that begin with
// WINDLASS_ are the product's, if the template declares them.
var ours = []string{
	"WINDLASS_ADDR", "WINDLASS_AWS_ADDR", "WINDLASS_DATA", "WINDLASS_DEV_KEY", "WINDLASS_TEMPLATE",
	"WINDLASS_SYNC", "WINDLASS_ISOLATED", "WINDLASS_LOG", "WINDLASS_LOCAL_MINUTE", "WINDLASS_LOCAL_STREAM",
	"WINDLASS_LOCAL_SOCKET_IDLE", "WINDLASS_LOCAL_SOCKET_LIFE", "WINDLASS_LOCAL_CALLS", "WINDLASS_LOCAL_USAGE",
}

func readSettings(lookup func(string) (string, bool)) (settings, error) {
	get := func(name, otherwise string) string {
		if v, ok := lookup(name); ok && v != "" {
			return v
		}
		return otherwise
	}
	s := settings{
		addr:     get("WINDLASS_ADDR", "127.0.0.1:8787"),
		awsAddr:  get("WINDLASS_AWS_ADDR", "127.0.0.1:8788"),
		data:     get("WINDLASS_DATA", ".windlass"),
		devKey:   get("WINDLASS_DEV_KEY", ""),
		template: get("WINDLASS_TEMPLATE", "template.yaml"),
		heard:    get("WINDLASS_LOCAL_CALLS", ""),
		minute:   time.Minute,
		lookup:   lookup,
	}
	for _, name := range []string{"WINDLASS_ADDR", "WINDLASS_AWS_ADDR"} {
		if addr := get(name, "127.0.0.1:0"); !validAddr(addr) {
			return s, fmt.Errorf("%s=%q is not host:port: set it to something like 127.0.0.1:8787, or 127.0.0.1:0 for any free port", name, addr)
		}
	}
	if s.devKey != "" && !usableKey(s.devKey) {
		return s, errors.New("WINDLASS_DEV_KEY: set it to 16 to 256 letters, digits and -._~+/=, or leave it out and one is made")
	}
	switch v := get("WINDLASS_SYNC", "0"); v {
	case "0", "1":
		s.sync = v == "1"
	default:
		return s, fmt.Errorf("WINDLASS_SYNC=%q: set it to 1 to survive a power loss, or to 0", v)
	}
	switch v := get("WINDLASS_ISOLATED", "0"); v {
	case "0", "1":
		s.isolated = v == "1"
	default:
		return s, fmt.Errorf("WINDLASS_ISOLATED=%q: set it to 1 to run each function as processes of its own, or to 0", v)
	}
	if v := get("WINDLASS_LOG", "warn"); s.level.UnmarshalText([]byte(v)) != nil {
		return s, fmt.Errorf("WINDLASS_LOG=%q: set it to debug, info, warn or error", v)
	}
	switch v := get("WINDLASS_LOCAL_USAGE", "0"); v {
	case "0":
	case "1":
		s.usage = usage.New()
	default:
		return s, fmt.Errorf("WINDLASS_LOCAL_USAGE=%q: set it to 1 to count what AWS would bill, or to 0", v)
	}
	if err := s.durations(get); err != nil {
		return s, err
	}
	return s, s.streamModes(get("WINDLASS_LOCAL_STREAM", ""))
}

// parameters are those of the template whose values stand in this environment, and that
// more depends on than a function's variable: which commits dispatch hears of.
func (s settings) parameters() map[string]string {
	all := map[string]string{}
	if at, ok := s.lookup("OTEL_EXPORTER_OTLP_ENDPOINT"); ok {
		all["OtlpEndpoint"] = at
	}
	return all
}

func (s *settings) durations(get func(name, otherwise string) string) error {
	for name, d := range map[string]*time.Duration{
		"WINDLASS_LOCAL_MINUTE":      &s.minute,
		"WINDLASS_LOCAL_SOCKET_IDLE": &s.socketIdle,
		"WINDLASS_LOCAL_SOCKET_LIFE": &s.socketLife,
	} {
		v := get(name, "")
		if v == "" {
			continue
		}
		var err error
		if *d, err = time.ParseDuration(v); err != nil || *d < time.Millisecond {
			return fmt.Errorf("%s=%q: set it to a duration such as 1s", name, v)
		}
	}
	return nil
}

func (s *settings) streamModes(list string) error {
	for mode := range strings.SplitSeq(list, ",") {
		switch mode {
		case "":
		case "shuffle":
			s.shuffle = true
		case "redeliver":
			s.again = true
		case "alone":
			s.alone = true
		default:
			return fmt.Errorf("WINDLASS_LOCAL_STREAM: %q is neither shuffle nor redeliver nor alone", mode)
		}
	}
	return nil
}

func validAddr(addr string) bool {
	host, port, err := net.SplitHostPort(addr)
	if err != nil || host == "" {
		return false
	}
	_, err = net.LookupPort("tcp", port)
	return err == nil
}

// strangers are variables that look as if they were meant for this program and
// that nobody reads.
func strangers(environ []string, declared func(string) bool) []string {
	var names []string
	for _, entry := range environ {
		name, _, _ := strings.Cut(entry, "=")
		if strings.HasPrefix(name, "WINDLASS_") && !slices.Contains(ours, name) && !declared(name) {
			names = append(names, name)
		}
	}
	return names
}
