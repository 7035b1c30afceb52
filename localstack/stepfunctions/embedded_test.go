package stepfunctions_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sfn"
	"windlass/localstack/awsjson"
	"windlass/localstack/disk"
	"windlass/localstack/stepfunctions"
	"windlass/localstack/stepfunctions/contract"
)

// TestContract runs the contract on a fake clock. A kill is a copy of the file as
// it stands, without a Close, and a new service on the copy.
func TestContract(t *testing.T) {
	contract.Run(t, func(t *testing.T, test func(*testing.T, *contract.Lane)) {
		synctest.Test(t, func(t *testing.T) {
			e := openEmbedded(t, stepfunctions.Options{})
			defer e.close()
			test(t, e.lane)
			synctest.Wait() // whatever is under way comes to rest before the end
		})
	})
}

// embedded is the subset as a lane.
type embedded struct {
	t       testing.TB
	opts    stepfunctions.Options
	path    string
	db      *disk.DB
	service *stepfunctions.Service
	lane    *contract.Lane
	kills   int

	mu        sync.Mutex
	functions map[string]contract.Function
	answer    func(ctx context.Context, name string, payload []byte) ([]byte, *stepfunctions.FunctionError, error) // instead of them
}

func openEmbedded(t testing.TB, opts stepfunctions.Options) *embedded {
	t.Helper()
	e := &embedded{t: t, opts: opts, path: filepath.Join(t.TempDir(), "disk"), functions: map[string]contract.Function{}}
	e.opts.Invoke = e.invoke
	e.lane = &contract.Lane{RoleARN: "arn:aws:iam::000000000000:role/r", Kill: e.kill, Strict: true, Provide: func(name string, f contract.Function) {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.functions[name] = f
	}}
	e.open()
	return e
}

func (e *embedded) open() {
	e.t.Helper()
	db, err := disk.Open(e.path, false)
	if err != nil {
		e.t.Fatal(err)
	}
	if e.service, err = stepfunctions.Open(db, e.opts); err != nil {
		e.t.Fatal(err)
	}
	if err := e.service.Start(context.Background()); err != nil {
		e.t.Fatal(err)
	}
	e.db = db
	e.lane.Client = clientOf(e.service.Handler())
}

func (e *embedded) close() {
	e.service.Close()
	if err := e.db.Close(); err != nil {
		e.t.Error(err)
	}
}

func (e *embedded) kill() {
	e.t.Helper()
	image, err := os.ReadFile(e.path)
	if err != nil {
		e.t.Fatal(err)
	}
	e.close() // ends the old one's goroutines; what it may write now is lost
	e.kills++
	e.path = fmt.Sprintf("%s-%d", e.path, e.kills)
	if err := os.WriteFile(e.path, image, 0o600); err != nil {
		e.t.Fatal(err)
	}
	e.open()
}

func (e *embedded) invoke(ctx context.Context, name string, payload []byte) ([]byte, *stepfunctions.FunctionError, error) {
	e.mu.Lock()
	f, answer := e.functions[name], e.answer
	e.mu.Unlock()
	if answer != nil {
		return answer(ctx, name, payload)
	}
	if f == nil {
		return nil, nil, notFound{name}
	}
	out, err := f(ctx, payload)
	var fault contract.Fault
	if errors.As(err, &fault) {
		return nil, &stepfunctions.FunctionError{Type: fault.Type, Message: fault.Message}, nil
	}
	if err != nil {
		return nil, &stepfunctions.FunctionError{Type: fmt.Sprintf("%T", err), Message: err.Error()}, nil
	}
	result, err := json.Marshal(out)
	return result, nil, err
}

type notFound struct{ name string }

func (n notFound) Error() string   { return "Function not found: " + n.name }
func (notFound) ErrorCode() string { return "ResourceNotFoundException" }

func clientOf(h http.Handler) *sfn.Client {
	return sfn.New(sfn.Options{
		Region:       "us-east-1",
		BaseEndpoint: aws.String("http://states.embedded"),
		HTTPClient:   &http.Client{Transport: awsjson.Transport(h)},
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "k", SecretAccessKey: "s"}, nil
		}),
		RetryMaxAttempts: 1,
	})
}

var quiet = slog.New(slog.NewTextHandler(io.Discard, nil))
