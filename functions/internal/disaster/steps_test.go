package disaster

import (
	"context"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/sfn"
	"github.com/aws/aws-sdk-go-v2/service/sfn/types"

	"windlass/functions/internal/execution"
)

// steps is the machine as a process reaches it, to start turns and to answer tokens,
// or for one purpose.
type steps struct {
	p               *process
	starts, answers what
}

func (s steps) StartExecution(ctx context.Context, in *sfn.StartExecutionInput, _ ...func(*sfn.Options)) (*sfn.StartExecutionOutput, error) {
	return &sfn.StartExecutionOutput{}, s.p.call(ctx, s.starts, func() error { return s.p.w.machine.start(*in.Name, *in.Input) })
}

func (s steps) DescribeExecution(ctx context.Context, in *sfn.DescribeExecutionInput, _ ...func(*sfn.Options)) (out *sfn.DescribeExecutionOutput, err error) {
	name := (*in.ExecutionArn)[strings.LastIndexByte(*in.ExecutionArn, ':')+1:]
	err = s.p.call(ctx, aRead, func() error {
		m := s.p.w.machine
		m.mu.Lock()
		defer m.mu.Unlock()
		e := m.executions[name]
		if e == nil {
			return &types.ExecutionDoesNotExist{Message: &name}
		}
		out = &sfn.DescribeExecutionOutput{Status: e.status}
		return nil
	})
	return out, err
}

func (s steps) SendTaskSuccess(ctx context.Context, in *sfn.SendTaskSuccessInput, _ ...func(*sfn.Options)) (*sfn.SendTaskSuccessOutput, error) {
	return &sfn.SendTaskSuccessOutput{}, s.p.call(ctx, s.answers, func() error { return s.p.w.machine.answer(*in.TaskToken) })
}

// starter is what api, dispatch and recover start turns with.
func (p *process) starter() *execution.Starter { return p.starterOf(aStart, aToken) }

func (p *process) starterOf(starts, answers what) *execution.Starter {
	return &execution.Starter{Client: steps{p, starts, answers}, StateMachineARN: machineARN, Journal: p.journal(), Tokens: tokens{p}, Now: time.Now}
}

// pause waits, unless ctx ends first.
func pause(ctx context.Context, d time.Duration) bool {
	wait := time.NewTimer(d)
	defer wait.Stop()
	select {
	case <-wait.C:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}
