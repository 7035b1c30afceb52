package harness

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/config"

	"windlass/functions/internal/model"
	"windlass/functions/internal/model/anthropic"
	"windlass/functions/internal/model/bedrock"
	"windlass/functions/internal/model/chat"
	"windlass/functions/internal/model/openai"
	"windlass/functions/internal/model/scripted"
	"windlass/functions/internal/projection"
)

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
func (b builder) models() (map[string]model.Provider, error) {
	all := map[string]model.Provider{"scripted": scripted.Provider{}}
	for name, build := range map[string]func() (model.Provider, error){
		"openai":            b.openai,
		"openai-compatible": b.chat,
		"anthropic":         b.anthropic,
		"bedrock":           b.bedrock,
	} {
		p, err := build()
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

func (b builder) openai() (model.Provider, error) {
	const variable = "OPENAI_API_KEY"
	base := b.env("OPENAI_BASE_URL")
	if !b.has(variable) && base == "" {
		return nil, nil
	}
	return b.withKey(variable, func(key string) (model.Provider, error) {
		return openai.New(openai.Options{APIKey: key, BaseURL: base})
	})
}

func (b builder) chat() (model.Provider, error) {
	base := b.env("OPENAI_COMPATIBLE_BASE_URL")
	if base == "" {
		return nil, nil
	}
	return b.withKey("OPENAI_COMPATIBLE_API_KEY", func(key string) (model.Provider, error) {
		return chat.New(chat.Options{APIKey: key, BaseURL: base})
	})
}

func (b builder) anthropic() (model.Provider, error) {
	const variable = "ANTHROPIC_API_KEY"
	base := b.env("ANTHROPIC_BASE_URL")
	if !b.has(variable) && base == "" {
		return nil, nil
	}
	return b.withKey(variable, func(key string) (model.Provider, error) {
		return anthropic.New(anthropic.Options{APIKey: key, BaseURL: base})
	})
}

// bedrock takes its credentials from where AWS's own tools find them, and not from
// what reaches the stack: on a laptop those are of the stack in the same process.
func (b builder) bedrock() (model.Provider, error) {
	cfg, err := config.LoadDefaultConfig(context.Background())
	if err != nil {
		return nil, err
	}
	if r := b.env("BEDROCK_REGION"); r != "" {
		cfg.Region = r
	}
	if cfg.Region == "" {
		return nil, nil
	}
	return bedrock.New(cfg, bedrock.Options{BaseEndpoint: b.env("BEDROCK_BASE_URL")})
}
