package lambda

import (
	"errors"
	"log/slog"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// Processes starts functions as processes, and knows those that live. Whatever
// ends this process, kill -9 among it, ends them too: on Linux the kernel sees to
// it, elsewhere on Unix a guard does (see [guard]).
type Processes struct {
	log    *slog.Logger
	starts chan func()
	done   chan struct{}

	mu     sync.Mutex
	live   map[*environment]bool
	closed bool
}

// A Process is one that lives. Busy is whether an invocation waits for it.
type Process struct {
	Function string `json:"function"`
	PID      int    `json:"pid"`
	Busy     bool   `json:"busy"`
}

// NewProcesses is without any.
func NewProcesses(log *slog.Logger) *Processes {
	p := &Processes{log: log, starts: make(chan func()), done: make(chan struct{}), live: map[*environment]bool{}}
	go p.start()
	return p
}

// start makes every process on one thread that lives as long as they may. The
// kernel ends a child with the thread that made it, not with the process: on any
// other thread the child would end whenever Go lets go of that one.
func (p *Processes) start() {
	runtime.LockOSThread()
	for {
		select {
		case start := <-p.starts:
			start()
		case <-p.done:
			return
		}
	}
}

var errClosed = errors.New("the embedded stack is shutting down")

// Starter starts a program's processes: each is a sandbox.
func (p *Processes) Starter(program Program) Starter {
	return func() (Sandbox, error) {
		e, err := newEnvironment(program, p.log)
		if err != nil {
			return nil, err
		}
		started := make(chan error, 1)
		select {
		case p.starts <- func() { started <- p.admit(e) }:
			err = <-started
		case <-p.done:
			err = errors.Join(errClosed, e.server.Close())
		}
		if err != nil {
			return nil, err
		}
		return e, nil
	}
}

// admit starts a process and lists it until it is gone.
func (p *Processes) admit(e *environment) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return errors.Join(errClosed, e.server.Close())
	}
	err := e.start(func() { p.forget(e) })
	if err == nil {
		p.live[e] = true
		p.log.Debug("process started", "function", e.program.Function, "pid", e.command.Process.Pid)
	}
	return err
}

func (p *Processes) forget(e *environment) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.live, e)
	p.log.Debug("process ended", "function", e.program.Function, "pid", e.command.Process.Pid, "reason", e.reason)
}

// List is the processes that live, by function and then by number.
func (p *Processes) List() []Process {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := []Process{}
	for e := range p.live {
		list = append(list, Process{e.program.Function, e.command.Process.Pid, e.api.busy()})
	}
	slices.SortFunc(list, func(a, b Process) int {
		if c := strings.Compare(a.Function, b.Function); c != 0 {
			return c
		}
		return a.PID - b.PID
	})
	return list
}

// Close starts no more, and kills those that live.
func (p *Processes) Close() {
	p.mu.Lock()
	closed := p.closed
	p.closed = true
	var left []*environment
	for e := range p.live {
		left = append(left, e)
	}
	p.mu.Unlock()
	for _, e := range left {
		_ = e.Close()
	}
	if !closed {
		close(p.done)
	}
}
