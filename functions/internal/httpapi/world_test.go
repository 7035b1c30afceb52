package httpapi_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"windlass/eventstore"
	"windlass/eventstore/memory"
	"windlass/functions/internal/agent"
	"windlass/functions/internal/auth"
	"windlass/functions/internal/connection"
	"windlass/functions/internal/console"
	"windlass/functions/internal/execution"
	"windlass/functions/internal/fault"
	"windlass/functions/internal/fold"
	"windlass/functions/internal/httpapi"
	"windlass/functions/internal/session"
	"windlass/infra/agents"
)

// Keys of the tests: of two tenants, one revoked, one that never was.
const (
	key        = "key-of-acme-0123456789"
	otherKey   = "key-of-beta-0123456789"
	revokedKey = "old-key-of-acme-0123456789"
	badKey     = "nobody-gave-out-this-key"
)

// table is a live table with their rows.
type table struct{ err error }

func (f table) GetItem(_ context.Context, in *dynamodb.GetItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	for k, tenant := range map[string]string{key: "acme", otherKey: "beta", revokedKey: "acme"} {
		item := auth.Item(k, tenant, time.Unix(0, 0))
		if k == revokedKey {
			item["revokedAt"] = &types.AttributeValueMemberS{Value: "2020-01-01T00:00:00Z"}
		}
		if f.err == nil && in.Key["pk"].(*types.AttributeValueMemberS).Value == item["pk"].(*types.AttributeValueMemberS).Value {
			return &dynamodb.GetItemOutput{Item: item}, nil
		}
	}
	return &dynamodb.GetItemOutput{}, f.err
}

type turns struct{}

func (turns) Start(context.Context, execution.Turn) (bool, error) { return true, nil }
func (turns) Wake(context.Context, eventstore.Stream) error       { return nil }

// door signs URLs of a host that does not exist.
type door struct{ *memory.Blobs }

func (d door) Stat(ctx context.Context, key eventstore.BlobKey) (int64, string, error) {
	b, err := d.GetBlob(ctx, key, 0, 1<<40)
	return int64(len(b)), "text/html", err
}

func (d door) FetchURL(_ context.Context, key eventstore.BlobKey, method, mediaType, disposition string, life time.Duration) (string, error) {
	return "https://blobs.example/" + key.String() + "?" + url.Values{"method": {method}, "type": {mediaType}, "disposition": {disposition}, "life": {life.String()}}.Encode(), nil
}

func (d door) StoreURL(_ context.Context, key eventstore.BlobKey, bytes int64, mediaType string, life time.Duration) (string, map[string]string, error) {
	return fmt.Sprintf("https://blobs.example/%s?bytes=%d&life=%s", key, bytes, life), map[string]string{"content-type": mediaType}, nil
}

// tickets notes what tickets are issued for.
type tickets struct {
	grant connection.Grant
	err   error
}

func (f *tickets) IssueTicket(_ context.Context, g connection.Grant) (string, time.Time, error) {
	f.grant = g
	return "ticket-1", time.Date(2026, 1, 2, 3, 4, 35, 678901234, time.UTC), f.err
}

// world is the API over a memory log.
type world struct {
	t     testing.TB
	api   *httpapi.API
	blobs *memory.Blobs
	logs  *bytes.Buffer
}

func newWorld(t testing.TB) *world { return over(t, memory.New()) }

func over(t testing.TB, d eventstore.Driver) *world {
	t.Helper()
	catalog, err := agent.Read(agents.Files, "demo", nil)
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	n := 0
	blobs := memory.NewBlobs()
	j := eventstore.New(d, eventstore.WithBlobs(blobs))
	s := &session.Service{Journal: j, Opened: &fold.Sessions{}, Agents: catalog, Turns: turns{}, Now: time.Now, Door: door{blobs},
		NewID: func(time.Time) string { mu.Lock(); defer mu.Unlock(); n++; return fmt.Sprint("id-", n) }}
	w := &world{t: t, api: httpapi.New(s, &auth.Keys{Client: table{}, Table: "live", Now: time.Now}, &tickets{}, back{}, "wss://sockets.example/live", console.Handler(console.Options{})), blobs: blobs, logs: &bytes.Buffer{}}
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewJSONHandler(w.logs, nil)))
	t.Cleanup(func() { slog.SetDefault(before) })
	return w
}

// request is an event by hand: the path is raw and decoded, as API Gateway's.
type request struct {
	method, path, query, key, body string
	headers                        map[string]string
	base64                         bool
}

type response struct {
	status int
	header map[string]string
	body   string
}

func (w *world) do(r request) response {
	w.t.Helper()
	e := events.APIGatewayV2HTTPRequest{Version: "2.0", RawPath: r.path, RawQueryString: r.query, Body: r.body, IsBase64Encoded: r.base64, Headers: map[string]string{}}
	e.RequestContext.HTTP.Method, e.RequestContext.HTTP.Path = r.method, r.path
	e.RequestContext.RequestID, e.RequestContext.DomainName = "request-1", "api.example"
	if r.key != "" {
		e.Headers["authorization"] = "Bearer " + r.key
	}
	for k, v := range r.headers {
		e.Headers[k] = v
	}
	out, err := w.api.Lambda()(w.t.Context(), e)
	if err != nil {
		w.t.Fatalf("%s %q: the function failed: %v", r.method, r.path, err)
	}
	b, err := base64.StdEncoding.DecodeString(out.Body)
	if err != nil || !out.IsBase64Encoded && out.Body != "" {
		w.t.Fatalf("%s %q: the body %q is not base64", r.method, r.path, out.Body)
	}
	return response{out.StatusCode, out.Headers, string(b)}
}

func (w *world) post(path, body string) response {
	w.t.Helper()
	return w.do(request{method: "POST", path: path, key: key, body: body})
}

func (w *world) get(path, query string) response {
	w.t.Helper()
	return w.do(request{method: "GET", path: path, query: query, key: key})
}

// problem checks that r is an RFC 9457 problem, and that everything in it is
// what the table of faults says.
func (w *world) problem(r response, want fault.Code) {
	w.t.Helper()
	var p struct {
		Type, Title, Detail, Code, TraceID, OperationID string

		Status    int
		Retryable *bool
	}
	d := json.NewDecoder(strings.NewReader(r.body))
	d.DisallowUnknownFields()
	if err := d.Decode(&p); err != nil || r.header["Content-Type"] != "application/problem+json" {
		w.t.Errorf("%d %s %s is not a problem: %v", r.status, r.header["Content-Type"], r.body, err)
		return
	}
	class := fault.Table[want]
	if p.Code != string(want) || r.status != class.Status || p.Status != r.status || p.Title != class.Title || p.Retryable == nil || *p.Retryable != class.Retryable {
		w.t.Errorf("status %d, problem %s; want %s: %+v", r.status, r.body, want, class)
	}
	if p.Type != "about:blank" || p.Detail == "" || len(p.Detail) > 1000 || p.TraceID == "" {
		w.t.Errorf("problem %s: want a type, a detail of reasonable length and a trace id", r.body)
	}
	if retry := r.status == http.StatusServiceUnavailable || r.status == http.StatusTooManyRequests; retry != (r.header["Retry-After"] != "") {
		w.t.Errorf("status %d with Retry-After %q", r.status, r.header["Retry-After"])
	}
	if r.status == http.StatusUnauthorized && r.header["Www-Authenticate"] == "" && r.header["WWW-Authenticate"] == "" {
		w.t.Errorf("401 does not say how to authenticate: %v", r.header)
	}
}
