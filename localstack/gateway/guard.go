package gateway

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// Guard keeps other web pages out. A page may send requests to a service on its
// reader's machine (a form, a script, a socket), and by DNS rebinding may even
// read the answers under a name of its own. So the Host header must name this
// machine by address or as localhost, with the port that is listened on, and an
// Origin header, if there is one, must be that very host.
//
// port is the listener's. loopback says that it listens on this machine alone;
// otherwise any literal address may be named, because a name is what rebinding
// needs.
//
// others lets pages of other origins in by their requests, for a service that
// answers them by rules of its own; nil lets in none. It is asked only of a
// request that has one origin and the right host.
func Guard(port string, loopback bool, others func(*http.Request) bool, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !hostAllowed(r.Host, port, loopback) || !originAllowed(r, others) {
			fail(w, http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func hostAllowed(host, port string, loopback bool) bool {
	name, got, err := net.SplitHostPort(host)
	if err != nil { // no port: http's own
		name, got = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]"), "80"
	}
	if got != port {
		return false
	}
	if strings.EqualFold(name, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(name)
	return err == nil && (!loopback || ip.Unmap().IsLoopback())
}

func originAllowed(r *http.Request, others func(*http.Request) bool) bool {
	switch origins := r.Header["Origin"]; len(origins) {
	case 0:
		return true
	case 1:
		return strings.EqualFold(origins[0], "http://"+r.Host) || others != nil && others(r)
	}
	return false
}
