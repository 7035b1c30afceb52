package lambda

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"
)

// runtimeVersion is the first element of every path of the Runtime API.
const runtimeVersion = "/2018-06-01/runtime"

// A runtimeAPI is the Runtime API of one process, which polls it for invocations
// (https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html). A process has
// one invocation at a time: the next one is handed over at its next poll and not
// before, because only then is it done with the one before.
type runtimeAPI struct {
	jobs chan *job // handed over to a poll; never buffered
	// kill ends a process that has answered, or not, and does not poll by the
	// invocation's deadline.
	kill func()

	mu      sync.Mutex
	polling bool
	current *job // from its poll to the next one
	settled bool // current has its outcome
	overdue *time.Timer
	initial *FunctionError // why the process says that it cannot start
}

func newRuntimeAPI(kill func()) *runtimeAPI {
	return &runtimeAPI{jobs: make(chan *job), kill: kill}
}

// handler serves the API below a path.
func (a *runtimeAPI) handler(below string) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+below+runtimeVersion+"/invocation/next", a.next)
	mux.HandleFunc("POST "+below+runtimeVersion+"/invocation/{id}/response", a.response)
	mux.HandleFunc("POST "+below+runtimeVersion+"/invocation/{id}/error", a.failure)
	mux.HandleFunc("POST "+below+runtimeVersion+"/init/error", a.initFailure)
	return mux
}

func (a *runtimeAPI) next(w http.ResponseWriter, r *http.Request) {
	if !a.poll() {
		refuse(w, http.StatusForbidden, "InvalidStateTransition", "answer the invocation first, and poll once")
		return
	}
	var taken *job
	select {
	case taken = <-a.jobs:
	case <-r.Context().Done():
	}
	a.begin(taken)
	if taken != nil {
		taken.describe(w.Header())
		_, _ = w.Write(taken.payload) // a process that is gone is found by its exit
	}
}

// poll ends the invocation before, if it was answered.
func (a *runtimeAPI) poll() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.polling || a.current != nil && !a.settled {
		return false
	}
	if a.overdue != nil {
		a.overdue.Stop()
	}
	a.polling, a.current, a.settled, a.overdue = true, nil, false, nil
	return true
}

func (a *runtimeAPI) begin(j *job) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.polling, a.current = false, j
	if j != nil {
		a.overdue = time.AfterFunc(time.Until(j.deadline), a.kill)
	}
}

// busy reports whether an invocation waits for its outcome.
func (a *runtimeAPI) busy() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.current != nil && !a.settled
}

// settle gives the current invocation its outcome. There is one, whatever the
// process sends.
func (a *runtimeAPI) settle(id string, out outcome) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.current == nil || a.current.id != id || a.settled {
		return false
	}
	a.settled = true
	a.current.outcome <- out
	return true
}

func (a *runtimeAPI) response(w http.ResponseWriter, r *http.Request) {
	body, err := readBody(r)
	switch failed := trailing(r.Trailer); {
	case errors.Is(err, errTooLarge):
		a.settle(r.PathValue("id"), outcome{err: responseTooLarge()})
		refuse(w, http.StatusRequestEntityTooLarge, "RequestEntityTooLarge", err.Error())
	case err != nil: // the process went away in the middle of it
		refuse(w, http.StatusBadRequest, "InvalidRequest", "the body ended early")
	case failed != nil:
		a.accept(w, r, outcome{err: failed})
	default:
		a.accept(w, r, outcome{payload: body})
	}
}

func (a *runtimeAPI) failure(w http.ResponseWriter, r *http.Request) {
	failed, ok := reported(w, r)
	if ok {
		a.accept(w, r, outcome{err: failed})
	}
}

func (a *runtimeAPI) accept(w http.ResponseWriter, r *http.Request, out outcome) {
	if !a.settle(r.PathValue("id"), out) {
		refuse(w, http.StatusBadRequest, "InvalidRequestID", "this is not the invocation under way, or it was answered")
		return
	}
	accepted(w)
}

func (a *runtimeAPI) initFailure(w http.ResponseWriter, r *http.Request) {
	failed, ok := reported(w, r)
	if !ok {
		return
	}
	a.mu.Lock()
	failed.exit = true
	a.initial = failed
	a.mu.Unlock()
	accepted(w)
}

// initError is what the process said of its own start, or nil.
func (a *runtimeAPI) initError() *FunctionError {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.initial
}

var errTooLarge = errors.New("the body is larger than Lambda accepts")

// readBody reads all that Lambda would.
func readBody(r *http.Request) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(r.Body, MaxResponse+1))
	if err == nil && len(body) > MaxResponse {
		err = errTooLarge
	}
	return body, err
}

// reported reads an error that a process sends, or refuses it.
func reported(w http.ResponseWriter, r *http.Request) (*FunctionError, bool) {
	body, err := readBody(r)
	switch {
	case errors.Is(err, errTooLarge):
		refuse(w, http.StatusRequestEntityTooLarge, "RequestEntityTooLarge", err.Error())
	case err != nil:
		refuse(w, http.StatusBadRequest, "InvalidRequest", "the body ended early")
	default:
		return readError(r.Header.Get("Lambda-Runtime-Function-Error-Type"), body), true
	}
	return nil, false
}

func accepted(w http.ResponseWriter) {
	answer(w, http.StatusAccepted, map[string]string{"status": "OK"})
}

func refuse(w http.ResponseWriter, status int, kind, message string) {
	answer(w, status, map[string]string{"errorType": kind, "errorMessage": message})
}

func answer(w http.ResponseWriter, status int, v map[string]string) {
	body, _ := json.Marshal(v) // texts
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(body)
}
