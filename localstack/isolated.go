package main

import (
	"path/filepath"

	"windlass/localstack/lambda"
	"windlass/localstack/template"
)

// Bounds of isolated functions. A process costs memory, where a goroutine costs
// none to speak of; an account on AWS begins with 1,000 at once for all functions.
const (
	processesAtOnce = 64
	processesIdle   = 16
)

// registerProcess makes a function invocable as the executable that make build
// makes, each execution environment a process of its own.
func (st *stack) registerProcess(c lambda.Config, f template.Function) error {
	if st.processes == nil {
		st.processes = lambda.NewProcesses(st.log)
	}
	p, err := st.executable(f)
	if err != nil {
		return err
	}
	if c.Idle = processesIdle; c.Concurrency == 0 || c.Concurrency > processesAtOnce {
		c.Concurrency = processesAtOnce
	}
	st.functions.Register(c, st.processes.Starter(p))
	return p.Check()
}

// executable is a function's: beside the template, where its CodeUri says.
func (st *stack) executable(f template.Function) (lambda.Program, error) {
	path, err := filepath.Abs(filepath.Join(filepath.Dir(st.settings.template), ".build", f.Code, "bootstrap"))
	p := lambda.Program{Function: f.Name, Path: path}
	for name, value := range st.processEnvironment(f, filepath.Dir(path)) {
		p.Env = append(p.Env, name+"="+value)
	}
	return p, err
}

// processEnvironment is all of a process's environment. Lambda's own variables go
// before the template's, as on AWS, where a template cannot set them.
func (st *stack) processEnvironment(f template.Function, folder string) map[string]string {
	env, own := st.environment(f), st.keysOf(f)
	for name, value := range map[string]string{
		"AWS_REGION":                     region,
		"AWS_DEFAULT_REGION":             region,
		"AWS_ACCESS_KEY_ID":              own.accessKey,
		"AWS_SECRET_ACCESS_KEY":          own.secret,
		"AWS_LAMBDA_FUNCTION_VERSION":    "$LATEST",
		"AWS_LAMBDA_INITIALIZATION_TYPE": "on-demand",
		"AWS_LAMBDA_LOG_GROUP_NAME":      "/aws/lambda/" + f.Name,
		"LAMBDA_TASK_ROOT":               folder,
		"_HANDLER":                       "bootstrap",
		"LANG":                           "en_US.UTF-8",
		"PATH":                           "/usr/local/bin:/usr/bin:/bin",
		"TZ":                             ":UTC",
		// Not Lambda's: the subset, and nothing of what the person at this machine
		// has in ~/.aws. Without HOME the SDK would find that by the user's id.
		"AWS_ENDPOINT_URL":            url(st.aws),
		"AWS_CONFIG_FILE":             "/dev/null",
		"AWS_SHARED_CREDENTIALS_FILE": "/dev/null",
	} {
		env[name] = value
	}
	return env
}
