package outside

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"time"
)

// Network is the way out. The zero value reaches public addresses only.
type Network struct {
	// Lookup finds a name's addresses; nil for the system's resolver.
	Lookup func(ctx context.Context, host string) ([]netip.Addr, error)
	// Roots sign the certificates that are believed; nil for the system's.
	Roots *x509.CertPool
	// Internal reaches private addresses and this machine too, but never what hands
	// out a machine's credentials. For servers that the deployment owns.
	Internal bool
	// Loopback lets a test reach its own servers. No configuration sets it.
	Loopback bool
}

// Limits of a connection.
const (
	connectTimeout = 10 * time.Second
	maxHeaderBytes = 64 << 10
	maxAddresses   = 8
)

// Transport sends requests over connections of their own. A kept connection may have
// died while the function was frozen, and net/http would then repeat some requests by
// itself: here only the loop decides on that. It knows no proxy and follows nothing.
func (n Network) Transport() *http.Transport {
	return &http.Transport{
		DialContext:            n.dial,
		TLSClientConfig:        &tls.Config{RootCAs: n.Roots, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    connectTimeout,
		DisableKeepAlives:      true,
		MaxResponseHeaderBytes: maxHeaderBytes,
	}
}

// dial connects to an address that was checked, so that no second look-up can bring
// another one.
func (n Network) dial(ctx context.Context, _, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	number, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return nil, err
	}
	addresses, err := n.resolve(ctx, host)
	if err != nil {
		return nil, err
	}
	for i, a := range addresses {
		var c net.Conn
		if c, err = connect(ctx, netip.AddrPortFrom(a, uint16(number)), connectTimeout/time.Duration(len(addresses)-i)); err == nil {
			return c, nil
		}
	}
	return nil, err
}

func connect(ctx context.Context, to netip.AddrPort, timeout time.Duration) (net.Conn, error) {
	d := net.Dialer{Timeout: timeout}
	return d.DialContext(ctx, "tcp", to.String())
}

// resolve finds a host's addresses. One that is denied denies the host: a name with
// a public and a private address is a trick, or a mistake.
func (n Network) resolve(ctx context.Context, host string) ([]netip.Addr, error) {
	if a, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{a}, n.check(a)
	}
	lookup := n.Lookup
	if lookup == nil {
		lookup = system
	}
	addresses, err := lookup(ctx, host)
	if err != nil {
		return nil, err
	}
	if len(addresses) == 0 {
		return nil, &net.DNSError{Err: "no address", Name: host, IsNotFound: true}
	}
	for i, a := range addresses {
		addresses[i] = a.Unmap() // the system's resolver writes IPv4 so
		if err := n.check(addresses[i]); err != nil {
			return nil, err
		}
	}
	return addresses[:min(len(addresses), maxAddresses)], nil
}

func system(ctx context.Context, host string) ([]netip.Addr, error) {
	addresses, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return nil, fmt.Errorf("look up a host: %w", err)
	}
	return addresses, nil
}
