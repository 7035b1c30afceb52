package disaster

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sfn/types"

	"windlass/functions/internal/loop"
)

// machine is Step Functions with the one state machine: executions by name, tasks
// that are tried again as the deployed definition says, waits, parks, a history.
type machine struct {
	w *world

	mu         sync.Mutex
	executions map[string]*running
	parked     map[string]chan struct{} // by token
	tokens     int
}

type running struct {
	name, input string
	status      types.ExecutionStatus
	ctx         context.Context
	stop        context.CancelFunc
	history     int
}

const (
	machineARN = "arn:aws:states:eu-central-1:123456789012:stateMachine:turn"
	historyEnd = 25_000
)

// retrier is one entry of a state's Retry.
type retrier struct {
	ErrorEquals                      []string
	IntervalSeconds, MaxDelaySeconds float64
	BackoffRate                      float64
	MaxAttempts                      int
}

// definition is of the deployed state machine what the executions here go by.
var definition = sync.OnceValue(func() map[string]struct{ Retry []retrier } {
	b, err := os.ReadFile("../../../infra/statemachine/turn.asl.json")
	var d struct {
		States map[string]struct{ Retry []retrier }
	}
	if err == nil {
		err = json.Unmarshal(b, &d)
	}
	if err != nil || len(d.States["Drive"].Retry) == 0 || len(d.States["Park"].Retry) == 0 {
		panic(fmt.Sprintf("the state machine's definition has no Drive or Park that is tried again: %v", err))
	}
	return d.States
})

func (m *machine) start(name, input string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if e := m.executions[name]; e != nil {
		if e.status == types.ExecutionStatusRunning && e.input == input {
			return nil
		}
		return &types.ExecutionAlreadyExists{Message: aws.String(name)}
	}
	e := &running{name: name, input: input, status: types.ExecutionStatusRunning}
	e.ctx, e.stop = context.WithCancel(m.w.ctx)
	m.executions[name] = e
	m.w.tasks.Go(func() {
		status := m.play(e)
		m.end(e, status, true)
	})
	return nil
}

// end closes an execution; EventBridge hears of one that ended badly, unless that
// event is lost.
func (m *machine) end(e *running, status types.ExecutionStatus, heard bool) {
	m.mu.Lock()
	ended := e.status == types.ExecutionStatusRunning
	if ended {
		e.status = status
		e.stop()
	}
	m.mu.Unlock()
	if ended && heard && status != types.ExecutionStatusSucceeded {
		m.w.heard(e, status)
	}
}

// stopAll stops what runs from outside. Lambdas that are under way go on.
func (m *machine) stopAll(heard bool) {
	for _, e := range m.all() {
		m.end(e, types.ExecutionStatusAborted, heard)
	}
}

// all are the executions that run.
func (m *machine) all() (all []*running) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, e := range m.executions {
		if e.status == types.ExecutionStatusRunning {
			all = append(all, e)
		}
	}
	return all
}

// play goes from state to state.
func (m *machine) play(e *running) types.ExecutionStatus {
	var doc loop.Document
	if err := json.Unmarshal([]byte(e.input), &doc); err != nil {
		return types.ExecutionStatusFailed
	}
	for state := "Drive"; ; {
		answer, ok := m.state(e, state, doc)
		switch {
		case !ok || e.history > historyEnd:
			return types.ExecutionStatusFailed
		case state == "Park":
			state = "Drive"
			continue
		}
		doc = answer
		switch doc.Next {
		case "done":
			return types.ExecutionStatusSucceeded
		case "park":
			state = "Park"
		case "backoff":
			e.history += 2
			if !pause(e.ctx, time.Until(doc.Until.Time)) {
				return types.ExecutionStatusAborted
			}
		}
	}
}

// state enters one state, and tries its task again as its definition says.
func (m *machine) state(e *running, state string, doc loop.Document) (answer loop.Document, ok bool) {
	retries := definition()[state].Retry
	tried := make([]int, len(retries))
	t := loop.Task{Turn: doc, Execution: e.name, EnteredAt: time.Now().UTC().Format("2006-01-02T15:04:05.000Z")}
	for e.history += 4; e.ctx.Err() == nil; t.RetryCount++ {
		e.history += 3
		var failed error
		if state == "Park" {
			failed = m.park(e, t)
		} else {
			answer, failed = m.w.invoke(e.ctx, t)
		}
		if failed == nil {
			return answer, e.ctx.Err() == nil
		}
		i := slices.IndexFunc(retries, func(r retrier) bool {
			return slices.Contains(r.ErrorEquals, failed.Error()) || slices.Contains(r.ErrorEquals, "States.ALL")
		})
		if tried[i]++; tried[i] > retries[i].MaxAttempts {
			return answer, false
		}
		m.wait(e, retries[i], tried[i])
	}
	return answer, false
}

// wait waits with full jitter.
func (m *machine) wait(e *running, r retrier, tried int) {
	delay := r.IntervalSeconds
	for range tried - 1 {
		delay = min(delay*r.BackoffRate, r.MaxDelaySeconds)
	}
	pause(e.ctx, time.Duration(delay*m.w.chance()*float64(time.Second)))
}

// park hands out a token and waits until it is answered, for as long as Drive said.
// Its timeout is caught: Drive looks.
func (m *machine) park(e *running, t loop.Task) error {
	m.mu.Lock()
	m.tokens++
	t.Token = fmt.Sprint("token-", m.tokens)
	answered := make(chan struct{})
	m.parked[t.Token] = answered
	m.mu.Unlock()
	defer m.forget(t.Token)
	if _, err := m.w.invoke(e.ctx, t); err != nil {
		return err
	}
	timeout := time.NewTimer(time.Duration(t.Turn.ParkSeconds) * time.Second)
	defer timeout.Stop()
	select {
	case <-answered:
	case <-timeout.C:
	case <-e.ctx.Done():
	}
	return nil
}

func (m *machine) forget(token string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.parked, token)
}

// answer ends a park; a second answer finds nobody.
func (m *machine) answer(token string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	answered, ok := m.parked[token]
	if !ok {
		return &types.TaskTimedOut{Message: &token}
	}
	delete(m.parked, token)
	close(answered)
	return nil
}
