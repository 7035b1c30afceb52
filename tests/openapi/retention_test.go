package openapi

import (
	"strings"
	"testing"
	"time"
)

// retention says how long a session is kept that a file opened.
func (c *contract) retention(t *testing.T) {
	const session = "/v1/sessions/kept"
	const path = session + "/retention"
	c.do(t, try{method: "PUT", path: session + "/files/a", body: "a", status: 201})
	for _, x := range []struct {
		retention, shown string
		expires          bool
	}{{"30d", "30d", true}, {"30d", "30d", true}, {"36h", "36h", true}, {"forever", "forever", false}, {"3650d", "3650d", true}, {"default", "forever", false}} {
		a := c.do(t, try{name: x.retention, method: "PUT", path: path, body: `{"retention":"` + x.retention + `"}`, status: 200})
		its := read[struct {
			Retention string
			ExpiresAt time.Time
		}](t, a)
		if its.Retention != x.shown || its.ExpiresAt.IsZero() == x.expires {
			t.Errorf("%s is %+v", x.retention, its)
		}
		c.do(t, try{method: "GET", path: session, status: 200})
	}
	put := func(name, path, body string, status int, forbidden bool) try {
		return try{name: name, method: "PUT", path: path, body: body, status: status, forbidden: forbidden}
	}
	const days = `{"retention":"30d"}`
	c.all(t,
		put("none", path, `{}`, 400, true),
		put("a number", path, `{"retention":30}`, 400, true),
		put("minutes", path, `{"retention":"30m"}`, 400, true),
		put("too short", path, `{"retention":"0h"}`, 400, false),
		put("too long", path, `{"retention":"3651d"}`, 400, false),
		put("unknown member", path, `{"retention":"30d","days":30}`, 400, true),
		put("not JSON", path, `{"retention":`, 400, true),
		put("over 1 MiB", path, `{"retention":"`+strings.Repeat("1", 1<<20)+`d"}`, 413, true),
		put("", noSession+"/retention", days, 404, false),
		put("", "/v1/sessions/a%20b/retention", days, 404, true),
		put("", backslash+"/retention", days, 422, true),
		try{method: "PUT", path: path, body: days, status: 401, noKey: true, forbidden: true},
	)
}
