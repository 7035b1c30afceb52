package stepfunctions

import (
	"context"
	"log/slog"
	"time"

	"go.etcd.io/bbolt"
)

// FunctionError is what a Lambda handler's error becomes: the Type is the Step
// Functions error name.
type FunctionError struct {
	Type    string `json:"errorType"`
	Message string `json:"errorMessage"`
}

// Options are the ports of a Service.
type Options struct {
	// Invoke runs a function to its end and returns its answer as JSON. err means
	// that it was not run, or that nobody knows: an error with a method
	// ErrorCode() string becomes "Lambda."+code, any other Lambda.ServiceException.
	//
	// It is called in a goroutine of its own. The context is cancelled by Close
	// alone: an execution that is stopped or times out leaves its function
	// running, as on AWS, and the answer is ignored. How many run at once is
	// Invoke's business.
	Invoke func(ctx context.Context, functionName string, payload []byte) (result []byte, functionError *FunctionError, err error)

	// StatusChanged is called inside the transaction in which an execution gets a
	// status, so that what it writes is durable together with it. It may run more
	// than once for one change, of which only the last run counts. If it returns
	// an error it must have written nothing; the change is then tried again later.
	StatusChanged func(tx *bbolt.Tx, detail StatusChange) error

	// Moved, if given, is told how many state transitions were made, once they are
	// stored, as AWS bills them (aws.amazon.com/step-functions/pricing: each step that
	// is executed, and each retry). Whether the start is one, too, AWS does not say: it
	// is counted, so that no figure is too low.
	Moved func(machine string, transitions int)

	// Now is the clock; by default time.Now. Timers use package time, so that
	// both run on a test's fake clock.
	Now func() time.Time

	Region, Account string // of every ARN; by default us-east-1 and 000000000000

	Log *slog.Logger // by default slog.Default()
}

// StatusChange is the detail of EventBridge's "Step Functions Execution Status
// Change". Dates are milliseconds since 1970.
type StatusChange struct {
	ExecutionARN    string    `json:"executionArn"`
	StateMachineARN string    `json:"stateMachineArn"`
	Name            string    `json:"name"`
	Status          string    `json:"status"`
	StartDate       int64     `json:"startDate"`
	StopDate        *int64    `json:"stopDate"`
	Input           *string   `json:"input"`
	InputDetails    *Included `json:"inputDetails"`
	Output          *string   `json:"output"`
	OutputDetails   *Included `json:"outputDetails"`
	Error           *string   `json:"error"`
	Cause           *string   `json:"cause"`
}

// Included says whether a value stands in an event, or was too large for it.
type Included struct {
	Included bool `json:"included"`
}

func (o *Options) setDefaults() {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Region == "" {
		o.Region = "us-east-1"
	}
	if o.Account == "" {
		o.Account = "000000000000"
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.StatusChanged == nil {
		o.StatusChanged = func(*bbolt.Tx, StatusChange) error { return nil }
	}
}
