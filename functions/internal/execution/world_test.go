package execution_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sfn"
	"github.com/aws/aws-sdk-go-v2/service/sfn/types"

	"windlass/eventstore"
	"windlass/eventstore/event"
	"windlass/eventstore/memory"
	"windlass/functions/internal/agent"
	"windlass/functions/internal/execution"
	"windlass/functions/internal/index"
	"windlass/functions/internal/session"
	"windlass/functions/internal/turn"
	"windlass/infra/agents"
)

var (
	stream = eventstore.Stream{Tenant: "acme", Session: "s"}
	now    = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
)

// machine is Step Functions: executions by name, and what was called.
type machine struct {
	mu       sync.Mutex
	input    map[string]string
	status   map[string]types.ExecutionStatus
	started  []string // inputs, in order; repetitions too
	startErr error
	descErr  error
	describe func() types.ExecutionStatus // what it says instead of the truth
	answered []string                     // tokens
	tokenErr error
}

func (m *machine) SendTaskSuccess(_ context.Context, in *sfn.SendTaskSuccessInput, _ ...func(*sfn.Options)) (*sfn.SendTaskSuccessOutput, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.tokenErr != nil {
		return nil, m.tokenErr
	}
	m.answered = append(m.answered, *in.TaskToken)
	return &sfn.SendTaskSuccessOutput{}, nil
}

// tokens are kept in memory, with the rules of the table.
type tokens struct {
	mu   sync.Mutex
	kept map[string]execution.Parking // by session and operation
	err  error
}

func (f *tokens) Keep(_ context.Context, p execution.Parking) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.kept[p.Turn.Session+"#"+p.Turn.Operation] = p
	return f.err
}

func (f *tokens) Of(_ context.Context, s eventstore.Stream) (all []execution.Parking, _ error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, p := range f.kept {
		if p.Turn.Session == s.Session {
			all = append(all, p)
		}
	}
	return all, f.err
}

func (f *tokens) All(_ context.Context, shard int) (all []execution.Parking, _ error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, p := range f.kept {
		if index.Shard(eventstore.Stream{Tenant: p.Turn.Tenant, Session: p.Turn.Session}) == shard {
			all = append(all, p)
		}
	}
	return all, f.err
}

func (f *tokens) Forget(_ context.Context, p execution.Parking) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.kept, p.Turn.Session+"#"+p.Turn.Operation)
	return f.err
}

func (m *machine) StartExecution(_ context.Context, in *sfn.StartExecutionInput, _ ...func(*sfn.Options)) (*sfn.StartExecutionOutput, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.startErr != nil {
		return nil, m.startErr
	}
	m.started = append(m.started, *in.Input)
	status, ok := m.status[*in.Name]
	if ok && (status != types.ExecutionStatusRunning || m.input[*in.Name] != *in.Input) {
		return nil, &types.ExecutionAlreadyExists{Message: aws.String("exists")}
	}
	m.input[*in.Name], m.status[*in.Name] = *in.Input, types.ExecutionStatusRunning
	return &sfn.StartExecutionOutput{}, nil
}

const machineARN = "arn:aws:states:eu-central-1:123456789012:stateMachine:stateMachine-turns"

func (m *machine) DescribeExecution(_ context.Context, in *sfn.DescribeExecutionInput, _ ...func(*sfn.Options)) (*sfn.DescribeExecutionOutput, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.descErr != nil {
		return nil, m.descErr
	}
	for name, status := range m.status {
		if *in.ExecutionArn == "arn:aws:states:eu-central-1:123456789012:execution:stateMachine-turns:"+name {
			if m.describe != nil {
				status = m.describe()
			}
			return &sfn.DescribeExecutionOutput{Status: status}, nil
		}
	}
	return nil, &types.ExecutionDoesNotExist{Message: in.ExecutionArn}
}

// end closes every execution that runs.
func (m *machine) end(status types.ExecutionStatus) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for name := range m.status {
		m.status[name] = status
	}
}

// running are the inputs of what runs.
func (m *machine) running() (inputs []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for name, status := range m.status {
		if status == types.ExecutionStatusRunning {
			inputs = append(inputs, m.input[name])
		}
	}
	return inputs
}

// world is a Starter over a log and a machine.
type world struct {
	*execution.Starter
	t      *testing.T
	m      *machine
	tokens *tokens
}

func newWorld(t *testing.T) *world { return over(t, memory.New()) }

func over(t *testing.T, d eventstore.Driver) *world {
	m := &machine{input: map[string]string{}, status: map[string]types.ExecutionStatus{}}
	kept := &tokens{kept: map[string]execution.Parking{}}
	return &world{&execution.Starter{Client: m, StateMachineARN: machineARN, Journal: eventstore.New(d), Tokens: kept, Now: func() time.Time { return now }}, t, m, kept}
}

type nobody struct{}

func (nobody) Start(context.Context, execution.Turn) (bool, error) {
	return false, errors.New("not now")
}
func (nobody) Wake(context.Context, eventstore.Stream) error { return errors.New("not now") }

// submit accepts an operation whose start is lost.
func (w *world) submit(s eventstore.Stream, id string) {
	w.t.Helper()
	catalog, err := agent.Read(agents.Files, "demo", nil)
	if err != nil {
		w.t.Fatal(err)
	}
	service := session.Service{Journal: w.Journal, Agents: catalog, Turns: nobody{}, Now: w.Now, NewID: func(time.Time) string { return "id" }}
	if _, err := service.Submit(w.t.Context(), s, session.Submission{OperationID: id, Prompt: "p"}); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) wake() {
	w.t.Helper()
	if err := w.Wake(w.t.Context(), stream); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) events() (all []event.Event) {
	w.t.Helper()
	for c, err := range w.Journal.Read(w.t.Context(), stream, 0) {
		if err != nil {
			w.t.Fatal(err)
		}
		all = append(all, c.Events...)
	}
	return all
}

// resumed are the generations that the log was given.
func (w *world) resumed() (all []event.OperationResumed) {
	w.t.Helper()
	for _, e := range w.events() {
		if r, ok := e.Data.(event.OperationResumed); ok {
			all = append(all, r)
		}
	}
	return all
}

// append adds a commit of the head's, as its driver would.
func (w *world) append(payloads ...event.Payload) {
	w.t.Helper()
	state := turn.Fold(w.events())
	op := *state.Head()
	_, at, err := w.Journal.Head(w.t.Context(), stream)
	if err != nil {
		w.t.Fatal(err)
	}
	d := eventstore.Draft{By: "driver"}
	for i, p := range payloads {
		e := event.Event{Seq: at.Seq() + uint64(i) + 1, At: event.At(now), Operation: op.ID, Round: 1, Data: p}
		d.Events = append(d.Events, e)
		state.Apply(e)
		if _, ok := p.(event.OperationCompleted); ok {
			d.Rows = []eventstore.Row{index.SettledRow(stream, op.FirstSeq)}
		}
	}
	d.Summary = state.Summary().Encode()
	if _, _, err := w.Journal.Append(w.t.Context(), at, d); err != nil {
		w.t.Fatal(err)
	}
}
