package main

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"windlass/localstack/gateway"
	"windlass/localstack/sigv4"
	"windlass/localstack/template"
)

// sockets are the template's WebSocket API on the API's door: the stage's path
// opens one, the path below it posts to one. The nil value is none.
type sockets struct {
	api    *gateway.SocketAPI
	path   string // the stage's
	posts  http.Handler
	signed http.Handler // posts, to who may
	shut   func()       // once; later calls wait for the first
}

func (st *stack) openSockets() (err error) {
	if len(st.template.SocketAPIs) == 0 {
		return nil
	}
	a := st.template.SocketAPIs[0]
	s := &sockets{path: "/" + a.Stage}
	s.api, err = gateway.NewSocket(gateway.SocketOptions{
		Invoke: forMessages(st.functions, a, st.measured, st.metered), Routes: routeKeys(a), Selection: a.Selection,
		APIID: a.Name, Stage: a.Stage, Account: account,
		Idle: st.socketIdle, Life: st.socketLife, Log: st.log,
	})
	if err != nil {
		return err
	}
	s.posts = s.api.Connections()
	s.signed = managed(st.credentials, st.metered.requests(st.calls.handler(s.posts)))
	s.shut = sync.OnceFunc(s.api.Close)
	st.sockets = s
	return nil
}

// post is what functions of this process send to sockets.
func (st *stack) post(w http.ResponseWriter, r *http.Request) {
	if st.sockets == nil {
		say(w, http.StatusForbidden, "Forbidden")
		return
	}
	st.sockets.posts.ServeHTTP(w, r)
}

// socketURL is where a ticket leads, or "" if the template has no WebSocket API.
func (st *stack) socketURL() string {
	if st.sockets == nil {
		return ""
	}
	return "ws://" + host(st.api) + st.sockets.path
}

func routeKeys(a template.SocketAPI) (keys []string) {
	for key := range a.Routes {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// managed lets in what is signed for this service. A signature for another one
// is as good a proof, but AWS would not take it.
func managed(c credentials, connections http.Handler) http.Handler {
	verified := sigv4.Verify(c.lookup, time.Now, connections)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch sigv4.Service(r) {
		case "execute-api":
			verified.ServeHTTP(w, r)
		case "":
			say(w, http.StatusForbidden, "Missing Authentication Token")
		default:
			say(w, http.StatusForbidden, "Credential should be scoped to correct service: 'execute-api'.")
		}
	})
}

// handler answers what is for sockets, and leaves the rest to next.
func (s *sockets) handler(next http.Handler) http.Handler {
	if s == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case s.opens(r):
			s.api.ServeHTTP(w, r)
		case strings.HasPrefix(r.URL.Path, s.path+"/@connections/"):
			s.signed.ServeHTTP(w, r)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// opens reports whether a request is a handshake.
func (s *sockets) opens(r *http.Request) bool {
	return r.URL.Path == s.path && strings.EqualFold(r.Header.Get("Upgrade"), "websocket")
}

// admits lets in a page that the same door served under another name of this
// machine: the address in a ticket is one, whichever the page was opened by.
func (s *sockets) admits(port string) func(*http.Request) bool {
	if s == nil {
		return nil
	}
	own := []string{"http://127.0.0.1:" + port, "http://localhost:" + port, "http://[::1]:" + port}
	return func(r *http.Request) bool {
		return s.opens(r) && slices.Contains(own, strings.ToLower(r.Header.Get("Origin")))
	}
}

// close closes every socket, and waits for what that calls until ctx ends.
func (s *sockets) close(ctx context.Context) {
	if s == nil {
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.shut()
	}()
	select {
	case <-done:
	case <-ctx.Done():
	}
}

// say answers in the form of API Gateway's own messages.
func say(w http.ResponseWriter, status int, message string) {
	answerJSON(w, status, map[string]string{"message": message})
}

func answerJSON(w http.ResponseWriter, status int, v any) {
	body, _ := json.Marshal(v) // maps and structs of plain values
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(body) // a client that is gone needs no answer
}
