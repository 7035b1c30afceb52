package main

import (
	"crypto/subtle"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"windlass/localstack/lambda"
)

// Paths of the API's door that are about this process. AWS has nothing like them.
const (
	processPath = "/_local"
	restartPath = "/_local/restart"
	usagePath   = "/_local/usage"
)

// A process is this one, for whoever holds the development key: what it is, and
// a way to lose it. A restart is no stop. The kernel replaces the process between
// two instructions, and whatever was under way is cut off as by kill -9: it is
// there to see what a kill leaves, and that nothing is lost by it.
type process struct {
	key     string
	started time.Time
	// functions are processes of their own, or nil if they run in this one.
	functions *lambda.Processes
	// replace does not return, but to say why the process is still this one.
	replace func() error
	// usage answers what was counted, or is nil if nothing is.
	usage func() (any, error)
	log   *slog.Logger
}

func (p *process) handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case processPath:
			p.answer(w, r, http.MethodGet, p.describe)
		case restartPath:
			p.answer(w, r, http.MethodPost, p.restart)
		case usagePath:
			p.answer(w, r, http.MethodGet, p.counted)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

func (p *process) answer(w http.ResponseWriter, r *http.Request, method string, h http.HandlerFunc) {
	switch {
	case !p.holdsKey(r):
		w.Header().Set("WWW-Authenticate", "Bearer")
		say(w, http.StatusUnauthorized, "send Authorization: Bearer and the development key, which the start prints")
	case r.Method != method:
		w.Header().Set("Allow", method)
		say(w, http.StatusMethodNotAllowed, "send "+method)
	default:
		h(w, r)
	}
}

func (p *process) holdsKey(r *http.Request) bool {
	scheme, key, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	return strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare([]byte(key), []byte(p.key)) == 1
}

func (p *process) describe(w http.ResponseWriter, _ *http.Request) {
	var children *[]lambda.Process
	if p.functions != nil {
		list := p.functions.List()
		children = &list
	}
	answerJSON(w, http.StatusOK, struct {
		Lane      string            `json:"lane"`
		PID       int               `json:"pid"`
		StartedAt time.Time         `json:"startedAt"`
		Children  *[]lambda.Process `json:"children,omitempty"`
	}{"embedded", os.Getpid(), p.started.UTC(), children})
}

func (p *process) counted(w http.ResponseWriter, _ *http.Request) {
	if p.usage == nil {
		say(w, http.StatusNotFound, "nothing is counted: start with WINDLASS_LOCAL_USAGE=1")
		return
	}
	found, err := p.usage()
	if err != nil {
		p.log.Error("what was counted cannot be told", "error", err)
		say(w, http.StatusInternalServerError, "what was counted cannot be told; the log says why")
		return
	}
	answerJSON(w, http.StatusOK, found)
}

// maxRestartBody is read and thrown away: a connection that ends with unread
// bytes takes the answer with it.
const maxRestartBody = 64 << 10

func (p *process) restart(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, http.MaxBytesReader(w, r.Body, maxRestartBody))
	body := fmt.Appendf(nil, `{"pid":%d}`, os.Getpid())
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body))) // so that the flush ends the answer
	w.Header().Set("Connection", "close")
	w.WriteHeader(http.StatusAccepted)
	_, err := w.Write(body)
	if err == nil {
		err = http.NewResponseController(w).Flush()
	}
	if err != nil {
		p.log.Warn("the answer to a restart was not sent", "error", err)
	}
	if err := p.replace(); err != nil {
		p.log.Error("the process cannot replace itself, and goes on: stop it and start it again", "error", err)
	}
}

// replace is the process's replacement: the same binary, arguments, environment
// and working directory, at the addresses that are listened on now. Files and
// listeners end with the old one (Go opens all of them close-on-exec).
func (st *stack) replace() error {
	binary, err := os.Executable()
	if err != nil {
		return err
	}
	env := with(st.program.environ, "WINDLASS_ADDR="+addr(st.api), "WINDLASS_AWS_ADDR="+addr(st.aws))
	return st.program.exec(binary, os.Args, env)
}

// with is an environment with some variables set, whatever they were before.
func with(environ []string, set ...string) []string {
	out := slices.Clone(environ)
	for _, entry := range set {
		name, _, _ := strings.Cut(entry, "=")
		out = slices.DeleteFunc(out, func(e string) bool { return strings.HasPrefix(e, name+"=") })
	}
	return append(out, set...)
}
