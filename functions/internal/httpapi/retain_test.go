package httpapi_test

import (
	"strings"
	"testing"

	"windlass/functions/internal/fault"
)

func TestARetentionIsPutAndShown(t *testing.T) {
	w := owned(t)
	put := func(key, body string) response {
		return w.do(request{method: "PUT", path: "/v1/sessions/s/retention", key: key, body: body})
	}
	for body, want := range map[string]string{`{"retention":"30d"}`: `"retention":"30d"`, `{"retention":"36h"}`: `"retention":"36h"`, `{"retention":"forever"}`: `"retention":"forever"`} {
		if r := put(key, body); r.status != 200 || !strings.Contains(r.body, want) {
			t.Errorf("%s: %d %s", body, r.status, r.body)
		}
	}
	for _, body := range []string{`{}`, `{"retention":null}`, `{"retention":""}`, `{"retention":30}`, `{"retention":"0d"}`, `{"retention":"30"}`, `{"retention":"-1d"}`, `{"retention":"+1d"}`,
		`{"retention":"1.5d"}`, `{"retention":"30m"}`, `{"retention":"3651d"}`, `{"retention":"99999d"}`, `{"retention":"P30D"}`, `{"retention":"30d","days":3}`} {
		w.problem(put(key, body), fault.InvalidRequest)
	}
	w.problem(put(otherKey, `{"retention":"1h"}`), fault.NotFound)
}
