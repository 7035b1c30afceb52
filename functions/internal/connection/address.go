package connection

import (
	"errors"
	"net/url"
	"strings"
)

// SocketURL reads where sockets are opened: wss://host/stage, or ws:// on this
// machine. An error does not repeat it: one that is wrong may hold a secret.
func SocketURL(s string) (*url.URL, error) {
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "wss" && u.Scheme != "ws" || u.Hostname() == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, errors.New("the socket URL is wrong; want wss://host/stage, or ws:// on this machine, and no more")
	}
	return u, nil
}

// managementURL is AWS's rule: the same host and stage, over HTTP.
func managementURL(socket *url.URL) string {
	at := *socket
	at.Scheme = strings.Replace(at.Scheme, "ws", "http", 1)
	return strings.TrimRight(at.String(), "/")
}
