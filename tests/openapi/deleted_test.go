package openapi

import (
	"testing"
)

// deleted asks everything about a session that was deleted.
func (c *contract) deleted(t *testing.T) {
	const session = "/v1/sessions/gone"
	c.do(t, try{method: "DELETE", path: session, status: 401, noKey: true, forbidden: true})
	c.do(t, try{method: "DELETE", path: session, status: 404})
	c.do(t, try{method: "DELETE", path: session + "?force=1", status: 400})
	c.do(t, try{method: "DELETE", path: backslash, status: 422, forbidden: true})
	c.do(t, try{method: "PUT", path: session + "/files/a", body: "a", status: 201})
	c.do(t, try{method: "DELETE", path: session, status: 204})
	c.do(t, try{name: "again", method: "DELETE", path: session, status: 204})
	for _, path := range []string{"", "/operations", "/operations/op", "/events", "/transcript", "/files", "/files/a", "/blobs/" + noHash} {
		c.do(t, try{method: "GET", path: session + path, status: 410})
	}
	for path, body := range map[string]string{
		"/operations":                  `{"prompt":"x"}`,
		"/uploads":                     `{"bytes":1,"sha256":"` + noHash + `"}`,
		"/operations/op/cancel":        "",
		"/operations/op/steer":         `{"text":"x"}`,
		"/operations/op/approvals/1.0": `{"decision":"approve"}`,
		"/operations/op/reconcile/1.0": `{"outcome":"happened"}`,
	} {
		c.do(t, try{method: "POST", path: session + path, body: body, status: 410})
	}
	c.do(t, try{method: "HEAD", path: session + "/files/a", status: 410})
	c.do(t, try{method: "PUT", path: session + "/files/a", body: "a", status: 410})
	c.do(t, try{method: "PUT", path: session + "/retention", body: `{"retention":"30d"}`, status: 410})
	c.do(t, try{method: "DELETE", path: session + "/files/a", status: 410})
}
