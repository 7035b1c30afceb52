package modeltest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"windlass/functions/internal/model"
	"windlass/tests/providers"
)

// once: the turn alone asks again, never an SDK.
func once(t *testing.T, server *providers.Server) {
	t.Helper()
	if n := len(server.Requests()); n != 1 {
		t.Errorf("asked %d times, want once", n)
	}
}

func (s Suite) statuses(t *testing.T) {
	for status, want := range map[int]struct {
		code      string
		permanent bool
	}{
		400: {model.Invalid, true},
		401: {model.Denied, true},
		404: {model.Denied, true},
		413: {model.Overflow, true},
		429: {model.RateLimited, false},
		500: {model.Unavailable, false},
		503: {model.Overloaded, false},
		529: {model.Overloaded, false},
	} {
		c, server := s.talk(t, providers.Answer{Status: status, Message: "something is wrong"})
		c.say("hello")
		f, _ := c.fault(t)
		if f.Code != want.code || f.Permanent != want.permanent || f.RetryAfter != 0 {
			t.Errorf("%d: %+v, want %+v", status, f, want)
		}
		once(t, server)
	}
}

func (s Suite) delays(t *testing.T) {
	for after, between := range map[string][2]time.Duration{
		"7": {7 * time.Second, 7 * time.Second},
		time.Now().Add(time.Hour).UTC().Format(http.TimeFormat): {30 * time.Minute, time.Hour},
	} {
		for _, status := range []int{429, 503} {
			c, server := s.talk(t, providers.Answer{Status: status, RetryAfter: after, Message: "not now"})
			c.say("hello")
			if f, _ := c.fault(t); f.RetryAfter < between[0] || f.RetryAfter > between[1] || f.Permanent {
				t.Errorf("%d, %s: %+v, want %s to %s", status, after, f, between[0], between[1])
			}
			once(t, server)
		}
	}
}

func (s Suite) overflow(t *testing.T) {
	c, server := s.talk(t, s.Overflow)
	c.say("hello")
	if f, _ := c.fault(t); f.Code != model.Overflow || !f.Permanent {
		t.Errorf("%+v", f)
	}
	once(t, server)
}

func (s Suite) broken(t *testing.T) {
	c, server := s.talk(t, providers.Answer{Parts: []providers.Part{text("Hello, this is half an ans")}, Broken: s.Overloaded, Message: "too much to do"})
	c.say("hello")
	if f, partial := c.fault(t); f.Code != model.Overloaded || f.Permanent || partial != "Hello, this is half an ans" {
		t.Errorf("%+v after %q", f, partial)
	}
	once(t, server)
}

func (s Suite) dropped(t *testing.T) {
	for _, said := range [][]providers.Part{nil, {text("Hello, this is half an ans")}, {text("Looking."), call("call_1", "list", "{}")}} {
		c, server := s.talk(t, providers.Answer{Parts: said, Drop: true})
		c.say("hello")
		want := ""
		if said != nil {
			want = said[0].Text
		}
		if f, partial := c.fault(t); f.Code != model.Unavailable || f.Permanent || partial != want {
			t.Errorf("%+v after %q, want %q", f, partial, want)
		}
		once(t, server)
	}
}

// cancelled: a provider that goes on would be paid for words that nobody reads.
func (s Suite) cancelled(t *testing.T) {
	began, ended := make(chan struct{}), make(chan struct{})
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		s.Protocol.Write(&providers.Writer{ResponseWriter: w}, providers.Answer{Parts: []providers.Part{text(strings.Repeat("Hello. ", 100))}, Hold: func(piece int) bool {
			if piece < 20 {
				return true
			}
			close(began)
			<-r.Context().Done()
			close(ended)
			return false
		}})
	}))
	t.Cleanup(web.Close)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	c := &talk{Suite: s, p: s.New(t, web.URL), origin: "o/m"}
	c.say("hello")
	go func() { <-began; cancel() }()
	_, _, err := c.ask(t, ctx)
	var f *model.Fault
	if !errors.As(err, &f) || f.Code != model.Timeout || f.Permanent {
		t.Errorf("%v", err)
	}
	<-ended
}

// secrets: a provider quotes the key and the prompt at every place it has.
func (s Suite) secrets(t *testing.T) {
	const prompt = "my most secret plan"
	for _, quote := range []string{Key, "Bearer " + Key, Key[:20], prompt + " " + Key} {
		for _, a := range []providers.Answer{
			{Status: 400, Code: quote, Message: quote},
			{Status: 401, Message: quote},
			{Status: 429, Code: quote, Message: quote, RetryAfter: "1"},
			{Status: 500, Code: quote, Message: quote},
			{Parts: []providers.Part{text("Hello")}, Broken: quote, Message: quote},
		} {
			c, _ := s.talk(t, a)
			c.say(prompt)
			f, _ := c.fault(t)
			all := fmt.Sprintf("%v %+v %#v", &f, f, f)
			for _, secret := range []string{Key, Key[:20], "secret plan", "127.0.0.1", "Bearer"} {
				if strings.Contains(all, secret) {
					t.Errorf("%d: %q is in %s", a.Status, secret, all)
				}
			}
		}
	}
}
