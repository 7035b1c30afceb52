package gateway

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"
)

// Connections is the @connections API at /{stage}/@connections/{id}: POST sends
// a text message, GET tells about a connection, DELETE closes it. Its caller has
// verified the signature.
//
// 200 says that a message is queued, not that the client has it. A connection
// that is not open, or not open yet, is 410, one whose client does not read 429,
// a message over MaxMessage 413.
func (a *SocketAPI) Connections() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Amzn-Requestid", requestID())
		id, ok := strings.CutPrefix(r.URL.Path, "/"+a.Stage+"/@connections/")
		serve := management[r.Method]
		if !ok || id == "" || serve == nil {
			deny(w, http.StatusForbidden, "ForbiddenException", "Forbidden")
			return
		}
		c := a.find(id)
		if c == nil {
			gone(w)
			return
		}
		serve(c, w, r)
	})
}

var management = map[string]func(*connection, http.ResponseWriter, *http.Request){
	http.MethodPost:   (*connection).servePost,
	http.MethodGet:    (*connection).serveGet,
	http.MethodDelete: (*connection).serveDelete,
}

func (c *connection) servePost(w http.ResponseWriter, r *http.Request) {
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxMessage))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		deny(w, http.StatusRequestEntityTooLarge, "PayloadTooLargeException", "Payload too large: a message has at most 128 KB")
		return
	case err != nil, !utf8.Valid(text): // a text frame carries nothing else
		deny(w, http.StatusBadRequest, "BadRequestException", "The message is not text: send UTF-8")
		return
	}
	switch c.push(text) {
	case errGone:
		gone(w)
	case errFull:
		deny(w, http.StatusTooManyRequests, "LimitExceededException", "The WebSocket client side buffer is full")
	default:
		w.WriteHeader(http.StatusOK)
	}
}

func (c *connection) serveGet(w http.ResponseWriter, _ *http.Request) {
	body, _ := json.Marshal(map[string]any{ // strings always encode
		"connectedAt":  timestamp(c.connectedAt),
		"identity":     map[string]string{"sourceIp": c.source, "userAgent": c.agent},
		"lastActiveAt": timestamp(c.connectedAt.Add(time.Duration(c.active.Load()))),
	})
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(body) // a caller that is gone needs no answer
}

// timestamp is how GET of @connections gives a time.
func timestamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

func (c *connection) serveDelete(w http.ResponseWriter, _ *http.Request) {
	if c.end() != nil {
		gone(w)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

func gone(w http.ResponseWriter) {
	deny(w, http.StatusGone, "GoneException", "The connection is closed")
}

// deny answers so that AWS's SDKs find the typed error: its name in the header.
func deny(w http.ResponseWriter, status int, name, message string) {
	body, _ := json.Marshal(map[string]string{"message": message})
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Amzn-ErrorType", name)
	w.WriteHeader(status)
	_, _ = w.Write(body) // a caller that is gone needs no answer
}
