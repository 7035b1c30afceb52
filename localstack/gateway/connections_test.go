package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/apigatewaymanagementapi"
	"github.com/aws/aws-sdk-go-v2/service/apigatewaymanagementapi/types"
	"github.com/aws/smithy-go"
	"github.com/coder/websocket"
)

func TestPostsKeepTheirOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil)
		ws, id := r.open()
		for i := range 50 {
			r.post(id, fmt.Sprint(i), 200)
		}
		for i := range 50 {
			if got := r.receive(ws); got != fmt.Sprint(i) {
				t.Fatalf("%s in place of %d", got, i)
			}
		}
	})
}

func TestWhatWaitsForAClientIsBounded(t *testing.T) {
	for name, c := range map[string]struct {
		size, fit int
	}{
		"messages": {1, maxQueue},
		"bytes":    {MaxMessage, maxQueued / MaxMessage},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, nil)
				ws, id := r.open()
				other, otherID := r.open()
				text := strings.Repeat("x", c.size)
				for range c.fit {
					r.post(id, text, 200)
					synctest.Wait()
				}
				r.post(id, "x", 429)
				r.post(otherID, "quick", 200)
				if got := r.receive(other); got != "quick" {
					t.Error(got)
				}
				for range c.fit {
					if got := r.receive(ws); got != text {
						t.Errorf("%d bytes", len(got))
					}
				}
				synctest.Wait()
				r.post(id, "again", 200)
				if got := r.receive(ws); got != "again" {
					t.Error(got)
				}
			})
		})
	}
}

func TestAClientThatReadsNothingIsClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil)
		_, id := r.open()
		r.post(id, "unread", 200)
		time.Sleep(writeTimeout - 1)
		r.post(id, "waits", 200)
		time.Sleep(time.Nanosecond)
		r.disconnected(1006, abnormal.told)
		r.post(id, "x", 410)
	})
}

func TestDELETEClosesAfterWhatIsQueued(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil)
		ws, id := r.open()
		r.post(id, "one", 200)
		r.post(id, "two", 200)
		if w := r.manage("DELETE", id, ""); w.Code != 204 || w.Body.Len() != 0 {
			t.Errorf("%d %s", w.Code, w.Body)
		}
		r.post(id, "three", 410)
		if w := r.manage("DELETE", id, ""); w.Code != 410 {
			t.Errorf("the second DELETE: %d", w.Code)
		}
		if one, two := r.receive(ws), r.receive(ws); one != "one" || two != "two" {
			t.Errorf("%q, %q", one, two)
		}
		r.closed(ws, 1000, "")
		r.disconnected(1000, "Connection Closed Normally")
	})
}

func TestGETTellsWhenAConnectionWasLastActive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil, func(o *SocketOptions) { o.Now = time.Now })
		ws, _, err := r.dial("/live", http.Header{"User-Agent": {"test/1"}})
		if err != nil {
			t.Fatal(err)
		}
		defer ws.CloseNow()
		time.Sleep(time.Minute)
		r.send(ws, "x")
		id := r.last().RequestContext.ConnectionID
		time.Sleep(time.Minute)
		w := r.manage("GET", id, "")
		want := `{"connectedAt":"2000-01-01T00:00:00.000Z","identity":{"sourceIp":"127.0.0.1","userAgent":"test/1"},"lastActiveAt":"2000-01-01T00:01:00.000Z"}`
		if w.Code != 200 || w.Body.String() != want {
			t.Errorf("%d %s, want %s", w.Code, w.Body, want)
		}
	})
}

