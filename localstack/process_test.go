package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const processKey = "the-development-key"

// local sends a request to the process with a key, if there is one.
func local(t *testing.T, method, url, authorization string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if authorization != "" {
		req.Header.Set("Authorization", authorization)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res, string(body)
}

func TestOnlyTheDevelopmentKeyReachesTheProcess(t *testing.T) {
	replaced := 0
	p := &process{key: processKey, replace: func() error { replaced++; return nil }, log: slog.New(slog.DiscardHandler)}
	server := httptest.NewServer(p.handler(http.NotFoundHandler()))
	defer server.Close()
	for _, c := range []struct {
		method, path, authorization string
		status                      int
	}{
		{"GET", processPath, "", 401},
		{"GET", processPath, "Bearer the-development-kex", 401},
		{"GET", processPath, "Bearer", 401},
		{"GET", processPath, "Basic " + processKey, 401},
		{"GET", processPath, processKey, 401},
		{"POST", processPath, "", 401}, // before the method is looked at
		{"POST", restartPath, "", 401},
		{"POST", restartPath, "Bearer " + processKey + "x", 401},
		{"POST", processPath, "Bearer " + processKey, 405},
		{"GET", restartPath, "Bearer " + processKey, 405},
		{"GET", usagePath, "", 401},
		{"POST", usagePath, "Bearer " + processKey, 405},
		{"GET", usagePath, "Bearer " + processKey, 404}, // nothing is counted
		{"GET", processPath, "bearer " + processKey, 200},
		{"GET", processPath + "/", "Bearer " + processKey, 404}, // the HTTP API's
	} {
		res, body := local(t, c.method, server.URL+c.path, c.authorization)
		if res.StatusCode != c.status {
			t.Errorf("%+v: %d %s", c, res.StatusCode, body)
		}
		var says struct{ Message string }
		if c.status == 401 || c.status == 405 {
			if err := json.Unmarshal([]byte(body), &says); err != nil || says.Message == "" || strings.Contains(body, processKey) {
				t.Errorf("%+v says %q", c, body)
			}
		}
	}
	if replaced != 0 {
		t.Errorf("replaced %d times", replaced)
	}
}

func TestTheProcessSaysWhichItIs(t *testing.T) {
	before := time.Now()
	r := launch(t, newFake().product(), t.TempDir(), map[string]string{"WINDLASS_DEV_KEY": processKey})
	res, body := local(t, "GET", r.at.API+processPath, "Bearer "+processKey)
	var got struct {
		Lane      string
		PID       int
		StartedAt time.Time
	}
	if err := json.Unmarshal([]byte(body), &got); err != nil || res.StatusCode != 200 {
		t.Fatalf("%d %s: %v", res.StatusCode, body, err)
	}
	if got.Lane != "embedded" || got.PID != os.Getpid() || got.StartedAt.Before(before) || got.StartedAt.After(time.Now()) || strings.Contains(body, "children") {
		t.Errorf("%s", body)
	}
}

// A replacement gets all that this process got, and the ports that it chose.
func TestARestartIsAnsweredAndThenReplacesTheProcess(t *testing.T) {
	type replacement struct {
		binary    string
		args, env []string
	}
	answered, asked := make(chan struct{}), make(chan replacement, 1)
	env := environmentFor(t.TempDir(), map[string]string{"WINDLASS_DEV_KEY": processKey})
	p, out, _ := prepare(newFake().product(), env)
	p.environ = []string{"HOME=/home", "WINDLASS_ADDR=127.0.0.1:0", "WINDLASS_ADDRESS=kept", "WINDLASS_AWS_ADDR=127.0.0.1:0"}
	p.exec = func(binary string, args, env []string) error {
		<-answered // else the answer would be lost with the process
		asked <- replacement{binary, args, env}
		return errors.New("not today")
	}
	r := run(t, p, env, out)
	for range 2 { // a replacement that failed leaves everything as it was
		res, body := local(t, "POST", r.at.API+restartPath, "Bearer "+processKey)
		var got struct{ PID int }
		if err := json.Unmarshal([]byte(body), &got); err != nil || res.StatusCode != 202 || got.PID != os.Getpid() {
			t.Fatalf("%d %s: %v", res.StatusCode, body, err)
		}
		answered <- struct{}{}
		binary, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		want := replacement{binary, os.Args, []string{"HOME=/home", "WINDLASS_ADDRESS=kept",
			"WINDLASS_ADDR=" + strings.TrimPrefix(r.at.API, "http://"), "WINDLASS_AWS_ADDR=" + strings.TrimPrefix(r.at.AWS, "http://")}}
		if diff := cmp.Diff(want, <-asked, cmp.AllowUnexported(replacement{})); diff != "" {
			t.Error(diff)
		}
	}
}

func TestAFailedReplacementIsLogged(t *testing.T) {
	var logs bytes.Buffer
	p := &process{key: processKey, replace: func() error { return errors.New("text file busy") }, log: slog.New(slog.NewTextHandler(&logs, nil))}
	req := httptest.NewRequest("POST", restartPath, strings.NewReader("{}"))
	req.Header.Set("Authorization", "Bearer "+processKey)
	p.handler(nil).ServeHTTP(httptest.NewRecorder(), req)
	if !strings.Contains(logs.String(), "text file busy") || strings.Contains(logs.String(), processKey) {
		t.Errorf("logged %q", &logs)
	}
}
