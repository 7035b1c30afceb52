package keyed_test

import (
	"context"
	"errors"
	"iter"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windlass/functions/internal/model"
	"windlass/functions/internal/model/keyed"
	"windlass/functions/internal/projection"
)

// ring is a Keeper: Rejected moves on to the next key, if there is one.
type ring struct {
	keys     []string
	rejected []string
	err      error
}

func (r *ring) Get(context.Context) (string, error) { return r.keys[0], r.err }

func (r *ring) Rejected(key string) {
	r.rejected = append(r.rejected, key)
	if len(r.keys) > 1 {
		r.keys = r.keys[1:]
	}
}

// server takes one key; what it answers besides is told by the others.
type server struct {
	takes string
	asked *[]string
	key   string
}

var denied = &model.Fault{Code: model.Denied, Permanent: true, Message: "401"}

func (s server) Rules() projection.Rules { return projection.Rules{Origin: "server"} }

func (s server) Stream(context.Context, model.Request) iter.Seq2[model.Part, error] {
	return func(yield func(model.Part, error) bool) {
		*s.asked = append(*s.asked, s.key)
		switch {
		case s.key == "late":
			_ = yield(model.Part{Text: "a"}, nil) && yield(model.Part{}, denied)
		case s.key == "busy":
			yield(model.Part{}, &model.Fault{Code: model.Overloaded})
		case s.key != s.takes:
			yield(model.Part{}, denied)
		default:
			_ = yield(model.Part{Text: "yes"}, nil) && yield(model.Part{Stop: model.StopEnd}, nil)
		}
	}
}

func ask(t *testing.T, k keyed.Keeper, asked *[]string) (text string, code string) {
	t.Helper()
	p, err := keyed.New(k, func(key string) (model.Provider, error) {
		if strings.Contains(key, "\n") {
			return nil, errors.New("the key holds a character that no key has")
		}
		return server{"good", asked, key}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if p.Rules().Origin != "server" {
		t.Error("the rules are not the provider's")
	}
	for part, err := range p.Stream(t.Context(), model.Request{}) {
		text += part.Text
		var f *model.Fault
		if errors.As(err, &f) {
			code += f.Code
		}
	}
	return text, code
}

func TestAKeyThatWasRotatedIsNoticed(t *testing.T) {
	for name, c := range map[string]struct {
		keys            []string
		text, code      string
		asked, rejected []string
	}{
		"a good key":                 {[]string{"good"}, "yes", "", []string{"good"}, nil},
		"a new one":                  {[]string{"old", "good"}, "yes", "", []string{"old", "good"}, []string{"old"}},
		"no other one":               {[]string{"old"}, "", model.Denied, []string{"old"}, []string{"old"}},
		"another bad one":            {[]string{"old", "older", "good"}, "", model.Denied, []string{"old", "older"}, []string{"old"}},
		"denied when it had begun":   {[]string{"late", "good"}, "a", model.Denied, []string{"late"}, nil},
		"busy, whatever the key is":  {[]string{"busy", "good"}, "", model.Overloaded, []string{"busy"}, nil},
		"one that cannot be sent":    {[]string{"a\nb"}, "", model.Denied, nil, []string{"a\nb"}},
		"one that could not be sent": {[]string{"a\nb", "good"}, "yes", "", []string{"good"}, []string{"a\nb"}},
	} {
		t.Run(name, func(t *testing.T) {
			var asked []string
			k := &ring{keys: c.keys}
			text, code := ask(t, k, &asked)
			if text != c.text || code != c.code {
				t.Errorf("%q, %q; want %q, %q", text, code, c.text, c.code)
			}
			if diff := cmp.Diff([][]string{c.asked, c.rejected}, [][]string{asked, k.rejected}); diff != "" {
				t.Errorf("asked and rejected: %s", diff)
			}
		})
	}
}

func TestWithoutAKeyNobodyIsAsked(t *testing.T) {
	var asked []string
	if text, code := ask(t, &ring{keys: []string{""}, err: &model.Fault{Code: model.Unavailable}}, &asked); text != "" || code != model.Unavailable || asked != nil {
		t.Errorf("%q, %q, asked %v", text, code, asked)
	}
}

func TestWhoReadsNoFurtherIsAskedNothingMore(t *testing.T) {
	var asked []string
	p, err := keyed.New(&ring{keys: []string{"good"}}, func(key string) (model.Provider, error) { return server{"good", &asked, key}, nil })
	if err != nil {
		t.Fatal(err)
	}
	for range p.Stream(t.Context(), model.Request{}) {
		break
	}
	if len(asked) != 1 {
		t.Errorf("asked %v", asked)
	}
}

func TestOtherMistakesAreFoundAtTheStart(t *testing.T) {
	if _, err := keyed.New(&ring{}, func(string) (model.Provider, error) { return nil, errors.New("no URL") }); err == nil {
		t.Error("a provider that cannot be built is taken")
	}
}
