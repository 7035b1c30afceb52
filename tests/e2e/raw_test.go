package e2e

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

// raw sends a request line as it is: a client library would clean it up.
func (l lane) raw(t *testing.T, method, target, body string) (int, string) {
	t.Helper()
	host := strings.TrimPrefix(l.URL, "http://")
	if host == l.URL {
		t.Skipf("raw request lines need a plain http endpoint, this one is %s", l.URL)
	}
	conn, err := net.Dial("tcp", host)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "%s %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s", method, target, host, l.Key, len(body), body)
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatalf("%s: %v", target, err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatalf("%s: %v", target, err)
	}
	return res.StatusCode, string(b)
}
