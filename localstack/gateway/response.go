package gateway

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/textproto"
	"strings"

	"github.com/tidwall/gjson"
)

// respond sends a function's answer; one that is malformed is a 500, as on AWS.
func (a *httpAPI) respond(w http.ResponseWriter, r *http.Request, id string, payload []byte) {
	answer, err := parseAnswer(payload)
	if err != nil {
		a.Log.Error("the function's answer is malformed", "requestId", id, "error", err)
		fail(w, http.StatusInternalServerError)
		return
	}
	h := w.Header()
	for name, values := range answer.headers {
		h[name] = values
	}
	if h.Get("Content-Type") == "" {
		h.Set("Content-Type", "text/plain; charset=utf-8")
	}
	bodiless := answer.status == http.StatusNoContent || answer.status == http.StatusNotModified
	if !bodiless {
		h.Set("Content-Length", fmt.Sprint(len(answer.body)))
	}
	w.WriteHeader(answer.status)
	if !bodiless && r.Method != http.MethodHead {
		_, _ = w.Write(answer.body) // a client that is gone needs no answer
	}
}

type answer struct {
	status  int
	headers http.Header
	body    []byte
}

// parseAnswer reads a response of format 2.0. One without a statusCode is itself
// the body of a 200, which is AWS's rule.
func parseAnswer(payload []byte) (*answer, error) {
	if !gjson.GetBytes(payload, "statusCode").Exists() {
		if !json.Valid(payload) {
			return nil, errors.New("not JSON")
		}
		return &answer{200, http.Header{"Content-Type": {"application/json"}}, payload}, nil
	}
	var out struct {
		StatusCode int               `json:"statusCode"`
		Headers    map[string]string `json:"headers"`
		Body       string            `json:"body"`
		IsBase64   bool              `json:"isBase64Encoded"`
		Cookies    []string          `json:"cookies"`
	}
	if err := json.Unmarshal(payload, &out); err != nil {
		return nil, err
	}
	a := &answer{status: out.StatusCode, body: []byte(out.Body)}
	if a.status < 200 || a.status > 599 {
		return nil, fmt.Errorf("status %d", a.status)
	}
	var err error
	if a.headers, err = responseHeaders(out.Headers, out.Cookies); err != nil {
		return nil, err
	}
	if out.IsBase64 {
		if a.body, err = base64.StdEncoding.DecodeString(out.Body); err != nil {
			return nil, fmt.Errorf("the body is not base64: %w", err)
		}
	}
	return a, nil
}

func responseHeaders(from map[string]string, cookies []string) (http.Header, error) {
	h := http.Header{}
	size := 0
	add := func(name, value string) error {
		size += len(name) + len(value)
		switch {
		case size > MaxHeaders:
			return errors.New("the headers are too large")
		case !token(name) || strings.ContainsAny(value, "\r\n\x00"):
			return fmt.Errorf("header %q cannot be sent", name)
		}
		if name = textproto.CanonicalMIMEHeaderKey(name); !hop[name] && name != "Content-Length" {
			h.Add(name, value)
		}
		return nil
	}
	for name, v := range from {
		if err := add(name, v); err != nil {
			return nil, err
		}
	}
	for _, c := range cookies {
		if err := add("Set-Cookie", c); err != nil {
			return nil, err
		}
	}
	return h, nil
}

// token reports whether s may be a header's name (RFC 9110).
func token(s string) bool {
	for _, c := range []byte(s) {
		if c <= ' ' || c >= 0x7f || strings.IndexByte(`"(),/:;<=>?@[\]{}`, c) >= 0 {
			return false
		}
	}
	return s != ""
}
