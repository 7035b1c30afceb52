package outside

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"windlass/functions/internal/tool"
)

func code(t *testing.T, err error) string {
	t.Helper()
	var f tool.Failure
	if !errors.As(err, &f) {
		t.Fatalf("%v is no Failure", err)
	}
	return f.Code
}

func TestOnlyPublicAddressesAreReached(t *testing.T) {
	for a, want := range map[string][3]bool{ // public, internal, with the tests' loopback
		"93.184.216.34":          {true, true, true},
		"2606:2800:220:1::1":     {true, true, true},
		"10.1.2.3":               {false, true, false},
		"172.16.0.1":             {false, true, false},
		"172.31.255.255":         {false, true, false},
		"172.32.0.1":             {true, true, true},
		"192.168.1.1":            {false, true, false},
		"100.64.0.1":             {false, true, false},
		"100.127.255.255":        {false, true, false},
		"100.128.0.1":            {true, true, true},
		"127.0.0.1":              {false, true, true},
		"127.8.8.8":              {false, true, true},
		"::1":                    {false, true, true},
		"fd12:3456::1":           {false, true, false},
		"169.254.169.254":        {},
		"169.254.170.2":          {},
		"168.63.129.16":          {},
		"100.100.100.200":        {},
		"192.0.0.192":            {},
		"fd00:ec2::254":          {},
		"fe80::1":                {},
		"fe80::1%eth0":           {},
		"0.0.0.0":                {},
		"0.1.2.3":                {},
		"::":                     {},
		"224.0.0.1":              {},
		"239.255.255.250":        {},
		"255.255.255.255":        {},
		"240.0.0.1":              {},
		"ff02::1":                {},
		"192.0.2.1":              {},
		"198.18.0.1":             {},
		"198.51.100.7":           {},
		"203.0.113.9":            {},
		"192.88.99.1":            {},
		"::ffff:127.0.0.1":       {},
		"::ffff:93.184.216.34":   {},
		"::93.184.216.34":        {},
		"::ffff:0:93.184.216.34": {},
		"64:ff9b::7f00:1":        {},
		"64:ff9b:1::7f00:1":      {},
		"2002:7f00:1::":          {},
		"2001::1":                {},
		"2001:db8::1":            {},
		"3fff::1":                {},
		"100::1":                 {},
		"fec0::1":                {},
		"5f00::1":                {},
	} {
		addr := netip.MustParseAddr(a)
		for i, n := range []Network{{}, {Internal: true}, {Loopback: true}} {
			if err := n.check(addr); (err == nil) != want[i] {
				t.Errorf("%s with %+v: %v, want it reached: %t", a, n, err, want[i])
			}
		}
	}
	if (Network{}).check(netip.Addr{}) == nil {
		t.Error("no address at all is reached")
	}
}

func addresses(all ...string) (list []netip.Addr) {
	for _, a := range all {
		list = append(list, netip.MustParseAddr(a))
	}
	return list
}

func get(t *testing.T, n Network, to string) (*http.Response, *Sent, error) {
	t.Helper()
	ctx, sent := Watch(t.Context())
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, to, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := n.Transport().RoundTrip(req)
	if err == nil {
		t.Cleanup(func() { res.Body.Close() })
	}
	return res, sent, err
}

func TestANameWithAPrivateAddressIsDenied(t *testing.T) {
	for _, found := range [][]netip.Addr{
		addresses("169.254.169.254"), addresses("10.0.0.1"), addresses("127.0.0.1"), addresses("::ffff:127.0.0.1"), addresses("93.184.216.34", "10.0.0.1"),
	} {
		n := Network{Lookup: func(context.Context, string) ([]netip.Addr, error) { return found, nil }}
		_, sent, err := get(t, n, "http://api.test:80/")
		if got := code(t, Lost(tool.Once, sent, err)); got != DeniedAddress || sent.Begun() {
			t.Errorf("%v: %s; begun: %t", found, got, sent.Begun())
		}
	}
}

func TestTheAddressThatWasCheckedIsDialled(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(s.Close)
	at, _ := url.Parse(s.URL)
	asked := 0
	n := Network{Loopback: true, Lookup: func(_ context.Context, host string) ([]netip.Addr, error) {
		if asked++; asked > 1 {
			return addresses("10.0.0.1"), nil
		}
		return addresses("127.0.0.1"), nil
	}}
	res, sent, err := get(t, n, "http://rebinding.test:"+at.Port()+"/")
	if err != nil || res.StatusCode != 200 || asked != 1 || !sent.Begun() {
		t.Errorf("%v after %d look-ups; begun: %t", err, asked, sent.Begun())
	}
}

func TestTheNextAddressIsTriedWhereOneDoesNotAnswer(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(s.Close)
	at, _ := url.Parse(s.URL)
	n := Network{Loopback: true, Lookup: func(context.Context, string) ([]netip.Addr, error) { return addresses("127.0.0.9", "127.0.0.1"), nil }}
	if _, _, err := get(t, n, "http://two.test:"+at.Port()+"/"); err != nil {
		t.Error(err)
	}
}

func TestTheEnvironmentsProxyIsNotUsed(t *testing.T) {
	for _, v := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY"} {
		t.Setenv(v, "http://127.0.0.1:1")
	}
	if (Network{}).Transport().Proxy != nil {
		t.Error("there is a proxy")
	}
}

func TestWhatWasNotSentIsAFailureOfEveryClass(t *testing.T) {
	closed := httptest.NewServer(nil)
	closed.Close()
	secure := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a server that is not trusted was asked") }))
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	t.Cleanup(secure.Close)
	for _, c := range []struct {
		to, want string
		n        Network
	}{
		{closed.URL, Unreachable, Network{Loopback: true}},
		{secure.URL, TLS, Network{Loopback: true}},
		{"http://nowhere.test:80/", DNS, Network{Lookup: func(context.Context, string) ([]netip.Addr, error) { return nil, &net.DNSError{IsNotFound: true} }}},
		{"http://nothing.test:80/", DNS, Network{Lookup: func(context.Context, string) ([]netip.Addr, error) { return nil, nil }}},
	} {
		_, sent, err := get(t, c.n, c.to)
		for _, effect := range []tool.Effect{tool.Read, tool.Idempotent, tool.Once} {
			if got := code(t, Lost(effect, sent, err)); got != c.want {
				t.Errorf("%s (%s): %s, want %s", c.to, effect, got, c.want)
			}
		}
	}
}

func TestWhatMayHaveBeenReceivedIsUnknownOfTheClassOnce(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		c, _, err := http.NewResponseController(w).Hijack()
		if err == nil {
			c.Close()
		}
	}))
	t.Cleanup(s.Close)
	_, sent, err := get(t, Network{Loopback: true}, s.URL+"/?token=SECRET")
	if got := Lost(tool.Once, sent, err); !errors.Is(got, tool.ErrUnknown) || strings.Contains(got.Error(), "SECRET") {
		t.Errorf("once: %v", got)
	}
	if got := code(t, Lost(tool.Read, sent, err)); got != BrokeOff {
		t.Errorf("read: %s", got)
	}
}

func TestATransportThatTellsNothingMayHaveSentEverything(t *testing.T) {
	_, sent := Watch(t.Context())
	if got := Lost(tool.Once, sent, context.DeadlineExceeded); !errors.Is(got, tool.ErrUnknown) {
		t.Errorf("%v", got)
	}
}
