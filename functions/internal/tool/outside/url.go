package outside

import (
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

const maxURL = 8 << 10

// ParseURL reads an absolute http or https URL: its host is as [Host] writes it, its
// port is always there, its fragment is gone. Everything that two readers could read
// differently is refused.
func ParseURL(s string) (*url.URL, error) {
	if len(s) > maxURL {
		return nil, Failf(InvalidURL, "the URL has %d bytes, at most %d are allowed", len(s), maxURL)
	}
	u, err := url.Parse(s)
	switch {
	case err != nil || strings.ContainsAny(s, "\\\t\r\n "):
		return nil, Failf(InvalidURL, "the URL cannot be read; spaces and the like are written as %%20")
	case u.Scheme != "https" && u.Scheme != "http" || u.Opaque != "":
		return nil, Failf(InvalidURL, "the URL is absolute, such as https://example.com/path")
	case u.User != nil:
		return nil, Failf(InvalidURL, "a URL holds no user name and no password")
	}
	host, err := Host(u.Hostname())
	if err != nil {
		return nil, err
	}
	port, err := port(u)
	if err != nil {
		return nil, err
	}
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	u.Host = host + ":" + port
	u.Fragment, u.RawFragment = "", ""
	if u.Path == "" {
		u.Path = "/"
	}
	return u, nil
}

func port(u *url.URL) (string, error) {
	switch p := u.Port(); {
	case p != "":
		n, err := strconv.ParseUint(p, 10, 16)
		if err != nil || n == 0 {
			return "", Failf(InvalidURL, "the port is a number from 1 to 65535")
		}
		return strconv.FormatUint(n, 10), nil
	case u.Scheme == "http":
		return "80", nil
	}
	return "443", nil
}

var hostName = regexp.MustCompile(`^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*$`)

// Host is a host's one spelling: lower case, without the last dot, an IP address as
// Go writes it. Names with other letters are written in their xn-- form. A name that
// ends in a number is refused: some resolvers read an address in it.
func Host(s string) (string, error) {
	if a, err := netip.ParseAddr(s); err == nil {
		return address(a)
	}
	h := strings.TrimSuffix(strings.ToLower(s), ".")
	if len(h) > 253 || !hostName.MatchString(h) {
		return "", Failf(InvalidURL, "the URL's host is no name such as example.com; other letters are written in their xn-- form")
	}
	last := h[strings.LastIndexByte(h, '.')+1:]
	if last[0] >= '0' && last[0] <= '9' {
		return "", Failf(InvalidURL, "an IP address is written as four decimal numbers, or in IPv6's form in brackets")
	}
	if metadata(h) {
		return "", denied
	}
	return h, nil
}

func address(a netip.Addr) (string, error) {
	if a.Is4In6() || a.Zone() != "" {
		return "", Failf(InvalidURL, "the IP address is written in a form that is not taken; write it plainly")
	}
	return a.String(), nil
}

// metadata are the names of services that hand out a machine's credentials.
func metadata(host string) bool {
	switch host {
	case "metadata", "metadata.google.internal", "instance-data", "instance-data.ec2.internal":
		return true
	}
	return false
}

// HostHeader is the URL's host as servers expect to be named: without a port that
// the scheme has anyway.
func HostHeader(u *url.URL) string {
	if u.Scheme == "https" && u.Port() == "443" || u.Scheme == "http" && u.Port() == "80" {
		return strings.TrimSuffix(u.Host, ":"+u.Port())
	}
	return u.Host
}
