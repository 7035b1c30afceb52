// Package tools links a function with what tools call by: MCP's SDK, and Lambda's client.
package tools

import (
	"encoding/json"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/lambda"

	"windlass/functions/internal/config"
	"windlass/functions/internal/tool"
	"windlass/functions/internal/tool/invoke"
	"windlass/functions/internal/tool/invoke/lambda"
	"windlass/functions/internal/tool/mcp"
	"windlass/functions/internal/tool/outside"
	"windlass/functions/internal/tool/web"
)

// All are the tools that an agent's definition configures.
func All(cfg aws.Config, env config.Env, secret outside.Secrets) map[string]tool.Source {
	return map[string]tool.Source{
		"http": func(with json.RawMessage) (tool.Lister, error) {
			return web.New(with, web.Options{Secrets: secret})
		},
		"lambda": func(with json.RawMessage) (tool.Lister, error) {
			return invoke.New(with, invoke.Options{Invoke: lambda.Invoker(sdk.NewFromConfig(cfg, endpoint(env)))})
		},
		"mcp": func(with json.RawMessage) (tool.Lister, error) {
			return mcp.New(with, mcp.Options{Secrets: secret})
		},
	}
}

// endpoint is where functions are called, if that is not where the rest of AWS is: the
// embedded stack calls none but its own. The SDK reads the variable by itself only where
// it loads its whole configuration from the environment.
func endpoint(env config.Env) func(*sdk.Options) {
	return func(o *sdk.Options) {
		if at := env("AWS_ENDPOINT_URL_LAMBDA"); at != "" {
			o.BaseEndpoint = &at
		}
	}
}
