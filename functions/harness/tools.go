package harness

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"

	"windlass/functions/internal/agent"
	"windlass/functions/internal/config"
	"windlass/functions/internal/secret"
	"windlass/functions/internal/tool"
	"windlass/functions/internal/tool/invoke"
	mcp "windlass/functions/internal/tool/mcp/config"
	"windlass/functions/internal/tool/outside"
	"windlass/functions/internal/tool/web"
)

// Tools make the tools that an agent's definition configures, by the name of their entry.
// secret reads the secrets that a definition names.
type Tools = func(cfg aws.Config, env config.Env, secret outside.Secrets) map[string]tool.Source

// checked are the same as far as they say what is wrong with a definition. They call
// nothing, and so a function that only accepts prompts is linked with no client of theirs.
func checked() *tool.Sources {
	return tool.NewSources(map[string]tool.Source{
		"http":   func(with json.RawMessage) (tool.Lister, error) { return web.New(with, web.Options{}) },
		"lambda": func(with json.RawMessage) (tool.Lister, error) { return invoke.New(with, invoke.Options{}) },
		"mcp": func(with json.RawMessage) (tool.Lister, error) {
			_, err := mcp.Read(with)
			return nil, err
		},
	})
}

// fits returns why an agent's call with these arguments would be refused. Of tools that a
// definition configures the turn alone decides: some are listed by a server.
func fits(its agent.Definition, name, arguments string) error {
	t := tool.All[name]
	if t == nil {
		return nil
	}
	call, err := t.Read(arguments)
	if err != nil {
		return err
	}
	if its.Tool(name).Permit(agent.Subject(call.Subject())) == agent.Deny {
		return errors.New("the agent's policy forbids it")
	}
	return nil
}

// toolSecrets names what tools' secrets begin with, where AWS keeps them.
const toolSecrets = "WINDLASS_TOOL_SECRETS"

// secret is a secret that a tool's configuration names: its variable, or what is kept by
// that name. Both have a prefix, so that no configuration reads another one, such as a
// provider's key.
func (b builder) secret(ctx context.Context, name string) (string, error) {
	if s := b.env("WINDLASS_SECRET_" + name); s != "" {
		return s, nil
	}
	at := b.env(toolSecrets)
	if at == "" {
		return "", fmt.Errorf("the secret %s is not set; set WINDLASS_SECRET_%s, or %s to where secrets are kept", name, name, toolSecrets)
	}
	prefix, err := secret.ParsePrefix(at)
	if err != nil {
		return "", fmt.Errorf("%s: %w", toolSecrets, err)
	}
	ref, err := prefix.Ref(name)
	if err != nil {
		return "", err
	}
	return b.secrets.Get(ctx, ref)
}
