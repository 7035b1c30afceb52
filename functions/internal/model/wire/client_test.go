package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"windlass/functions/internal/model"
)

// network answers in its place.
type answers func(*http.Request) (*http.Response, error)

func (a answers) RoundTrip(r *http.Request) (*http.Response, error) { return a(r) }

func response(status int, header http.Header, body io.Reader) answers {
	return func(r *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: status, Header: header, Body: io.NopCloser(body), Request: r}, nil
	}
}

func post(t *testing.T, c *http.Client) (*http.Response, error) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://model.test/v1", strings.NewReader("my plan"))
	if err != nil {
		t.Fatal(err)
	}
	return c.Do(r)
}

func fault(t *testing.T, err error) model.Fault {
	t.Helper()
	var f *model.Fault
	if !errors.As(err, &f) {
		t.Fatalf("%v is no Fault", err)
	}
	return *f
}

func TestAnErrorIsAFault(t *testing.T) {
	for _, c := range []struct {
		status int
		header http.Header
		body   string
		want   model.Fault
	}{
		{429, http.Header{"Retry-After": {"90"}}, `{"error":{"code":"rate_limit_exceeded"}}`, model.Fault{Code: model.RateLimited, RetryAfter: 90 * time.Second, Message: "the model provider answered with HTTP status 429 (rate_limit_exceeded)"}},
		{400, http.Header{"Retry-After": {"90"}}, ``, model.Fault{Code: model.Invalid, Permanent: true, Message: "the model provider answered with HTTP status 400"}},
		{400, http.Header{"X-Amzn-Errortype": {"ThrottlingException:http://internal.test/"}}, `{"message":"m"}`, model.Fault{Code: model.Invalid, Permanent: true, Message: "the model provider answered with HTTP status 400 (ThrottlingException)"}},
		{424, http.Header{"X-Amzn-Errortype": {"ModelErrorException"}}, `{"message":"m"}`, model.Fault{Code: model.Unavailable, Message: "the model provider answered with HTTP status 424 (ModelErrorException)"}},
		{302, http.Header{"Location": {"http://other.test/" + key}}, ``, model.Fault{Code: model.Invalid, Permanent: true, Message: "the model provider answered with HTTP status 302"}},
	} {
		_, err := post(t, NewClient(key, response(c.status, c.header, strings.NewReader(c.body))))
		if f := fault(t, err); f != c.want {
			t.Errorf("%d: %+v, want %+v", c.status, f, c.want)
		}
	}
}

func TestARedirectIsNotFollowed(t *testing.T) {
	followed := false
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { followed = true }))
	t.Cleanup(other.Close)
	s := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	t.Cleanup(s.Close)
	res, err := NewClient(key, nil).Post(s.URL, "text/plain", strings.NewReader("my plan"))
	if err == nil {
		res.Body.Close()
	}
	if f := fault(t, err); !f.Permanent || followed {
		t.Errorf("%+v; followed: %t", f, followed)
	}
}

// counting says how much was read of something without an end.
type counting struct{ n int }

func (c *counting) Read(p []byte) (int, error) {
	c.n += len(p)
	return len(p), nil
}

func TestWhatHasNoEndIsLeft(t *testing.T) {
	var c counting
	_, err := post(t, NewClient(key, response(503, nil, &c)))
	if f := fault(t, err); f.Code != model.Overloaded || c.n > maxComplaint {
		t.Errorf("%+v; %d bytes of an error were read", f, c.n)
	}
	c.n = 0
	res, err := post(t, NewClient(key, response(200, nil, &c)))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	n, err := io.Copy(io.Discard, res.Body)
	if err != ErrTooLarge || n != maxWire || c.n != maxWire {
		t.Errorf("%d bytes of an answer were read, then %v", n, err)
	}
}

// mute sends a piece, then nothing until its request ends.
func mute(r *http.Request) (*http.Response, error) {
	read, write := io.Pipe()
	go func() {
		_, _ = io.WriteString(write, "begun")
		<-r.Context().Done()
		write.CloseWithError(fmt.Errorf("secret: %w", r.Context().Err()))
	}()
	return &http.Response{StatusCode: 200, Body: read, Request: r}, nil
}

func TestAnAnswerThatFallsSilentIsEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		res, err := post(t, NewClient(key, answers(mute)))
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		b, err := io.ReadAll(res.Body)
		if string(b) != "begun" || err != ErrIdle || time.Since(began) != idle {
			t.Errorf("%q, %v after %s", b, err, time.Since(began))
		}
	})
}

func TestAnAnswerThatIsSlowButSpeaksIsNotEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		res, err := post(t, NewClient(key, answers(func(r *http.Request) (*http.Response, error) {
			read, write := io.Pipe()
			go func() {
				for range 10 {
					time.Sleep(idle - time.Second)
					_, _ = io.WriteString(write, ".")
				}
				write.Close()
			}()
			return &http.Response{StatusCode: 200, Body: read, Request: r}, nil
		})))
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		if b, err := io.ReadAll(res.Body); len(b) != 10 || err != nil {
			t.Errorf("%q, %v", b, err)
		}
	})
}

func TestAnAnswerEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://model.test/v1", nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := NewClient(key, answers(mute)).Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		time.AfterFunc(time.Second, cancel)
		if _, err := io.ReadAll(res.Body); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
}

func TestClosingAnAnswerEndsItsRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var request context.Context
		res, err := post(t, NewClient(key, answers(func(r *http.Request) (*http.Response, error) {
			request = r.Context()
			return mute(r)
		})))
		if err != nil {
			t.Fatal(err)
		}
		if err := res.Body.Close(); err != nil || request.Err() == nil {
			t.Errorf("%v; the request's context: %v", err, request.Err())
		}
	})
}
