// Package all has every function by its name, for whoever runs several in one process. A
// function's own main must not import it: it would be linked with all the others.
package all

import (
	"fmt"
	"strings"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-sdk-go-v2/aws"

	"windlass/functions/harness"
	"windlass/functions/harness/providers"
	"windlass/functions/harness/secrets"
	"windlass/functions/harness/tools"
)

var functions = []harness.Function{
	harness.API,
	harness.Drive(providers.All, tools.All, secrets.AWS),
	harness.Dispatch(secrets.AWS),
	harness.Recover,
	harness.Socket,
	harness.Publish,
}

// Names lists the functions.
func Names() []string {
	names := make([]string, len(functions))
	for i, f := range functions {
		names[i] = f.Name
	}
	return names
}

// Function builds the named function's handler, as [harness.Function.Handler] does.
func Function(name string, env func(string) string, cfg aws.Config) (lambda.Handler, error) {
	for _, f := range functions {
		if f.Name == name {
			return f.Handler(env, cfg)
		}
	}
	return nil, fmt.Errorf("harness: there is no function %q; there are %s", name, strings.Join(Names(), ", "))
}
