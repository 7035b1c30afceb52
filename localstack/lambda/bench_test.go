//go:build unix

package lambda

import (
	"os"
	"testing"
	"time"
)

// benched is a registry with f as a process of this very executable.
func benched(b *testing.B) *Registry {
	path, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	processes := NewProcesses(quiet)
	b.Cleanup(processes.Close)
	r := New(quiet)
	r.Register(Config{Name: "f", ARN: arn, Timeout: time.Minute},
		processes.Starter(Program{Function: "f", Path: path, Env: []string{bootstrapVariable + "=handler"}}))
	return r
}

func invoke(b *testing.B, r *Registry, payload string) {
	if _, err := r.Invoke(b.Context(), "f", []byte(payload)); err != nil {
		b.Fatal(err)
	}
}

func BenchmarkWarmProcess(b *testing.B) {
	r := benched(b)
	invoke(b, r, `{}`)
	for b.Loop() {
		invoke(b, r, `{}`)
	}
}

func BenchmarkColdProcess(b *testing.B) {
	r := benched(b)
	for b.Loop() {
		invoke(b, r, `{}`)
		r.mu.Lock()
		f := r.functions["f"]
		box := f.idle[0]
		f.idle = nil
		r.mu.Unlock()
		b.StopTimer()
		_ = box.Close()
		b.StartTimer()
	}
}
