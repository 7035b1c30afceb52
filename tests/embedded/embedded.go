// Package embedded runs the real embedded stack as a process of its own, for
// tests that kill it.
package embedded

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"windlass/tests/client"
)

// Key is the API key of every stack started here, of tenant dev.
const Key = "wl_test_0123456789abcdef"

// Stack is one data directory, served by one process at a time.
type Stack struct {
	t    testing.TB
	data string
	env  []string

	process *exec.Cmd
	exited  chan struct{}
	log     *bytes.Buffer

	Endpoints Endpoints
}

// Endpoints is what the process writes once it listens.
type Endpoints struct {
	API             string            `json:"api"`
	AWS             string            `json:"aws"`
	Region          string            `json:"region"`
	CredentialsFile string            `json:"credentialsFile"`
	Tables          map[string]string `json:"tables"`
	StateMachines   map[string]string `json:"stateMachines"`
	PID             int               `json:"pid"`
}

var build = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "windlass-test")
	if err != nil {
		return "", err
	}
	bin := filepath.Join(dir, "windlass")
	if err := looked(); err != nil {
		return "", err
	}
	cmd := exec.Command("go", "build", "-o", bin, "./localstack")
	cmd.Dir, cmd.Stderr = root(), os.Stderr
	return bin, cmd.Run()
})

// looked looks at every file that the process is made of. go test keeps a result
// until a file that the test looked at changes; what a build reads it cannot see.
func looked() error {
	return filepath.WalkDir(root(), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if name := d.Name(); path != root() && (name == "tests" || strings.HasPrefix(name, ".")) {
			return filepath.SkipDir
		}
		files, err := filepath.Glob(filepath.Join(path, "*.*"))
		for _, file := range files {
			if _, err := os.Stat(file); err != nil {
				return err
			}
		}
		return err
	})
}

// root is the checkout: tests run two folders below it.
func root() string {
	dir, err := filepath.Abs("../..")
	if err != nil {
		panic(err)
	}
	return dir
}

// Start starts a stack on an empty data directory; env adds to its environment.
// The process ends with the test.
func Start(t testing.TB, env ...string) *Stack {
	t.Helper()
	s := &Stack{t: t, data: t.TempDir(), env: env}
	t.Cleanup(s.Kill)
	s.Restart()
	return s
}

// Refused starts a stack that does not start, and returns what it says.
func Refused(t testing.TB, env ...string) string {
	t.Helper()
	s := &Stack{t: t, data: t.TempDir(), env: env}
	t.Cleanup(s.Kill)
	s.launch()
	select {
	case <-s.exited:
	case <-time.After(20 * time.Second):
		t.Fatal("the stack started, or says nothing")
	}
	if s.process.ProcessState.ExitCode() != 1 {
		t.Fatalf("%s:\n%s", s.process.ProcessState, s.log)
	}
	return s.log.String()
}

// Restart starts a process on the stack's data and waits until it listens.
func (s *Stack) Restart() {
	s.t.Helper()
	file := filepath.Join(s.data, "endpoints.json")
	_ = os.Remove(file) // an earlier process's
	s.launch()
	s.await(file)
}

func (s *Stack) launch() {
	s.t.Helper()
	bin, err := build()
	if err != nil {
		s.t.Fatalf("build the embedded stack: %v", err)
	}
	s.log = &bytes.Buffer{}
	s.process = exec.Command(bin)
	s.process.Dir = root()
	s.process.Env = append(os.Environ(), "WINDLASS_DATA="+s.data, "WINDLASS_ADDR=127.0.0.1:0", "WINDLASS_AWS_ADDR=127.0.0.1:0", "WINDLASS_DEV_KEY="+Key)
	s.process.Env = append(s.process.Env, s.env...)
	s.process.Stdout, s.process.Stderr = s.log, s.log
	if err := s.process.Start(); err != nil {
		s.t.Fatal(err)
	}
	exited := make(chan struct{})
	s.exited = exited
	go func(p *exec.Cmd) { _ = p.Wait(); close(exited) }(s.process)
}

func (s *Stack) await(file string) {
	s.t.Helper()
	deadline := time.After(20 * time.Second)
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-s.exited:
			s.t.Fatalf("the stack ended at start:\n%s", s.log)
		case <-deadline:
			s.Kill()
			s.t.Fatalf("the stack does not listen:\n%s", s.log)
		case <-tick.C:
			b, err := os.ReadFile(file)
			var e Endpoints
			if err == nil && json.Unmarshal(b, &e) == nil && e.PID == s.process.Process.Pid {
				s.Endpoints = e
				return
			}
		}
	}
}

// Kill kills the process (SIGKILL) and waits until it is gone.
func (s *Stack) Kill() {
	if s.process == nil {
		return
	}
	_ = s.process.Process.Kill()
	<-s.exited
	s.process = nil
}

// Log is what the process printed; valid once it was killed.
func (s *Stack) Log() string { return s.log.String() }

// Client is a client with the development key.
func (s *Stack) Client() client.Client { return client.Client{URL: s.Endpoints.API, Key: Key} }

// Context ends well before go test would end the test.
func Context(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
	t.Cleanup(cancel)
	return ctx
}
