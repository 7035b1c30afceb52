package openapi

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"windlass/tests/client"
)

const (
	s         = "/v1/sessions/demo"
	noSession = "/v1/sessions/nobody"
	prompt    = "write a short README to /codex/result.txt and read it back"
)

var (
	noHash    = strings.Repeat("0", 64)
	noUpload  = "u1." + strings.Repeat("A", 54) // 40 bytes: a hash and a length of zero
	backslash = "/v1/sessions/a%5Cb"
)

// Every route and every answer that a client can bring about, in one session's
// life: what a later part reads an earlier one has made.
func TestEveryAnswerIsAsTheDocumentSays(t *testing.T) {
	env, told := depot(t)
	c := open(t, env...)
	c.told = told
	for _, part := range []struct {
		name string
		run  func(*testing.T)
	}{
		{"service", c.service}, {"submissions", c.submissions}, {"operations", c.operations}, {"uploads", c.uploads}, {"writing files", c.writing},
		{"reading files", c.reading}, {"input", c.input}, {"deleting files", c.deleting}, {"blobs", c.blobs}, {"lists", c.lists}, {"logs", c.logs}, {"tickets", c.tickets}, {"control", c.control}, {"approvals", c.approvals}, {"callbacks", c.callbacks}, {"retention", c.retention}, {"deleted", c.deleted}, {"gateway", c.gateway},
	} {
		t.Run(part.name, part.run)
	}
	for _, at := range c.unseen() {
		if !out(at) {
			t.Errorf("%s is in the document, and no request of this test got it", at)
		}
	}
}

// out reports whether an answer is out of this test's reach: it takes an outage, a
// fault of ours, a thousand operations that wait, or a kill while a call runs that must
// not be repeated.
func out(at string) bool {
	if strings.HasSuffix(at, "/reconcile/{step} 200") {
		return true
	}
	for _, status := range []string{" 500", " 503", " 429"} {
		if strings.HasSuffix(at, status) {
			return true
		}
	}
	return false
}

func (c *contract) service(t *testing.T) {
	c.do(t, try{method: "POST", path: "/v1/callbacks/none", body: `{"output":1}`, status: 404, noKey: true})
	c.do(t, try{method: "POST", path: `/v1/callbacks/a%5Cb`, body: `{"output":1}`, status: 422, noKey: true})
	c.do(t, try{method: "GET", path: "/healthz", status: 200, noKey: true})
	a := c.do(t, try{method: "GET", path: "/openapi.json", status: 200, noKey: true})
	c.do(t, try{method: "GET", path: "/openapi.json", header: http.Header{"If-None-Match": a.Header["Etag"]}, status: 304, noKey: true})
	for method, paths := range map[string][]string{
		"GET":    {"/v1/sessions", s, s + "/operations", s + "/operations/op", s + "/events", s + "/transcript", s + "/files", s + "/files/a", s + "/blobs/" + noHash},
		"HEAD":   {s + "/files/a"},
		"PUT":    {s + "/files/a"},
		"DELETE": {s + "/files/a"},
	} {
		for _, path := range paths {
			c.do(t, try{method: method, path: path, status: 401, noKey: true, forbidden: true})
		}
	}
	c.all(t,
		try{method: "POST", path: s + "/operations", body: `{"prompt":"x"}`, status: 401, noKey: true, forbidden: true},
		try{method: "POST", path: s + "/uploads", body: `{"bytes":0,"sha256":"` + noHash + `"}`, status: 401, noKey: true, forbidden: true})
	for method, paths := range map[string][]string{
		"GET":    {"", "/operations", "/operations/op", "/events", "/transcript", "/files", "/files/a", "/blobs/" + noHash},
		"HEAD":   {"/files/a"},
		"PUT":    {"/files/a"},
		"DELETE": {"/files/a"},
		"POST":   {"/operations", "/uploads"},
	} {
		for _, path := range paths {
			c.do(t, try{method: method, path: backslash + path, status: 422, forbidden: true})
		}
	}
}

