package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"strconv"

	awslambda "github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-sdk-go-v2/aws"

	"windlass/localstack/gateway"
	"windlass/localstack/lambda"
	"windlass/localstack/stepfunctions"
	"windlass/localstack/template"
)

// A product is the system that is run here: functions/harness, or a test's.
type product struct {
	// Function builds a named function from its environment.
	Function func(name string, env func(string) string, cfg aws.Config) (awslambda.Handler, error)
	// PutKey stores an API key for a tenant in the live table.
	PutKey func(ctx context.Context, cfg aws.Config, liveTable, key, tenant string) error
	// KeyID is what the live table knows a key by, and RevokeKey refuses that key.
	KeyID     func(key string) string
	RevokeKey func(ctx context.Context, cfg aws.Config, liveTable, id string) error
	// Logs has what functions log say what it is about; nil if it does by itself.
	Logs func(slog.Handler) slog.Handler
}

// register makes every function of the template invocable. Each is built once to
// begin with: one that cannot start is better found now than by a turn.
func (st *stack) register() error {
	p := st.program.product
	for _, f := range st.template.Functions {
		if _, err := p.Function(f.Code, lookup(st.environment(f)), st.configOf(f)); err != nil {
			return err
		}
	}
	if err := st.keepAgents(); err != nil {
		return err
	}
	for _, f := range st.template.Functions {
		c := lambda.Config{Name: f.Name, ARN: f.ARN, Timeout: f.Timeout, Concurrency: f.Concurrency}
		if st.isolated {
			if err := st.registerProcess(c, f); err != nil {
				return err
			}
			continue
		}
		env, cfg := lookup(st.environment(f)), st.configOf(f)
		st.functions.Register(c, lambda.InProcess(func() (awslambda.Handler, error) { return p.Function(f.Code, env, cfg) }))
	}
	return nil
}

// configOf reaches the subset as a function.
func (st *stack) configOf(f template.Function) aws.Config {
	cfg := st.config.Copy()
	cfg.Credentials = st.keysOf(f).provider()
	return cfg
}

// keysOf are what a function signs with: keys of its own if it matters who calls.
func (st *stack) keysOf(f template.Function) credentials {
	if st.calls == nil && st.metered.Counter == nil {
		return st.credentials
	}
	return st.credentials.of(f.Code)
}

// environment is what a function sees: the variables that the template declares,
// each overridden by the process's own unless it names a resource of the stack,
// what a deployment adds, and the few that Lambda itself sets. Nothing else, as on AWS.
func (s settings) environment(f template.Function) map[string]string {
	env := map[string]string{
		"AWS_REGION":                      region,
		"AWS_LAMBDA_FUNCTION_NAME":        f.Name,
		"AWS_LAMBDA_FUNCTION_MEMORY_SIZE": strconv.Itoa(f.MemoryMB),
	}
	for name, v := range f.Env {
		env[name] = v.Value
		if own, ok := s.lookup(name); ok && !v.Physical {
			env[name] = own
		}
	}
	maps.Copy(env, s.deployment)
	return env
}

func lookup(env map[string]string) func(string) string {
	return func(name string) string { return env[name] }
}

// The callers of functions each have their own words for how an invocation may
// end; these are the translations.

func forHTTP(r *lambda.Registry, function string) func(context.Context, []byte) ([]byte, error) {
	return func(ctx context.Context, event []byte) ([]byte, error) {
		answer, err := r.Invoke(ctx, function, event)
		var refused *lambda.ServiceError
		if errors.As(err, &refused) && refused.Status == 429 {
			return nil, fmt.Errorf("%w: %w", gateway.ErrThrottled, err)
		}
		return answer, err
	}
}

func forMessages(r *lambda.Registry, a template.SocketAPI, m measured, its metered) func(context.Context, string, []byte) ([]byte, error) {
	return func(ctx context.Context, route string, event []byte) ([]byte, error) {
		answer, err := forHTTP(r, a.Routes[route])(ctx, event)
		m.handled(a.Name, a.Stage, err)
		its.message(route, event)
		return answer, err
	}
}

func forTasks(r *lambda.Registry) func(context.Context, string, []byte) ([]byte, *stepfunctions.FunctionError, error) {
	return func(ctx context.Context, function string, payload []byte) ([]byte, *stepfunctions.FunctionError, error) {
		answer, err := r.Invoke(ctx, function, payload)
		var failed *lambda.FunctionError
		if errors.As(err, &failed) {
			return nil, &stepfunctions.FunctionError{Type: failed.Type, Message: failed.Message}, nil
		}
		return answer, nil, err
	}
}

func forRecords(r *lambda.Registry) func(context.Context, string, []byte) (result []byte, failure, err error) {
	return func(ctx context.Context, function string, event []byte) ([]byte, error, error) {
		answer, err := r.Invoke(ctx, function, event)
		var failed *lambda.FunctionError
		if errors.As(err, &failed) {
			return nil, failed, nil
		}
		return answer, nil, err
	}
}

func forEvents(r *lambda.Registry) func(context.Context, string, []byte) (failure, err error) {
	invoke := forRecords(r)
	return func(ctx context.Context, function string, event []byte) (error, error) {
		_, failure, err := invoke(ctx, function, event)
		return failure, err
	}
}
