package main

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestARequestArrivesAsItWasButForItsHost(t *testing.T) {
	var got string
	server, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	done := make(chan struct{})
	go func() {
		defer close(done)
		c, err := server.Accept()
		if err != nil {
			return
		}
		defer c.Close()
		for in := bufio.NewReader(c); !strings.HasSuffix(got, "body"); {
			b, err := in.ReadByte()
			if err != nil {
				return
			}
			got += string(b)
		}
		_, _ = io.WriteString(c, "HTTP/1.1 204 No Content\r\n\r\n")
	}()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go serve(l, "api.execute-api.localhost:4566", server.Addr().String())
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_, _ = io.WriteString(c, "PUT /a/%2e%2e//b?x=%zz HTTP/1.1\r\nHost: 127.0.0.1:1\r\nX-Case: As-Is\r\nConnection: keep-alive\r\nContent-Length: 4\r\n\r\nbody")
	answer, err := io.ReadAll(c)
	if err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 204") {
		t.Errorf("%q, %v", answer, err)
	}
	<-done
	want := "PUT /a/%2e%2e//b?x=%zz HTTP/1.1\r\nHost: api.execute-api.localhost:4566\r\nConnection: close\r\nX-Case: As-Is\r\nContent-Length: 4\r\n\r\nbody"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestAnEndlessHeadIsGivenUp(t *testing.T) {
	long := bufio.NewReader(io.MultiReader(strings.NewReader("GET / HTTP/1.1\r\n"), strings.NewReader(strings.Repeat("A: b\r\n", maxHead))))
	if _, err := head(long, "x"); err == nil {
		t.Error("it was read to its end")
	}
}

func TestWhatIsNotAsKnownIsSaid(t *testing.T) {
	lacks := map[string]string{"TestLacking": "so it is", "TestGone": "so it was", "TestMended": "no more"}
	found := outcomes{"TestFine": "PASS", "TestLacking": "FAIL", "TestMended": "PASS", "TestBroken": "FAIL", "TestElsewhere": "SKIP"}
	want := []string{"TestBroken failed", "TestMended passed: take it off the list of what the emulator lacks", "TestGone did not run: take it off the list"}
	if diff := cmp.Diff(want, judged(found, lacks)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"TestBroken"}, found.failed(lacks)); diff != "" {
		t.Error(diff)
	}
}

func TestAnOrdinaryClientGetsThrough(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.Host) }))
	defer server.Close()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go serve(l, "api:1", strings.TrimPrefix(server.URL, "http://"))
	for range 3 { // each on a connection of its own
		res, err := http.Get("http://" + l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(res.Body)
		if res.Body.Close(); err != nil || string(b) != "api:1" {
			t.Errorf("%q, %v", b, err)
		}
	}
}