func TestConnectionsRefusals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil)
		_, id := r.open()
		for name, c := range map[string]struct {
			method, path, body, kind string
			status                   int
		}{
			"method":        {"PUT", "/live/@connections/" + id, "x", "ForbiddenException", 403},
			"other stage":   {"POST", "/other/@connections/" + id, "x", "ForbiddenException", 403},
			"no id":         {"POST", "/live/@connections/", "x", "ForbiddenException", 403},
			"unknown id":    {"GET", "/live/@connections/AAAAAAAAAAAAAAA%3D", "", "GoneException", 410},
			"below an id":   {"GET", "/live/@connections/" + id + "/x", "", "GoneException", 410},
			"over 128 KB":   {"POST", "/live/@connections/" + id, strings.Repeat("x", MaxMessage+1), "PayloadTooLargeException", 413},
			"not text":      {"POST", "/live/@connections/" + id, "\xff", "BadRequestException", 400},
			"gone at POST":  {"POST", "/live/@connections/x", "x", "GoneException", 410},
			"gone at DELTE": {"DELETE", "/live/@connections/x", "", "GoneException", 410},
		} {
			w := httptest.NewRecorder()
			r.api.Connections().ServeHTTP(w, httptest.NewRequest(c.method, c.path, strings.NewReader(c.body)))
			var problem struct{ Message string }
			if err := json.Unmarshal(w.Body.Bytes(), &problem); err != nil || problem.Message == "" {
				t.Errorf("%s: %s: %v", name, w.Body, err)
			}
			if w.Code != c.status || w.Header().Get("X-Amzn-Errortype") != c.kind {
				t.Errorf("%s: %d %s, want %d %s", name, w.Code, w.Header().Get("X-Amzn-Errortype"), c.status, c.kind)
			}
		}
	})
}

// AWS's own client must be able to name what it gets, over a real socket.
func TestTheSDKUnderstandsEveryAnswer(t *testing.T) {
	connected := make(chan string, 1)
	a, err := NewSocket(SocketOptions{
		Invoke: func(_ context.Context, _ string, event []byte) ([]byte, error) {
			var e socketEvent
			err := json.Unmarshal(event, &e)
			connected <- e.RequestContext.ConnectionID
			return []byte(`{"statusCode":200}`), err
		},
		Selection: "$request.body.type", Stage: "live", Routes: []string{"$connect"},
		Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/live/@connections/", a.Connections())
	mux.Handle("/", a)
	srv := httptest.NewServer(mux)
	defer srv.Close()
	defer a.Close()
	client := apigatewaymanagementapi.New(apigatewaymanagementapi.Options{
		BaseEndpoint: aws.String(srv.URL + "/live"), Region: "us-east-1", Retryer: aws.NopRetryer{},
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "a", SecretAccessKey: "b"}, nil
		}),
	})
	ws, _, err := websocket.Dial(t.Context(), srv.URL+"/live", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer ws.CloseNow()
	ws.SetReadLimit(MaxMessage)
	id := aws.String(<-connected)
	post := func(data string) error {
		_, err := client.PostToConnection(t.Context(), &apigatewaymanagementapi.PostToConnectionInput{ConnectionId: id, Data: []byte(data)})
		return err
	}
	largest := strings.Repeat("€", MaxMessage/3)
	if err := post(largest); err != nil {
		t.Fatal(err)
	}
	if kind, got, err := ws.Read(t.Context()); err != nil || kind != websocket.MessageText || string(got) != largest {
		t.Errorf("%v with %d bytes: %v", kind, len(got), err)
	}
	out, err := client.GetConnection(t.Context(), &apigatewaymanagementapi.GetConnectionInput{ConnectionId: id})
	if err != nil || *out.Identity.SourceIp != "127.0.0.1" || out.LastActiveAt.Before(*out.ConnectedAt) {
		t.Errorf("%+v %v", out, err)
	}
	// The client does not read: what the system buffers is finite, and then 429.
	var full *types.LimitExceededException
	for range 10_000 {
		if err = post(largest); err != nil {
			break
		}
	}
	if !errors.As(err, &full) {
		t.Errorf("full: %v", err)
	}
	if err := post(strings.Repeat("x", MaxMessage+1)); !is[*types.PayloadTooLargeException](err) {
		t.Errorf("too large: %v", err)
	}
	var coded smithy.APIError
	if err := post("\xff"); !errors.As(err, &coded) || coded.ErrorCode() != "BadRequestException" {
		t.Errorf("not text: %v", err)
	}
	if _, err := client.DeleteConnection(t.Context(), &apigatewaymanagementapi.DeleteConnectionInput{ConnectionId: id}); err != nil {
		t.Error(err)
	}
	if err := post("x"); !is[*types.GoneException](err) {
		t.Errorf("gone: %v", err)
	}
	for err = nil; err == nil; {
		_, _, err = ws.Read(t.Context())
	}
	if websocket.CloseStatus(err) != websocket.StatusNormalClosure {
		t.Errorf("the client saw %v", err)
	}
}

func is[E error](err error) bool {
	var target E
	return errors.As(err, &target)
}
