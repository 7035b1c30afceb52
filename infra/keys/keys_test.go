package main

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"windlass/functions/harness"
	"windlass/tests/client"
	"windlass/tests/embedded"
)

type world struct {
	t     *testing.T
	stack *embedded.Stack
}

// keys runs the command as the Makefile does, against the embedded stack.
func (w world) keys(args ...string) (out, errs string, err error) {
	in := fmt.Sprintf(`[{"OutputKey":"HttpUrl","OutputValue":%q,"Description":""},{"OutputKey":"LiveTableName","OutputValue":%q}]`,
		w.stack.Endpoints.API, w.stack.Endpoints.Tables["LiveTable"])
	var o, e bytes.Buffer
	ctx := embedded.Context(w.t)
	err = run(ctx, w.stack.AWS(ctx), args, strings.NewReader(in), &o, &e)
	return o.String(), e.String(), err
}

// status is what a request with the key is answered with.
func (w world) status(key string) int {
	c := client.Client{URL: w.stack.Endpoints.API, Key: key}
	_, err := c.Do(embedded.Context(w.t), http.MethodGet, "/v1/sessions", nil, nil)
	if p, ok := err.(*client.Problem); ok {
		return p.HTTP
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return http.StatusOK
}

func TestAKeyOpensUntilItIsRevoked(t *testing.T) {
	w := world{t, embedded.Start(t)}
	out, errs, err := w.keys("create", "acme")
	if err != nil {
		t.Fatal(err)
	}
	key := strings.TrimSpace(out)
	if strings.Count(out, "\n") != 1 || strings.Contains(errs, key) || !strings.Contains(errs, harness.KeyID(key)) {
		t.Errorf("printed %q and %q; want the key alone, and its id apart", out, errs)
	}
	if got := w.status(key); got != http.StatusOK {
		t.Errorf("a new key: %d", got)
	}
	for range 2 { // again is as once
		if _, _, err := w.keys("revoke", harness.KeyID(key)); err != nil {
			t.Fatal(err)
		}
		if got := w.status(key); got != http.StatusUnauthorized {
			t.Errorf("a revoked key: %d, want 401", got)
		}
	}
}

func TestKeysAreLentForOneCommand(t *testing.T) {
	w := world{t, embedded.Start(t)}
	out, _, err := w.keys("lend", "sh", "-c", `echo "$WINDLASS_TEST_URL $WINDLASS_TEST_KEY $WINDLASS_TEST_OTHER_KEY"; exit 3`)
	if err == nil || !strings.Contains(err.Error(), "exit status 3") {
		t.Errorf("%v, want the command's own failure", err)
	}
	fields := strings.Fields(out)
	if len(fields) != 3 || fields[0] != w.stack.Endpoints.API || fields[1] == fields[2] {
		t.Fatalf("the command was given %q", out)
	}
	for _, key := range fields[1:] {
		if got := w.status(key); got != http.StatusUnauthorized {
			t.Errorf("a key after the command: %d, want 401", got)
		}
	}
}

func TestWhatCannotBeDoneIsSaid(t *testing.T) {
	w := world{t, embedded.Start(t)}
	for name, c := range map[string]struct {
		args []string
		says string
	}{
		"nothing":            {nil, "create TENANT"},
		"no retention":       {[]string{"retain", "a", "30"}, "30d"},
		"nobody's":           {[]string{"retain", "a#b", "30d"}, "no tenant"},
		"another verb":       {[]string{"delete", "x"}, `"delete"`},
		"a tenant with a #":  {[]string{"create", "a#b"}, "no tenant"},
		"a key for its id":   {[]string{"revoke", "wl_0123456789abcdef"}, "64 hex digits"},
		"two tenants":        {[]string{"create", "a", "b"}, "create TENANT"},
		"a command not here": {[]string{"lend", "there-is-no-such-command"}, "there-is-no-such-command"},
	} {
		if _, _, err := w.keys(c.args...); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q in it", name, err, c.says)
		}
	}
	for name, in := range map[string]string{"no outputs": "", "another stack": `[{"OutputKey":"Url","OutputValue":"x"}]`, "a table": "---"} {
		err := run(t.Context(), w.stack.AWS(t.Context()), []string{"create", "a"}, strings.NewReader(in), &bytes.Buffer{}, &bytes.Buffer{})
		if err == nil || !strings.Contains(err.Error(), "outputs") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestATenantsRetentionIsSetAndTakenBack(t *testing.T) {
	w := world{t, embedded.Start(t)}
	out, _, err := w.keys("create", "acme")
	if err != nil {
		t.Fatal(err)
	}
	c := client.Client{URL: w.stack.Endpoints.API, Key: strings.TrimSpace(out)}
	for _, retention := range []string{"90d", "12h", "forever", "default"} {
		if _, _, err := w.keys("retain", "acme", retention); err != nil {
			t.Fatalf("%s: %v", retention, err)
		}
	}
	if _, _, err := w.keys("retain", "acme", "90d"); err != nil {
		t.Fatal(err)
	}
	ctx := embedded.Context(t)
	if _, _, err := c.PutFile(ctx, "s", "/x", []byte("x"), nil); err != nil {
		t.Fatal(err)
	}
	a, err := c.Send(ctx, http.MethodGet, "/v1/sessions/s", nil, nil)
	if err != nil || !strings.Contains(string(a.Body), `"retention":"90d"`) {
		t.Errorf("%s, %v", a.Body, err)
	}
}
