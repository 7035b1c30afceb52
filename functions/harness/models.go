package harness

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"windlass/functions/internal/config"
	"windlass/functions/internal/model"
	"windlass/functions/internal/model/scripted"
	"windlass/functions/internal/projection"
	"windlass/functions/internal/secret"
)

// Providers build the model providers that are not scripted, by name; nil for one that
// the environment does not configure.
type Providers = map[string]func(config.Env, *secret.Cache) (model.Provider, error)

// configures says what configures each provider.
var configures = map[string]string{
	"scripted":          "nothing",
	"openai":            "OPENAI_API_KEY, on AWS OPENAI_API_KEY_SECRET, or OPENAI_BASE_URL for a server of your own",
	"openai-compatible": "OPENAI_COMPATIBLE_BASE_URL, such as http://127.0.0.1:11434/v1",
	"anthropic":         "ANTHROPIC_API_KEY, on AWS ANTHROPIC_API_KEY_SECRET, or ANTHROPIC_BASE_URL for a server of your own",
	"bedrock":           "BEDROCK_REGION, with AWS credentials",
}

func knownProvider(name string) error {
	if configures[name] == "" {
		return fmt.Errorf("there is no model provider %q; there are %s; Ollama, vLLM and the like speak openai-compatible",
			name, strings.Join(slices.Sorted(maps.Keys(configures)), ", "))
	}
	return nil
}

// models are the providers; one that is not configured says so when it is asked.
func (b builder) models(with Providers) (map[string]model.Provider, error) {
	all := map[string]model.Provider{"scripted": scripted.Provider{}}
	for name, build := range with {
		p, err := build(b.env, b.secrets)
		if err != nil {
			return nil, fmt.Errorf("model provider %s (set by %s): %w", name, configures[name], err)
		}
		if p == nil {
			p = unconfigured(name)
		}
		all[name] = p
	}
	return all, nil
}

// unconfigured is a provider whose variables are not set.
type unconfigured string

func (unconfigured) Rules() projection.Rules { return projection.Rules{} }

func (u unconfigured) Stream(context.Context, model.Request) iter.Seq2[model.Part, error] {
	return func(yield func(model.Part, error) bool) {
		yield(model.Part{}, &model.Fault{Code: model.Denied, Permanent: true,
			Message: fmt.Sprintf("the model provider %s is not configured; set %s", string(u), configures[string(u)])})
	}
}
