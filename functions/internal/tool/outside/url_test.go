package outside

import (
	"net/netip"
	"strings"
	"testing"
)

func TestAURLHasOneSpelling(t *testing.T) {
	for s, want := range map[string]string{
		"https://Example.COM":               "https://example.com:443/",
		"https://example.com./a?b=c#d":      "https://example.com:443/a?b=c",
		"http://example.com":                "http://example.com:80/",
		"HTTPS://example.com:0443/a%20b":    "https://example.com:443/a%20b",
		"https://93.184.216.34/":            "https://93.184.216.34:443/",
		"https://[2606:2800:0:0::1]:8443/x": "https://[2606:2800::1]:8443/x",
		"https://xn--bcher-kva.example/":    "https://xn--bcher-kva.example:443/",
	} {
		u, err := ParseURL(s)
		if err != nil || u.String() != want {
			t.Errorf("%s is %v (%v), want %s", s, u, err, want)
		}
	}
}

func TestAURLThatCanBeReadInTwoWaysIsRefused(t *testing.T) {
	for _, s := range []string{
		"", "example.com", "//example.com/", "ftp://example.com/", "file:///etc/passwd", "https:example.com", "https:///x",
		"https://user@example.com/", "https://user:pass@example.com/", "https://example.com@evil.test/", "https://@example.com/",
		"https://example.com:99999/", "https://example.com:0/", "https://example.com:x/",
		"https://2130706433/", "https://0x7f000001/", "https://0x7f.0.0.1/", "https://017700000001/", "https://127.1/", "https://127.0.0.01/", "https://1.2.3.4.5/", "https://a.0x1/",
		"https://[::ffff:127.0.0.1]/", "https://[fe80::1%25eth0]/", "https://[::1/", "https://bücher.example/", "https://exa mple.com/", "https://example.com\\@evil.test/", "https://example.com/a\tb",
		"https://-a.example/", "https://a..example/", "https://.example/", "https://" + strings.Repeat("a", 64) + ".example/", "https://example.com/" + strings.Repeat("a", maxURL),
		"https://metadata.google.internal/", "http://METADATA/", "http://instance-data.ec2.internal./",
	} {
		if u, err := ParseURL(s); err == nil {
			t.Errorf("%.80q is read as %s", s, u)
		} else if c := code(t, err); c != InvalidURL && c != DeniedAddress {
			t.Errorf("%.80q: %v", s, err)
		}
	}
}

// FuzzParseURL: what is taken is read the same again, and its host is a public
// spelling of an address, or a name that no resolver can take for one.
func FuzzParseURL(f *testing.F) {
	for _, s := range []string{"https://example.com/a?b#c", "http://[::1]:80/", "https://0x7f.1/", "https://a@b/", "https://1.2.3.4:5/", "https://EXAMPLE.com.:443//x", "https://[::ffff:1.2.3.4]/"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		u, err := ParseURL(s)
		if err != nil {
			return
		}
		again, err := ParseURL(u.String())
		if err != nil || again.String() != u.String() {
			t.Fatalf("%q is read as %q, then as %v (%v)", s, u, again, err)
		}
		host := u.Hostname()
		if a, err := netip.ParseAddr(host); err == nil {
			if a.Is4In6() || a.String() != host {
				t.Fatalf("%q has the address %s", s, host)
			}
			return
		}
		labels := strings.Split(host, ".")
		if last := labels[len(labels)-1]; last == "" || last[0] >= '0' && last[0] <= '9' || strings.ToLower(host) != host || u.User != nil {
			t.Fatalf("%q has the host %s", s, host)
		}
	})
}
