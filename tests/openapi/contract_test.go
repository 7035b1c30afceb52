// Package openapi holds what the embedded stack really answers against the
// document that it serves: status, headers and body of every answer, and which
// requests the document forbids.
//
// The validator is github.com/pb33f/libopenapi-validator: it knows OpenAPI 3.1 with
// JSON Schema 2020-12, and validates headers and security too.
package openapi

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pb33f/libopenapi"
	validator "github.com/pb33f/libopenapi-validator"
	"github.com/pb33f/libopenapi-validator/config"
	"github.com/pb33f/libopenapi-validator/errors"
	v3 "github.com/pb33f/libopenapi/datamodel/high/v3"

	"windlass/tests/client"
	"windlass/tests/embedded"
)

// contract is a stack and the document that it serves.
type contract struct {
	client.Client
	ctx               context.Context
	model             *v3.Document
	requests, answers validator.Validator
	routes            *http.ServeMux // of the document's paths
	seen              map[string]bool
	told              <-chan string // callback URLs
}

func open(t *testing.T, env ...string) *contract {
	t.Helper()
	s := embedded.Start(t, env...)
	c := &contract{Client: s.Client(), ctx: embedded.Context(t), seen: map[string]bool{}}
	text, err := (client.Client{URL: c.URL}).Send(c.ctx, http.MethodGet, "/openapi.json", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	strict, err := closed(text.Body)
	if err != nil {
		t.Fatal(err)
	}
	c.model, c.requests = model(t, text.Body)
	_, c.answers = model(t, strict)
	c.routes = http.NewServeMux()
	for path, item := range c.model.Paths.PathItems.FromOldest() {
		for method := range item.GetOperations().FromOldest() {
			c.routes.Handle(strings.ToUpper(method)+" "+strings.ReplaceAll(path, "{path}", "{path...}"), http.NotFoundHandler())
		}
	}
	return c
}

func model(t *testing.T, text []byte) (*v3.Document, validator.Validator) {
	t.Helper()
	doc, err := libopenapi.NewDocument(text)
	if err != nil {
		t.Fatal(err)
	}
	m, err := doc.BuildV3Model()
	if err != nil {
		t.Fatal(err)
	}
	return &m.Model, validator.NewValidatorFromV3Model(&m.Model, config.WithFormatAssertions(), config.WithContentAssertions())
}

// try is one request, what the document says of it, and what must come of it.
type try struct {
	name, method, path string
	header             http.Header
	body               string
	status             int
	// forbidden: the document refuses the request already.
	forbidden bool
	noKey     bool
}

// do sends a request and holds it and its answer against the document.
func (c *contract) do(t *testing.T, x try) client.Answer {
	t.Helper()
	where := strings.TrimSpace(fmt.Sprintf("%s %.200s %s", x.method, x.path, x.name))
	caller := c.Client
	if x.noKey {
		caller.Key = ""
	}
	if x.header == nil {
		x.header = http.Header{}
	}
	if x.body != "" && x.header["Content-Type"] == nil {
		x.header.Set("Content-Type", "application/json")
	}
	a, err := caller.Send(c.ctx, x.method, x.path, x.header.Clone(), []byte(x.body))
	if a.Status == 0 {
		t.Fatalf("%s: %v", where, err)
	}
	if a.Status != x.status {
		t.Errorf("%s: %d %.500s, want %d", where, a.Status, a.Body, x.status)
	}
	path, operation := c.find(t, x.method, x.path)
	if operation == nil {
		t.Fatalf("%s is not in the document", where)
	}
	r := c.request(t, x, caller.Key, path)
	ok, errs := c.requests.ValidateHttpRequestSync(r)
	if ok == x.forbidden {
		t.Errorf("%s: the document forbids it: %t, want %t%s", where, !ok, x.forbidden, reasons(errs))
	}
	if x.forbidden && a.Status < 400 {
		t.Errorf("%s: the document forbids it, and it was answered with %d", where, a.Status)
	}
	// "default" is for the gateway: what we answer stands under its own status.
	answer := operation.Responses.Codes.GetOrZero(strconv.Itoa(a.Status))
	if answer == nil {
		t.Fatalf("%s: the document does not know status %d: %.300s", where, a.Status, a.Body)
	}
	for name := range a.Header {
		if !declared(answer, name) {
			t.Errorf("%s: %d has %s, and the document does not say so", where, a.Status, name)
		}
	}
	res := &http.Response{StatusCode: a.Status, Header: a.Header, Body: io.NopCloser(bytes.NewReader(a.Body)), Request: r}
	if ok, errs := c.answers.ValidateHttpResponse(r, res); !ok {
		t.Errorf("%s: %d %v\n%.2000s%s", where, a.Status, a.Header, a.Body, reasons(errs))
	}
	c.seen[fmt.Sprintf("%s %s %d", x.method, path, a.Status)] = true
	return a
}

// declared reports whether an answer may have a header: one that it names, or one
// that every answer has.
func declared(answer *v3.Response, name string) bool {
	if answer.Headers != nil {
		for other := range answer.Headers.FromOldest() {
			if strings.EqualFold(other, name) {
				return true
			}
		}
	}
	return slices.Contains([]string{"Apigw-Requestid", "Content-Length", "Content-Type", "Date"}, name)
}

// find is the document's path and operation for a request.
func (c *contract) find(t *testing.T, method, target string) (string, *v3.Operation) {
	t.Helper()
	r, err := http.NewRequest(method, c.URL+target, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, pattern := c.routes.Handler(r)
	_, path, _ := strings.Cut(strings.ReplaceAll(pattern, "...}", "}"), " ")
	item := c.model.Paths.PathItems.GetOrZero(path)
	if item == nil {
		return "", nil
	}
	return path, item.GetOperations().GetOrZero(strings.ToLower(method))
}

// request is the request as the validator sees it. A parameter of OpenAPI has no
// slash in it, so a file's path is shown with other signs.
func (c *contract) request(t *testing.T, x try, key, path string) *http.Request {
	t.Helper()
	target := x.path
	if prefix, _, ok := strings.Cut(path, "{path}"); ok {
		segments := strings.Count(prefix, "/") + 1
		target = strings.Join(strings.SplitN(target, "/", segments)[:segments-1], "/") + "/" + strings.ReplaceAll(strings.SplitN(target, "/", segments)[segments-1], "/", "~")
	}
	r, err := http.NewRequest(x.method, c.URL+target, strings.NewReader(x.body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header = x.header.Clone()
	if key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	return r
}

func reasons(errs []*errors.ValidationError) string {
	var b strings.Builder
	for _, e := range errs {
		fmt.Fprintf(&b, "\n  %s: %s", e.Message, e.Reason)
		for _, f := range e.SchemaValidationErrors {
			fmt.Fprintf(&b, "\n    %s: %s", f.KeywordLocation, f.Reason)
		}
	}
	return b.String()
}

// all does one request after another.
func (c *contract) all(t *testing.T, tries ...try) {
	t.Helper()
	for _, x := range tries {
		c.do(t, x)
	}
}

// pages follows the links from a page, which is not the last one, to the end.
func (c *contract) pages(t *testing.T, path string) int {
	t.Helper()
	n := 0
	for path != "" {
		a := c.do(t, try{method: "GET", path: path, status: 200})
		path, _, _ = strings.Cut(strings.TrimPrefix(a.Header.Get("Link"), "<"), ">")
		n++
	}
	if n < 2 {
		t.Errorf("there was one page only")
	}
	return n
}

func read[T any](t *testing.T, a client.Answer) (v T) {
	t.Helper()
	if err := json.Unmarshal(a.Body, &v); err != nil {
		t.Fatalf("%s: %v", a.Body, err)
	}
	return v
}

// unseen are the documented answers that no request got.
func (c *contract) unseen() []string {
	var all []string
	for path, item := range c.model.Paths.PathItems.FromOldest() {
		for method, op := range item.GetOperations().FromOldest() {
			for status := range op.Responses.Codes.FromOldest() {
				if at := strings.ToUpper(method) + " " + path + " " + status; !c.seen[at] {
					all = append(all, at)
				}
			}
		}
	}
	slices.Sort(all)
	return all
}

func query(name, value string) string { return "?" + url.Values{name: {value}}.Encode() }
