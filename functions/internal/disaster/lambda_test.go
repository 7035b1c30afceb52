package disaster

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-lambda-go/lambdacontext"
	"github.com/aws/aws-sdk-go-v2/service/sfn/types"

	"windlass/functions/internal/fault"
	"windlass/functions/internal/loop"
)

// lambdaTime is how long a function may run.
const lambdaTime = 15 * time.Minute

type answered struct {
	doc loop.Document
	err error
}

// lambda runs drive in a process of its own, which dies after a while if dies says so.
// Its error is named as Step Functions sees it.
func (w *world) lambda(t loop.Task, dies time.Duration) chan answered {
	answer := make(chan answered, 1)
	w.tasks.Go(func() {
		var a answered
		alive := w.run(true, lambdaTime, func(p *process) {
			if dies > 0 {
				defer time.AfterFunc(dies, p.kill).Stop()
			}
			ctx := lambdacontext.NewContext(p.ctx, &lambdacontext.LambdaContext{AwsRequestID: fmt.Sprint("request-", p.n)})
			a.doc, a.err = p.loop().Lambda()(ctx, t)
		})
		switch {
		case !alive:
			answer <- answered{err: errors.New("Runtime.ExitError")}
		case a.err != nil:
			answer <- answered{err: errors.New(string(fault.Of(a.err).Code))}
		default:
			answer <- a
		}
	})
	return answer
}

// invoke is one task of an execution: it gives up when the execution is stopped, and
// then its lambda goes on.
func (w *world) invoke(ctx context.Context, t loop.Task) (loop.Document, error) {
	var answer chan answered
	f, _ := w.plan.meets(invocation)
	switch f.does {
	case fails:
		return loop.Document{}, errors.New("Lambda.TooManyRequestsException")
	case killedBefore:
		return loop.Document{}, errors.New("Runtime.ExitError")
	case late:
		w.tasks.Go(func() {
			if w.sleep(time.Duration(f.land) * time.Second) {
				<-w.lambda(t, 0)
			}
		})
		return loop.Document{}, errors.New("States.Timeout")
	case doubled:
		_ = w.lambda(t, 0)
		answer = w.lambda(t, 0)
	case killedAfter:
		answer = w.lambda(t, 350*time.Millisecond)
	case killedLate:
		answer = w.lambda(t, time.Duration(f.land)*130*time.Millisecond)
	case stopped, unheard:
		answer = w.lambda(t, 0)
		w.machine.stopAll(f.does == stopped)
	case allKilled:
		w.killAll()
		answer = w.lambda(t, 0)
	default:
		answer = w.lambda(t, 0)
	}
	select {
	case a := <-answer:
		if f.does == lost && a.err == nil {
			a.err = errors.New("Lambda.SdkClientException")
		}
		return a.doc, a.err
	case <-ctx.Done():
		return loop.Document{}, errors.New(string(types.ExecutionStatusAborted))
	}
}
