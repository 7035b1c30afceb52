package browser

import (
	"context"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"windlass/tests/embedded"
)

// watch keeps what a tab did, as the browser tells of it.
type watch struct {
	mu       sync.Mutex
	faults   []string          // messages, exceptions, policy violations
	requests []string          // every URL that was asked for
	names    map[string]string // by request: "METHOD PATH"
	answers  []string          // of requests that went wrong: "STATUS METHOD PATH"
	expected []*regexp.Regexp
}

// ordinary is what the console counts on: a session that no prompt has opened is
// not there yet.
var ordinary = regexp.MustCompile(`^404 GET /v1/sessions/[^/]+/(operations|files)(\?|$)`)

// expect names answers that the test provokes: "STATUS METHOD PATH", or "failed
// METHOD PATH" of a request that none came to. They are regular expressions.
func (w *watch) expect(answers ...string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, answer := range answers {
		w.expected = append(w.expected, regexp.MustCompile("^"+answer))
	}
}

// event takes an event of the tab. Of the network the log has each fault once more,
// without its method: it is passed over there.
func (w *watch) event(ev any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch e := ev.(type) {
	case *runtime.EventExceptionThrown:
		w.faults = append(w.faults, "exception: "+exception(e.ExceptionDetails))
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeWarning || e.Type == runtime.ConsoleAPICalledTypeAssert {
			w.faults = append(w.faults, fmt.Sprintf("console.%s: %s", e.Type, arguments(e.Args)))
		}
	case *log.EventEntryAdded:
		if e.Entry.Source != log.EntrySourceNetwork && (e.Entry.Level == log.EntryLevelError || e.Entry.Level == log.EntryLevelWarning) {
			w.faults = append(w.faults, fmt.Sprintf("%s: %s %s", e.Entry.Source, e.Entry.Text, e.Entry.URL))
		}
	case *network.EventRequestWillBeSent:
		w.request(e.RequestID, e.Request.Method, e.Request.URL)
	case *network.EventWebSocketCreated:
		w.request(e.RequestID, "SOCKET", e.URL)
	case *network.EventResponseReceived:
		if e.Response.Status >= 400 {
			w.answers = append(w.answers, fmt.Sprintf("%d %s", e.Response.Status, w.names[string(e.RequestID)]))
		}
	case *network.EventLoadingFailed:
		if !e.Canceled {
			w.answers = append(w.answers, fmt.Sprintf("failed %s: %s", w.names[string(e.RequestID)], e.ErrorText))
		}
	}
}

func (w *watch) request(id network.RequestID, method, address string) {
	if w.names == nil {
		w.names = map[string]string{}
	}
	name := address
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		name = u.RequestURI()
	}
	w.names[string(id)] = method + " " + name
	w.requests = append(w.requests, address)
}

// judged is everything that a page must not have done. hosts are those that it may
// ask.
func (w *watch) judged(hosts ...string) []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	wrong := slices.Clone(w.faults)
	for _, answer := range w.answers {
		if !ordinary.MatchString(answer) && !slices.ContainsFunc(w.expected, func(r *regexp.Regexp) bool { return r.MatchString(answer) }) {
			wrong = append(wrong, answer)
		}
	}
	for _, request := range w.requests {
		// A blob's address is its page's, with a name.
		u, err := url.Parse(strings.TrimPrefix(request, "blob:"))
		if err != nil || u.Scheme != "data" && !slices.Contains(hosts, u.Host) {
			wrong = append(wrong, "asked elsewhere: "+request)
		}
		if strings.Contains(request, embedded.Key) {
			wrong = append(wrong, "a key in a URL: "+request)
		}
	}
	return wrong
}

func (p *page) judge() {
	for _, wrong := range p.judged(p.hosts()...) {
		p.t.Error(wrong)
	}
}

// hosts are the stack's: its API with the sockets, and the S3 of this machine.
func (p *page) hosts() (all []string) {
	for _, endpoint := range []string{p.s.Endpoints.API, p.s.Endpoints.AWS} {
		all = append(all, strings.TrimPrefix(endpoint, "http://"))
	}
	return all
}

func exception(d *runtime.ExceptionDetails) string {
	if d.Exception != nil && d.Exception.Description != "" {
		return d.Text + " " + d.Exception.Description
	}
	return d.Text
}

func arguments(args []*runtime.RemoteObject) string {
	var all []string
	for _, a := range args {
		all = append(all, string(a.Value)+a.Description)
	}
	return strings.Join(all, " ")
}

// forgive forgets what was seen: the test wanted all of it.
func (w *watch) forgive() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.faults, w.answers, w.requests = nil, nil, nil
}

// sees waits until something was seen, and gives all that was. The browser tells of a
// deed after it.
func (p *page) sees(want string) (found string) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	for ctx.Err() == nil && !strings.Contains(found, want) {
		p.until("true") // what was left to the next turn is done then
		found = strings.Join(p.judged(p.hosts()...), "\n")
	}
	return found
}

// A watch that sees nothing guards nothing.
func TestTheWatchSeesWhatAPageMustNotDo(t *testing.T) {
	t.Parallel()
	s := embedded.Start(t)
	p := open(t, s, desktop)
	p.visit("watched")
	for deed, want := range map[string]string{
		`console.error("a message")`:                            "a message",
		`Promise.reject(new Error("left alone")), 0`:            "left alone",
		`setTimeout(() => { throw new Error("thrown") }), 0`:    "thrown",
		`document.body.setAttribute("onclick", "1")`:            "TrustedScript",
		`document.createElement("div").innerHTML = "<b>"`:       "TrustedHTML",
		`new Image().src = "http://127.0.0.1:1/beacon"`:         "img-src",
		`fetch("http://127.0.0.1:1/elsewhere").catch(() => {})`: "connect-src",
		`fetch("/v1/sessions")`:                                 "401 GET /v1/sessions",
		`fetch("/openapi.json?key=` + embedded.Key + `")`:       "a key in a URL",
	} {
		// What a deed throws is a part of it.
		_, _ = chromedp.Run(p.ctx, chromedp.Evaluate[chromedp.Void](deed, chromedp.EvalAwaitPromise))
		if found := p.sees(want); !strings.Contains(found, want) {
			t.Errorf("%s was not seen; there is:\n%s", deed, found)
		}
	}
	p.forgive()
}
