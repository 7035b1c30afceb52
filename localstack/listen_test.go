package main

import (
	"net"
	"testing"
)

// addressed listens nowhere: only its address counts.
type addressed struct {
	net.Listener
	at *net.TCPAddr
}

func (a addressed) Addr() net.Addr { return a.at }

// What is handed out must be an address that a client can connect to; what a
// restart listens on must be what is listened on now.
func TestAllAddressesAreReachedByLoopback(t *testing.T) {
	for _, c := range []struct {
		ip, url, addr string
		exposed       bool
	}{
		{"127.0.0.1", "http://127.0.0.1:80", "127.0.0.1:80", false},
		{"192.0.2.1", "http://192.0.2.1:80", "192.0.2.1:80", true},
		{"0.0.0.0", "http://127.0.0.1:80", "0.0.0.0:80", true},
		{"::", "http://[::1]:80", "[::]:80", true},
		{"::1", "http://[::1]:80", "[::1]:80", false},
	} {
		d := door{listener: addressed{at: &net.TCPAddr{IP: net.ParseIP(c.ip), Port: 80}}}
		if url(d) != c.url || addr(d) != c.addr || exposed(d) != c.exposed {
			t.Errorf("%s: %s, %s, exposed %v", c.ip, url(d), addr(d), exposed(d))
		}
	}
}