func (c *contract) submissions(t *testing.T) {
	post := func(name, body string, status int, forbidden bool) try {
		return try{name: name, method: "POST", path: s + "/operations", body: body, status: status, forbidden: forbidden}
	}
	key := func(k, body string, status int, forbidden bool) try {
		x := post("with the key "+k, body, status, forbidden)
		x.header = http.Header{"Idempotency-Key": {k}}
		return x
	}
	c.all(t,
		post("", `{"operationId":"readme","prompt":"`+prompt+`"}`, 202, false),
		post("again", `{"operationId":"readme","prompt":"`+prompt+`"}`, 200, false),
		key("readme", `{"prompt":"`+prompt+`"}`, 200, false),
		key("readme", `{"operationId":"other","prompt":"x"}`, 400, false),
		key("a b", `{"prompt":"x"}`, 400, true),
		post("no id", `{"prompt":"x"}`, 202, false),
		post("another prompt", `{"operationId":"readme","prompt":"x"}`, 422, false),
		post("another agent", `{"operationId":"readme","prompt":"`+prompt+`","agent":"stress"}`, 422, false),
		post("blank prompt", `{"prompt":" \n"}`, 422, false),
		post("empty prompt", `{"prompt":""}`, 422, true),
		post("no prompt", `{}`, 422, true),
		post("two prompts", `{"prompt":"x","promptUpload":"`+noUpload+`"}`, 400, true),
		post("unknown agent", `{"prompt":"x","agent":"nobody"}`, 422, false),
		post("empty agent", `{"prompt":"x","agent":""}`, 400, true),
		post("not JSON", `{"prompt":`, 400, true),
		post("no object", `["x"]`, 400, true),
		post("unknown member", `{"prompt":"x","promt":"y"}`, 400, true),
		post("wrong type", `{"prompt":7}`, 400, true),
		post("bad id", `{"prompt":"x","operationId":"a/b"}`, 400, true),
		post("long id", `{"prompt":"x","operationId":"`+strings.Repeat("a", 129)+`"}`, 400, true),
		post("empty id", `{"prompt":"x","operationId":""}`, 400, true),
		post("dots as id", `{"prompt":"x","operationId":".."}`, 400, true),
		post("no upload id", `{"promptUpload":"x"}`, 400, true),
		post("over 1 MiB", `{"prompt":"`+strings.Repeat("x", 1<<20)+`"}`, 413, false),
		try{method: "POST", path: "/v1/sessions/a%20b/operations", body: `{"prompt":"x"}`, status: 400, forbidden: true},
	)
}

// operations looks at one in each of its states.
func (c *contract) operations(t *testing.T) {
	stress := func(session, id, load string) string {
		path := "/v1/sessions/" + session + "/operations"
		c.do(t, try{method: "POST", path: path, body: fmt.Sprintf(`{"operationId":%q,"agent":"stress","prompt":%q}`, id, load), status: 202})
		return path + "/" + id
	}
	look := func(path, want string) {
		t.Helper()
		a := c.do(t, try{method: "GET", path: path, status: 200})
		if o := read[client.Operation](t, a); o.Status != want {
			t.Errorf("%s is %s, want %s", path, o.Status, want)
		}
	}
	running := stress("slow", "running", `{"rounds":1,"callsPerRound":1,"latencyMs":30000}`)
	look(stress("slow", "queued", `{"rounds":1}`), "queued")
	for o := (client.Operation{}); o.Status != "running"; {
		o = read[client.Operation](t, c.do(t, try{method: "GET", path: running, status: 200}))
	}
	look(running+"?wait=1", "running")
	look(s+"/operations/readme?wait=20", "completed")
	look(stress("demo", "failed", "no load")+"?wait=20", "failed")
	look(stress("demo", "binary", `{"rounds":2,"callsPerRound":3,"toolBytes":20000,"reasoningBytes":10,"answerBytes":50}`)+"?wait=20", "completed")
	large := stress("demo", "large", `{"rounds":1,"callsPerRound":1,"answerBytes":300000}`)
	look(large+"?wait=20", "completed")
	if o := read[client.Operation](t, c.do(t, try{method: "GET", path: large, status: 200})); o.OutputRef == nil || o.Output != nil {
		t.Errorf("a large output is %v", o)
	}
	for _, wait := range []string{"-1", "21", "x", ""} {
		c.do(t, try{method: "GET", path: s + "/operations/readme" + query("wait", wait), status: 400, forbidden: true})
	}
	c.all(t,
		try{method: "GET", path: s + "/operations/nothing", status: 404},
		try{method: "GET", path: s + "/operations/a%20b", status: 404, forbidden: true},
		try{method: "GET", path: noSession + "/operations/readme", status: 404},
	)
}

