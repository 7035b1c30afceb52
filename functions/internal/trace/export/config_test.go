package export_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windlass/functions/internal/trace/export"
)

const (
	all        = "OTEL_EXPORTER_OTLP_ENDPOINT"
	traces     = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
	allKeys    = "OTEL_EXPORTER_OTLP_HEADERS"
	tracesKeys = "OTEL_EXPORTER_OTLP_TRACES_HEADERS"
)

func fromEnv(env map[string]string) (*export.Exporter, error) {
	return export.FromEnv(func(name string) string { return env[name] })
}

func TestWhereTheEnvironmentSays(t *testing.T) {
	for want, env := range map[string]map[string]string{
		"http://c.example:4318/v1/traces":   {all: "http://c.example:4318"},
		"https://c.example/v1/traces":       {all: "https://c.example/"},
		"https://c.example/otlp/v1/traces":  {all: "https://c.example/otlp"},
		"https://c.example/otel/v1/traces":  {all: "https://c.example/otel/"},
		"https://t.example/as/it/is":        {all: "https://c.example", traces: "https://t.example/as/it/is"},
		"https://t.example/":                {traces: "https://t.example/"},
		"http://127.0.0.1/v1/traces?tenant": {all: "http://127.0.0.1?tenant"},
	} {
		if e, err := fromEnv(env); err != nil || e.Endpoint != want {
			t.Errorf("%v: %+v, %v; want %s", env, e, err, want)
		}
	}
	for _, env := range []map[string]string{{}, {allKeys: "a=b"}, {all: "http://c.example", "OTEL_SDK_DISABLED": "true"}} {
		if e, err := fromEnv(env); e != nil || err != nil {
			t.Errorf("%v: %+v, %v; want none", env, e, err)
		}
	}
}

func TestHeadersOfTheEnvironment(t *testing.T) {
	for text, want := range map[string]http.Header{
		"a=b":                           {"A": {"b"}},
		" api-key = k1 ,x-scope=s ,":    {"Api-Key": {"k1"}, "X-Scope": {"s"}},
		"Authorization=Basic%20dTpw%3D": {"Authorization": {"Basic dTpw="}},
		"authorization=Bearer a=b==":    {"Authorization": {"Bearer a=b=="}},
		"a=1+1,b=%2C":                   {"A": {"1+1"}, "B": {","}},
		"a=":                            {"A": {""}},
	} {
		if e, err := fromEnv(map[string]string{all: "http://c.example", allKeys: text}); err != nil || !cmp.Equal(want, e.Headers) {
			t.Errorf("%q: %+v, %v; want %v", text, e, err, want)
		}
	}
	e, err := fromEnv(map[string]string{all: "http://c.example", allKeys: "a=1,b=2", tracesKeys: "a=3"})
	if err != nil || !cmp.Equal(http.Header{"A": {"3"}}, e.Headers) {
		t.Errorf("of both: %+v, %v", e, err)
	}
}

// An error names the variable, and tells nobody what stood in it.
func TestWhatTheEnvironmentHasWrong(t *testing.T) {
	for _, env := range []map[string]string{
		{all: "c.example:4318"}, {all: "ftp://" + secret}, {all: "http://"}, {all: "http://" + secret + "\n"}, {traces: "/v1/traces"},
		{allKeys: secret}, {allKeys: "=" + secret}, {allKeys: "a b=" + secret}, {allKeys: "a=" + secret + "%"}, {allKeys: "a=" + secret + "%0A"}, {allKeys: ","}, {tracesKeys: "a=b," + secret},
	} {
		name := ""
		for n := range env {
			name = n
		}
		if env[all] == "" && env[traces] == "" {
			env[all] = "http://c.example"
		}
		if e, err := fromEnv(env); e != nil || err == nil || !strings.Contains(err.Error(), name) || strings.Contains(err.Error(), secret) {
			t.Errorf("%v: %+v, %v", env, e, err)
		}
	}
}

func FuzzHeadersOfTheEnvironment(f *testing.F) {
	f.Add("a=b,c=%20")
	f.Add("a=b;c,=")
	f.Fuzz(func(t *testing.T, text string) {
		e, err := fromEnv(map[string]string{all: "http://c.example", allKeys: text})
		if err != nil || e.Headers == nil {
			return
		}
		for name, values := range e.Headers {
			if http.CanonicalHeaderKey(name) != name || len(values) != 1 || strings.ContainsAny(name+values[0], "\r\n\x00") {
				t.Fatalf("%q: %q", text, e.Headers)
			}
		}
	})
}
