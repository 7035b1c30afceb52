package export

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
)

// FromEnv is the exporter that OpenTelemetry's own variables describe; nil if they name
// no collector, or say that nothing is to be sent:
//
//	OTEL_EXPORTER_OTLP_TRACES_ENDPOINT  the whole URL, or
//	OTEL_EXPORTER_OTLP_ENDPOINT         the URL that /v1/traces is put behind
//	OTEL_EXPORTER_OTLP_TRACES_HEADERS   name=value,… with values percent-encoded, or
//	OTEL_EXPORTER_OTLP_HEADERS          the same for all that is sent there
//	OTEL_SDK_DISABLED                   true: send nothing
//
// Of a pair, the first counts. An error says which variable to mend, and nothing that
// might be a secret.
func FromEnv(env func(string) string) (*Exporter, error) {
	endpoint, err := endpoint(env)
	if endpoint == "" || err != nil || strings.EqualFold(env("OTEL_SDK_DISABLED"), "true") {
		return nil, err
	}
	for _, name := range []string{"OTEL_EXPORTER_OTLP_TRACES_HEADERS", "OTEL_EXPORTER_OTLP_HEADERS"} {
		if v := env(name); v != "" {
			headers, err := headers(v)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			return &Exporter{Endpoint: endpoint, Headers: headers}, nil
		}
	}
	return &Exporter{Endpoint: endpoint}, nil
}

func endpoint(env func(string) string) (string, error) {
	name, behind := "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", ""
	if env(name) == "" {
		name, behind = "OTEL_EXPORTER_OTLP_ENDPOINT", "v1/traces"
	}
	v := env(name)
	if v == "" {
		return "", nil
	}
	u, err := url.Parse(v)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return "", fmt.Errorf("%s is no URL; want one such as http://127.0.0.1:4318", name)
	}
	if behind != "" {
		u = u.JoinPath(behind)
	}
	return u.String(), nil
}

var (
	headerName  = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$")
	headerValue = regexp.MustCompile(`^[\t -~]*$`)
)

// headers reads name=value,name=value. A value may be percent-encoded; spaces around
// either count for nothing.
func headers(text string) (http.Header, error) {
	all := http.Header{}
	for i, pair := range strings.Split(text, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		name, value, ok := strings.Cut(pair, "=")
		name = strings.TrimSpace(name)
		value, err := url.PathUnescape(strings.TrimSpace(value))
		if !ok || err != nil || !headerName.MatchString(name) || !headerValue.MatchString(value) {
			return nil, fmt.Errorf("pair %d cannot be read; want name=value,name=value with values percent-encoded", i+1)
		}
		all.Set(name, value)
	}
	if len(all) == 0 {
		return nil, errors.New("it holds no pair; want name=value,name=value")
	}
	return all, nil
}
