package connection_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/google/go-cmp/cmp"

	"windlass/functions/internal/connection"
	"windlass/localstack/sigv4"
)

// gateway answers every call with one status, and notes what came.
type gateway struct {
	*httptest.Server
	status int
	mu     sync.Mutex
	came   []string // method, path as sent, body
}

// newGateway refuses what is not signed for it.
func newGateway(t *testing.T, status int) *gateway {
	g := &gateway{status: status}
	lookup := func(id string) (string, bool) { return "secret", id == "test" }
	g.Server = httptest.NewServer(sigv4.Verify(lookup, time.Now, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || sigv4.Service(r) != "execute-api" {
			t.Errorf("%v; signed for %q, want execute-api", err, sigv4.Service(r))
		}
		g.mu.Lock()
		defer g.mu.Unlock()
		g.came = append(g.came, r.Method+" "+r.RequestURI+" "+string(body))
		w.WriteHeader(g.status)
	})))
	t.Cleanup(g.Close)
	return g
}

// configured is a configuration that wants other endpoints and many attempts.
func configured() aws.Config {
	return aws.Config{
		Region: "us-east-1", Credentials: credentials(), RetryMaxAttempts: 7, RetryMode: aws.RetryModeStandard,
		BaseEndpoint: aws.String("http://127.0.0.1:1/elsewhere"),
	}
}

func posts(t *testing.T, cfg aws.Config, socket string) *connection.Posts {
	t.Helper()
	u, err := connection.SocketURL(socket)
	try(t, err)
	return connection.NewPosts(cfg, u)
}

func (g *gateway) posts(t *testing.T) *connection.Posts {
	t.Helper()
	return posts(t, configured(), strings.Replace(g.URL, "http", "ws", 1)+"/live")
}

func TestAFrameIsPostedSignedToItsConnection(t *testing.T) {
	t.Setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
	t.Setenv("AWS_ENDPOINT_URL_APIGATEWAYMANAGEMENTAPI", "http://127.0.0.1:1")
	g := newGateway(t, http.StatusOK)
	p := g.posts(t)
	for _, id := range []string{"L0SM9cOFvHcCIAg=", "a+/b c?#%2F=="} {
		try(t, p.Post(t.Context(), id, []byte(`{"v":1,"text":"é"}`)))
		try(t, p.Close(t.Context(), id))
	}
	want := []string{
		`POST /live/@connections/L0SM9cOFvHcCIAg%3D {"v":1,"text":"é"}`, `DELETE /live/@connections/L0SM9cOFvHcCIAg%3D `,
		`POST /live/@connections/a%2B%2Fb%20c%3F%23%252F%3D%3D {"v":1,"text":"é"}`, `DELETE /live/@connections/a%2B%2Fb%20c%3F%23%252F%3D%3D `,
	}
	if d := cmp.Diff(want, g.came); d != "" {
		t.Errorf("came (-want +got):\n%s", d)
	}
}

func TestEveryAnswerHasItsErrorAndIsNotAskedForTwice(t *testing.T) {
	other := errors.New("another error")
	for status, want := range map[int]struct{ post, close error }{
		200: {nil, nil}, 204: {nil, nil}, 410: {connection.ErrGone, nil}, 429: {connection.ErrBusy, connection.ErrBusy},
		400: {other, other}, 403: {other, other}, 413: {other, other}, 500: {other, other}, 502: {other, other}, 503: {other, other},
	} {
		g := newGateway(t, status)
		p := g.posts(t)
		for name, c := range map[string]struct{ got, want error }{
			"post": {p.Post(t.Context(), "c1=", []byte("{}")), want.post}, "close": {p.Close(t.Context(), "c1="), want.close},
		} {
			if c.want == other && c.got != nil && !errors.Is(c.got, connection.ErrGone) && !errors.Is(c.got, connection.ErrBusy) {
				continue
			}
			if !errors.Is(c.got, c.want) {
				t.Errorf("%s is answered %d: %v, want %v", name, status, c.got, c.want)
			}
		}
		if len(g.came) != 2 {
			t.Errorf("%d: %d requests came, want one each", status, len(g.came))
		}
	}
}

func TestAConnectionWithNoNameIsNotPostedTo(t *testing.T) {
	g := newGateway(t, http.StatusOK)
	p := g.posts(t)
	if err := p.Post(t.Context(), "", []byte("{}")); err == nil || errors.Is(err, connection.ErrGone) {
		t.Errorf("%v, want an error of its own", err)
	}
	if len(g.came) != 0 {
		t.Errorf("came: %v", g.came)
	}
}

// silence never answers.
type silence struct{ sent int }

func (s *silence) Do(r *http.Request) (*http.Response, error) {
	s.sent++
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// One slow connection must not hold up the others.
func TestACallEndsAfterASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		quiet := &silence{}
		cfg := configured()
		cfg.HTTPClient = quiet
		p := posts(t, cfg, "wss://abc.execute-api.us-east-1.amazonaws.com/live")
		for name, call := range map[string]func() error{
			"post": func() error { return p.Post(t.Context(), "c1=", []byte("{}")) }, "close": func() error { return p.Close(t.Context(), "c1=") },
		} {
			began := time.Now()
			if err := call(); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s: %v, want %v", name, err, context.DeadlineExceeded)
			}
			if took := time.Since(began); took != time.Second {
				t.Errorf("%s took %s", name, took)
			}
		}
		if quiet.sent != 2 {
			t.Errorf("%d requests were sent, want one each", quiet.sent)
		}
	})
}
