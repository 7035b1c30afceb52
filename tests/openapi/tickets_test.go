package openapi

import (
	"strings"
	"testing"
)

func (c *contract) tickets(t *testing.T) {
	const path = "/v1/tickets"
	for _, x := range []try{
		{body: `{}`, status: 201},
		{body: `{"session":"demo"}`, status: 201},
		{name: "no body", status: 201},
		{name: "an unknown member", body: `{"sesion":"demo"}`, status: 400, forbidden: true},
		{name: "no id", body: `{"session":"a/b"}`, status: 400, forbidden: true},
		{name: "long", body: `{"session":"` + strings.Repeat("s", 1<<20) + `"}`, status: 413, forbidden: true},
		{name: "no key", body: `{}`, status: 401, noKey: true, forbidden: true},
	} {
		x.method, x.path = "POST", path
		c.do(t, x)
	}
}
