package gateway

import (
	"encoding/base64"
	"net/http"
	"strings"

	"github.com/coder/websocket"
)

// ServeHTTP takes a handshake at /{stage}. $connect runs before it is answered:
// until then there is no connection, so a post to its id is 410, as on AWS
// (knowledge center, 410-gone-api-gateway). Its status other than 2xx is the
// handshake's. A failed or late function is 502, the status that clients of AWS
// report (serverless-websockets-plugin#13).
func (a *SocketAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if status := a.handshake(r); status != 0 {
		fail(w, status)
		return
	}
	if status := a.admit(); status != 0 {
		fail(w, status)
		return
	}
	defer a.tasks.Done()
	c := a.newConnection(r)
	status, id := c.connect(r)
	if status/100 != 2 {
		a.leave()
		refuse(w, status, c.id, id)
		return
	}
	c.accept(w, r)
}

// handshake says with which status a request is refused before any function sees it.
func (a *SocketAPI) handshake(r *http.Request) int {
	switch {
	case r.URL.Path != "/"+a.Stage || r.Method != http.MethodGet,
		!listed(r.Header, "Connection", "upgrade"), !listed(r.Header, "Upgrade", "websocket"):
		return http.StatusForbidden
	case len(r.RequestURI) > MaxSocketURL:
		return http.StatusRequestURITooLong
	case headerBytes(r) > MaxHeaders:
		return http.StatusRequestHeaderFieldsTooLarge
	case !r.ProtoAtLeast(1, 1), r.Header.Get("Sec-WebSocket-Version") != "13", !validKey(r.Header["Sec-Websocket-Key"]):
		return http.StatusBadRequest
	}
	return 0
}

// listed reports whether a header's comma separated list has an item.
func listed(h http.Header, name, item string) bool {
	for _, values := range h[name] {
		for v := range strings.SplitSeq(values, ",") {
			if strings.EqualFold(strings.TrimSpace(v), item) {
				return true
			}
		}
	}
	return false
}

// validKey is RFC 6455's rule (4.2.1): one key of 16 bytes in base64.
func validKey(keys []string) bool {
	if len(keys) != 1 {
		return false
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimSpace(keys[0]))
	return err == nil && len(key) == 16
}

// connect runs $connect, and returns the handshake's status and the request's id.
// It does not stop when the client goes away: the function may have stored the
// connection, and only $disconnect makes that good.
func (c *connection) connect(r *http.Request) (int, string) {
	if !c.api.routes[connectRoute] {
		return http.StatusOK, ""
	}
	event, ok := c.connectEvent(r)
	if !ok {
		return http.StatusBadRequest, event.RequestContext.RequestID
	}
	status, err := c.api.run(connectRoute, event)
	if err != nil {
		return http.StatusBadGateway, event.RequestContext.RequestID
	}
	return status, event.RequestContext.RequestID
}

// accept answers 101 and starts the connection. It is known before the answer, so
// that a client that has it is never gone for a post. From a successful $connect
// on, $disconnect follows in every case.
func (c *connection) accept(w http.ResponseWriter, r *http.Request) {
	if !c.api.add(c) {
		c.settle(goingAway)
		refuse(w, http.StatusServiceUnavailable, c.id, "")
		c.api.tasks.Go(c.finish)
		return
	}
	h := &hijacker{ResponseWriter: w}
	// Any origin: the guard has let it in already, and AWS looks at none.
	ws, err := websocket.Accept(h, r, &websocket.AcceptOptions{InsecureSkipVerify: true})
	if err != nil {
		c.settle(abnormal)
		c.api.tasks.Go(c.finish)
		return
	}
	ws.SetReadLimit(-1) // the wire keeps the limits: it sees frames
	c.touch()
	c.start(ws, h.wire)
	c.api.tasks.Go(c.serve)
}

// refuse answers a handshake that $connect did not let in.
func refuse(w http.ResponseWriter, status int, connection, request string) {
	if status < 300 || status > 599 { // nothing that ends a handshake
		status = http.StatusBadGateway
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(gatewayFrame(http.StatusText(status), connection, request)) // a client that is gone needs no answer
}
