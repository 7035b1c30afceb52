package web

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
)

// inside are the tools of a configuration on the network that a deployment has: nothing of
// a test's is let through.
func inside(t *testing.T, with string, lookup func(context.Context, string) ([]netip.Addr, error)) *Tools {
	t.Helper()
	o := options()
	o.Network.Loopback, o.Network.Lookup = false, lookup
	made, err := New(json.RawMessage(with), o)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func get(t *testing.T, made *Tools, url string) (answer, error) {
	t.Helper()
	list, err := made.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return send(t, list[0], args{Method: "GET", URL: url})
}

// Only the host that a rule calls private, by its name or its address, is reached there.
func TestAPrivateHostIsReachedByTheRuleThatNamesIt(t *testing.T) {
	var asked atomic.Int32
	port := serve(t, func(http.ResponseWriter, *http.Request) { asked.Add(1) })
	made := inside(t, fmt.Sprintf(`{"allow":[
		{"host":"127.0.0.1","http":true,"private":true,"ports":[%[1]s],"paths":["/own/**"]},
		{"host":"own.example.com","http":true,"private":true,"ports":[%[1]s]},
		{"host":"*.example.com","http":true,"ports":[%[1]s]},
		{"host":"127.0.0.1","http":true,"ports":[%[1]s]}]}`, port), here)
	for url, want := range map[string]string{
		"http://127.0.0.1:PORT/own/a":      "",
		"http://own.example.com:PORT/a":    "",
		"http://127.0.0.1:PORT/a":          "denied_address", // a later rule's, which says nothing
		"http://other.example.com:PORT/a":  "denied_address",
		"http://a.own.example.com:PORT/a":  "denied_address",
		"http://localhost:PORT/own/a":      "denied_host",
		"http://[::ffff:7f00:1]:PORT/a":    "invalid_url",
		"http://127.0.0.2:PORT/own/a":      "denied_host",
		"https://169.254.169.254/own/a":    "denied_host",
		"http://metadata.google.internal/": "denied_address",
	} {
		before := asked.Load()
		_, err := get(t, made, strings.ReplaceAll(url, "PORT", port))
		if got := err == nil; got != (want == "") || err != nil && code(t, err) != want {
			t.Errorf("%s: %v, want %q", url, err, want)
		}
		if sent := asked.Load() != before; sent != (want == "") {
			t.Errorf("%s: was sent: %t", url, sent)
		}
	}
}

// What hands out a machine's credentials is no deployment's own host.
func TestNoRuleMakesAMachinesCredentialsReachable(t *testing.T) {
	credentials := func(context.Context, string) ([]netip.Addr, error) {
		return []netip.Addr{netip.MustParseAddr("169.254.169.254")}, nil
	}
	for _, host := range []string{"169.254.169.254", "169.254.170.2", "own.example.com"} {
		made := inside(t, fmt.Sprintf(`{"allow":[{"host":%q,"http":true,"private":true}]}`, host), credentials)
		if _, err := get(t, made, "http://"+host+"/latest/meta-data"); err == nil || code(t, err) != "denied_address" {
			t.Errorf("%s: %v", host, err)
		}
	}
	if _, err := New(json.RawMessage(`{"allow":[{"host":"*.example.com","private":true}]}`), options()); err == nil || !strings.Contains(err.Error(), "star") {
		t.Errorf("a private pattern: %v", err)
	}
}

// A redirect into the private network is followed no further than the rules go.
func TestARedirectIntoThePrivateNetworkNeedsItsRule(t *testing.T) {
	var asked atomic.Int32
	port := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/go" {
			http.Redirect(w, r, "http://other.example.com:"+strings.Split(r.Host, ":")[1]+"/secret", http.StatusFound)
			return
		}
		asked.Add(1)
	})
	made := inside(t, fmt.Sprintf(`{"allow":[{"host":"own.example.com","http":true,"private":true,"ports":[%[1]s]},{"host":"*.example.com","http":true,"ports":[%[1]s]}]}`, port), here)
	if _, err := get(t, made, "http://own.example.com:"+port+"/go"); err == nil || code(t, err) != "denied_address" || asked.Load() != 0 {
		t.Errorf("%v, %d requests came through", err, asked.Load())
	}
}
