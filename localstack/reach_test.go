package main

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// Posts to many sockets are requests to one host, side by side: their connections
// must be there still for the next commit.
func TestParallelPostsKeepTheirConnections(t *testing.T) {
	var opened atomic.Int32
	var all sync.WaitGroup
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		all.Done()
		all.Wait() // every post is under way at once
	}))
	server.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			opened.Add(1)
		}
	}
	server.Start()
	defer server.Close()
	subset := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a post to another host reached the subset") })
	client := awsConfig(subset, credentials{}, "http://127.0.0.1:1").HTTPClient
	for range 3 {
		all.Add(parallelPosts)
		var posts sync.WaitGroup
		for range parallelPosts {
			posts.Go(func() {
				req, err := http.NewRequestWithContext(t.Context(), "POST", server.URL, strings.NewReader("frame"))
				if err != nil {
					t.Error(err)
					return
				}
				res, err := client.Do(req)
				if err != nil {
					t.Error(err)
					return
				}
				_, _ = io.Copy(io.Discard, res.Body)
				res.Body.Close()
			})
		}
		posts.Wait()
	}
	if got := opened.Load(); got != parallelPosts {
		t.Errorf("%d connections for %d posts at once, three times over", got, parallelPosts)
	}
}

func TestWhatIsForTheSubsetNeedsNoSocket(t *testing.T) {
	subset := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	req, err := http.NewRequestWithContext(t.Context(), "POST", "http://127.0.0.1:1/", nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := awsConfig(subset, credentials{}, "http://127.0.0.1:1").HTTPClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != http.StatusTeapot {
		t.Errorf("%d", res.StatusCode)
	}
}
