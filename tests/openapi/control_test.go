package openapi

import (
	"strings"
	"testing"

	"windlass/tests/client"
)

// control cancels and steers, at every state that can be brought about.
func (c *contract) control(t *testing.T) {
	const session = "/v1/sessions/control"
	post := func(name, path, body string, status int, forbidden bool) client.Answer {
		t.Helper()
		return c.do(t, try{name: name, method: "POST", path: path, body: body, status: status, forbidden: forbidden})
	}
	post("", session+"/operations", `{"operationId":"slow","agent":"stress","prompt":"{\"rounds\":1,\"latencyMs\":60000}"}`, 202, false)
	for o := (client.Operation{}); o.Status != "running"; {
		o = read[client.Operation](t, c.do(t, try{method: "GET", path: session + "/operations/slow", status: 200}))
	}
	post("", session+"/operations", `{"prompt":"x","ifBusy":"reject"}`, 409, false)
	post("no policy", session+"/operations", `{"prompt":"x","ifBusy":"later"}`, 400, true)
	post("an empty policy", session+"/operations", `{"prompt":"x","ifBusy":""}`, 400, true)
	post("steer by policy", session+"/operations", `{"operationId":"s","prompt":"x","ifBusy":"steer"}`, 202, false)
	post("again", session+"/operations", `{"operationId":"s","prompt":"x","ifBusy":"steer"}`, 200, false)
	const steer = session + "/operations/slow/steer"
	for name, x := range map[string]struct {
		body      string
		status    int
		forbidden bool
	}{
		"":               {`{"messageId":"m","text":"more"}`, 202, false},
		"blank":          {`{"text":" "}`, 422, false},
		"no text":        {`{}`, 422, true},
		"no id":          {`{"text":"x","messageId":""}`, 400, true},
		"bad id":         {`{"text":"x","messageId":"a/b"}`, 400, true},
		"unknown member": {`{"text":"x","txt":"y"}`, 400, true},
		"long":           {`{"text":"` + strings.Repeat("x", 1<<20) + `"}`, 413, false},
	} {
		post(name, steer, x.body, x.status, x.forbidden)
	}
	post("again", steer, `{"messageId":"m","text":"more"}`, 200, false)
	post("another text", steer, `{"messageId":"m","text":"less"}`, 422, false)
	post("nothing there", session+"/operations/none/steer", `{"text":"x"}`, 404, false)

	const cancel = session + "/operations/slow/cancel"
	post("", cancel, "", 200, false)
	for o := (client.Operation{}); o.Status != "cancelled"; {
		o = read[client.Operation](t, c.do(t, try{method: "GET", path: session + "/operations/slow?wait=20", status: 200}))
	}
	post("again", cancel, "", 200, false)
	post("an id that is not there yet", session+"/operations/later/cancel", "", 200, false)
	post("a message's id", session+"/operations/m/cancel", "", 404, false)
	post("too late", steer, `{"messageId":"late","text":"more"}`, 202, false)
	post("submitted after it was cancelled", session+"/operations", `{"operationId":"later","prompt":"x"}`, 200, false)
	post("", session+"/operations", `{"operationId":"i","prompt":"x","ifBusy":"interrupt"}`, 202, false)
	for _, path := range []string{cancel, steer} {
		c.do(t, try{method: "POST", path: path, body: `{"text":"x"}`, status: 401, noKey: true, forbidden: true})
		c.do(t, try{method: "POST", path: strings.Replace(path, session, backslash, 1), body: `{"text":"x"}`, status: 422, forbidden: true})
	}
	c.do(t, try{name: "a long id", method: "POST", path: session + "/operations/" + strings.Repeat("a", 129) + "/cancel", status: 400, forbidden: true})
}
