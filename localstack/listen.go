package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"syscall"

	"windlass/localstack/gateway"
)

// A door is a listener of ours and who answers behind it. The zero value is one
// that was never opened.
type door struct {
	listener net.Listener
	server   *http.Server
}

// listen binds an address, or says what to do about it. Nothing is answered yet,
// but the kernel accepts.
func listen(addr, variable string) (door, error) {
	l, err := net.Listen(network(addr), addr)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return door{}, fmt.Errorf("%s is in use: stop what listens there, or choose another address, for example %s=127.0.0.1:0", addr, variable)
	case err != nil:
		return door{}, fmt.Errorf("cannot listen on %s: %w: set %s to an address of this machine", addr, err, variable)
	}
	return door{listener: l}, nil
}

// network: 0.0.0.0 means the IPv4 addresses, and not those of IPv6 besides.
func network(addr string) string {
	host, _, err := net.SplitHostPort(addr)
	if ip := net.ParseIP(host); err == nil && ip.To4() != nil {
		return "tcp4"
	}
	return "tcp"
}

// serve says who is to answer. others are requests of other pages that may come
// in.
func (d *door) serve(others func(*http.Request) bool, h http.Handler, log *slog.Logger) {
	d.server = gateway.Server(gateway.Guard(d.port(), !exposed(*d), others, h), log)
}

func (d door) open(log *slog.Logger) {
	go func() {
		if err := d.server.Serve(d.listener); !errors.Is(err, http.ErrServerClosed) {
			log.Error("a listener stopped", "address", d.listener.Addr(), "error", err)
		}
	}()
}

func (d door) shut(ctx context.Context) error {
	if d.listener == nil {
		return nil
	}
	defer d.listener.Close() // for one that was never served
	if d.server == nil {
		return nil
	}
	return d.server.Shutdown(ctx)
}

func url(d door) string { return "http://" + host(d) }

func addr(d door) string { return d.listener.Addr().String() }

// host is where this machine reaches the door: an address, and not all of them.
func host(d door) string {
	at := d.listener.Addr().(*net.TCPAddr)
	switch {
	case !at.IP.IsUnspecified():
		return addr(d)
	case at.IP.To4() != nil:
		return net.JoinHostPort("127.0.0.1", d.port())
	}
	return net.JoinHostPort("::1", d.port())
}

func (d door) port() string { return strconv.Itoa(d.listener.Addr().(*net.TCPAddr).Port) }

// exposed reports whether other machines may reach the door.
func exposed(d door) bool { return !d.listener.Addr().(*net.TCPAddr).IP.IsLoopback() }
