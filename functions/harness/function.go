package harness

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-sdk-go-v2/aws"

	"windlass/functions/internal/config"
	"windlass/functions/internal/fold"
	"windlass/functions/internal/secret"
	"windlass/functions/internal/telemetry"
)

// A Function is one that runs on Lambda. A main names its own, and so is linked with what
// that one needs and no more.
type Function struct {
	Name    string
	secrets Secrets
	build   func(builder) (any, error)
}

// Secrets reach where AWS keeps secrets.
type Secrets = func(aws.Config) secret.Reader

// The functions that need nothing heavy.
var (
	API     = Function{"api", noSecrets, api}
	Socket  = Function{"socket", noSecrets, socket}
	Publish = Function{"publish", noSecrets, publish}
	Recover = Function{"recover", noSecrets, recoverTurns}
)

// Dispatch starts turns; the headers for a collector of traces may be a secret.
func Dispatch(secrets Secrets) Function { return Function{"dispatch", secrets, dispatch} }

// Drive runs rounds of a turn, with these providers beside the scripted one, and these
// tools beside those that act on the session alone. What it keeps warm is the process's:
// on Lambda that is the one sandbox's, in the embedded stack all of them share it.
func Drive(providers Providers, tools Tools, secrets Secrets) Function {
	warm := &fold.Sessions{Most: warmBytes, MostSessions: warmSessions}
	return Function{"drive", secrets, func(b builder) (any, error) { return b.drive(providers, tools, warm) }}
}

// Handler builds the function's handler. What it needs of env is checked now; cfg is used
// when the function is invoked.
func (f Function) Handler(env config.Env, cfg aws.Config) (lambda.Handler, error) {
	metrics := &telemetry.Metrics{Service: cmp.Or(env("WINDLASS_SERVICE"), "windlass"), Now: time.Now}
	h, err := f.build(builder{env, cfg, metrics, secret.New(f.secrets(cfg))})
	if err != nil {
		return nil, fmt.Errorf("function %s: %w", f.Name, err)
	}
	return coded{f.Name, lambda.NewHandler(h), metrics}, nil
}

// noSecrets is for functions that check what names a secret, and read none.
func noSecrets(aws.Config) secret.Reader { return none{} }

type none struct{}

func (none) Read(_ context.Context, ref secret.Ref) (string, error) {
	return "", &secret.Error{Code: secret.Refused, Ref: ref, Said: "this function reads no secrets"}
}