func (c *contract) lists(t *testing.T) {
	for _, list := range []string{"/v1/sessions", s + "/operations", s + "/files"} {
		most := 200
		if list == s+"/files" {
			most = 1000
		}
		c.pages(t, list+"?limit=1")
		c.do(t, try{method: "GET", path: fmt.Sprint(list, "?limit=", most), status: 200})
		for _, limit := range []string{"0", "-1", "x", fmt.Sprint(most + 1)} {
			c.do(t, try{method: "GET", path: list + query("limit", limit), status: 400, forbidden: true})
		}
		c.do(t, try{method: "GET", path: list + "?cursor=c1.AAAA", status: 400})
		c.do(t, try{method: "GET", path: list + "?cursor=", status: 400, forbidden: true})
		c.do(t, try{method: "GET", path: list + "?cursor=" + strings.Repeat("c", 2049), status: 400, forbidden: true})
	}
	c.all(t,
		try{method: "GET", path: s, status: 200},
		try{method: "GET", path: "/v1/sessions/files-first", status: 200},
		try{method: "GET", path: s + "?limit=1", status: 400},
		try{method: "GET", path: noSession, status: 404},
		try{method: "GET", path: "/v1/sessions/a%20b", status: 404, forbidden: true},
		try{method: "GET", path: noSession + "/operations", status: 404},
		try{method: "GET", path: noSession + "/files", status: 404},
		try{method: "GET", path: s + "/files?prefix=/codex/", status: 200},
		try{method: "GET", path: s + "/files?prefix=nothing", status: 200},
		try{method: "GET", path: s + "/files?prefix=" + strings.Repeat("a", 1025), status: 422, forbidden: true},
	)
}

func (c *contract) logs(t *testing.T) {
	for _, log := range []string{"/events", "/transcript"} {
		c.pages(t, s+log+"?limit=3")
		for _, q := range []string{"limit=0", "limit=1001", "limit=x", "after=-1", "after=9007199254740992", "after=x"} {
			c.do(t, try{method: "GET", path: s + log + "?" + q, status: 400, forbidden: true})
		}
		c.all(t,
			try{method: "GET", path: s + log + "?limit=1000", status: 200},
			try{method: "GET", path: s + log + "?after=9007199254740991", status: 200},
			try{method: "GET", path: noSession + log, status: 404},
			try{method: "GET", path: "/v1/sessions/a%20b" + log, status: 404, forbidden: true},
		)
	}
	c.pages(t, s+"/events?operationId=readme&limit=5")
	c.do(t, try{method: "GET", path: s + "/events?operationId=nothing", status: 404})
	c.do(t, try{method: "GET", path: s + "/events?operationId=a/b", status: 404, forbidden: true})
	kinds := map[string]bool{}
	events, err := c.Events(c.ctx, "demo", 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		kinds[e.Type] = true
	}
	// All others take a crash: their golden files stand in for them.
	for _, want := range []string{"session.opened", "operation.accepted", "operation.started", "operation.completed", "operation.failed",
		"model.started", "model.completed", "model.failed", "tool.started", "tool.completed", "workspace.written", "workspace.deleted"} {
		if !kinds[want] {
			t.Errorf("no %s was looked at", want)
		}
	}
}
