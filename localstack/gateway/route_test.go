package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestTheBodySelectsTheRoute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil)
		ws, _ := r.open()
		for text, want := range map[string]string{
			`{"type":"say"}`:             "say",
			` { "a":[1], "type":"say" }`: "say",
			`{"type":"other"}`:           "$default",
			`{"Type":"say"}`:             "$default",
			`{"a":{"type":"say"}}`:       "$default",
			`{"type":["say"]}`:           "$default",
			`{"type":null}`:              "$default",
			`{"type":""}`:                "$default",
			`{"type":"$connect"}`:        "$default",
			`{"type":"$disconnect"}`:     "$default",
			`[{"type":"say"}]`:           "$default",
			`null`:                       "$default",
			`{"type":"say"`:              "$default",
			`say`:                        "$default",
			``:                           "$default",
		} {
			r.send(ws, text)
			if e := r.last(); e.RequestContext.RouteKey != want || e.Body != text || e.IsBase64Encoded {
				t.Errorf("%s goes to %s with the body %q, want %s", text, e.RequestContext.RouteKey, e.Body, want)
			}
		}
	})
}

func TestTheGatewayAnswersOnlyFailures(t *testing.T) {
	say := func(f function) map[string]function { return map[string]function{"say": f} }
	answer := func(payload string) map[string]function {
		return say(func(context.Context, *socketEvent) ([]byte, error) { return []byte(payload), nil })
	}
	for name, c := range map[string]struct {
		functions map[string]function
		routes    []string
		want      string
	}{
		"failed":       {say(func(context.Context, *socketEvent) ([]byte, error) { return nil, errors.New("x") }), everyRoute, "Internal server error"},
		"malformed":    {answer(`null`), everyRoute, "Internal server error"},
		"late":         {say(func(ctx context.Context, _ *socketEvent) ([]byte, error) { <-ctx.Done(); return nil, ctx.Err() }), everyRoute, "Internal server error"},
		"no route":     {nil, []string{"$connect", "$disconnect"}, "Forbidden"},
		"served":       {answer(`{"statusCode":200,"body":"kept"}`), everyRoute, ""},
		"error status": {answer(`{"statusCode":500,"body":"kept"}`), everyRoute, ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, c.functions, func(o *SocketOptions) { o.Routes = c.routes })
				ws, id := r.open()
				began := time.Now()
				r.send(ws, `{"type":"say"}`)
				if c.want == "" {
					synctest.Wait()
					r.post(id, "nothing before me", 200)
					if got := r.receive(ws); got != "nothing before me" {
						t.Error(got)
					}
					return
				}
				var frame map[string]string
				if err := json.Unmarshal([]byte(r.receive(ws)), &frame); err != nil {
					t.Fatal(err)
				}
				if frame["message"] != c.want || frame["connectionId"] != id || len(frame["requestId"]) != 16 || len(frame) != 3 {
					t.Errorf("%v", frame)
				}
				if late := time.Since(began) == SocketTimeout; late != (name == "late") {
					t.Errorf("after %v", time.Since(began))
				}
			})
		})
	}
}

// Messages run side by side, sixteen of them; the seventeenth is not even read.
func TestInvocationsOfOneConnectionAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		r := newRig(t, map[string]function{"say": func(context.Context, *socketEvent) ([]byte, error) {
			<-release
			return []byte(`{"statusCode":200}`), nil
		}})
		ws, _ := r.open()
		go func() {
			for i := range 40 {
				r.send(ws, fmt.Sprintf(`{"type":"say","i":%d}`, i))
			}
		}()
		if n := len(r.events()); n != 1+maxInvocations {
			t.Errorf("%d run at once, want %d", n-1, maxInvocations)
		}
		release <- struct{}{}
		if n := len(r.events()); n != 2+maxInvocations {
			t.Errorf("after one ended, %d began, want %d", n-1, 1+maxInvocations)
		}
		close(release)
		if n := len(r.events()); n != 41 {
			t.Errorf("%d began, want 40", n-1)
		}
	})
}

// Whatever a client sends, its message reaches one route of its own choice or
// $default, and never AWS's own routes.
func FuzzRoute(f *testing.F) {
	for _, s := range []string{`{"type":"say"}`, `{"type":"$connect"}`, `{"type":1}`, `[]`, `{"type":"say","type":"x"}`, "{\"type\":\"\\u0073ay\"}"} {
		f.Add(s)
	}
	a, err := NewSocket(SocketOptions{
		Invoke:    func(context.Context, string, []byte) ([]byte, error) { return nil, nil },
		Selection: "$request.body.type", Stage: "live", Routes: everyRoute,
	})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if key := a.key([]byte(text)); key != "$default" && (key != "say" || !strings.Contains(text, "type") && !strings.Contains(text, `\u`)) {
			t.Errorf("%q goes to %q", text, key)
		}
	})
}
