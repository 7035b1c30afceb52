package openapi

import (
	"fmt"
	"strings"
	"testing"

	"windlass/tests/client"
)

// approvals answers what a turn waits for. An outcome that is lost takes a kill: of
// reconcile there are the refusals.
func (c *contract) approvals(t *testing.T) {
	const session = "/v1/sessions/approvals"
	post := func(name, path, body string, status int, forbidden bool) {
		t.Helper()
		c.do(t, try{name: name, method: "POST", path: path, body: body, status: status, forbidden: forbidden})
	}
	post("", session+"/operations", fmt.Sprintf(`{"operationId":"op","agent":"careful","prompt":%q}`, prompt), 202, false)
	for o := (client.Operation{}); o.Status != "waiting"; {
		o = read[client.Operation](t, c.do(t, try{method: "GET", path: session + "/operations/op", status: 200}))
	}
	const approve, reconcile = session + "/operations/op/approvals/1.0", session + "/operations/op/reconcile/1.0"
	long := strings.Repeat("x", 1<<20)
	post("no decision", approve, `{}`, 400, true)
	post("another decision", approve, `{"decision":"happened"}`, 400, true)
	post("arguments of a refusal", approve, `{"decision":"deny","arguments":{}}`, 400, false)
	post("a long note", approve, `{"decision":"deny","note":"`+strings.Repeat("x", 2<<10+1)+`"}`, 413, false)
	post("unknown member", approve, `{"decision":"deny","why":"x"}`, 400, true)
	post("over 1 MiB", approve, `{"decision":"deny","note":"`+long+`"}`, 413, false)
	post("no step", session+"/operations/op/approvals/1.1", `{"decision":"approve"}`, 404, false)
	post("no operation", session+"/operations/none/approvals/1.0", `{"decision":"approve"}`, 404, false)
	post("no outcome", reconcile, `{}`, 400, true)
	post("another outcome", reconcile, `{"outcome":"approve"}`, 400, true)
	post("result of nothing", reconcile, `{"outcome":"did_not_happen","result":"x"}`, 400, false)
	post("over 1 MiB", reconcile, `{"outcome":"happened","result":"`+long+`"}`, 413, false)
	post("no operation", session+"/operations/none/reconcile/1.0", `{"outcome":"happened"}`, 404, false)
	for path, body := range map[string]string{approve: `{"decision":"approve"}`, reconcile: `{"outcome":"happened"}`} {
		c.do(t, try{method: "POST", path: path, body: body, status: 401, noKey: true, forbidden: true})
		c.do(t, try{method: "POST", path: strings.Replace(path, session, backslash, 1), body: body, status: 422, forbidden: true})
	}
	post("", approve, `{"decision":"approve"}`, 200, false)
	post("again", approve, `{"decision":"approve"}`, 200, false)
	post("otherwise", approve, `{"decision":"deny"}`, 409, false)
	post("what nobody asked", reconcile, `{"outcome":"happened"}`, 409, false)
}
