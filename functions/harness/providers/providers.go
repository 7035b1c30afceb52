// Package providers links a function with the model providers' SDKs.
package providers

import (
	"context"

	awsconfig "github.com/aws/aws-sdk-go-v2/config"

	"windlass/functions/internal/config"
	"windlass/functions/internal/model"
	"windlass/functions/internal/model/anthropic"
	"windlass/functions/internal/model/bedrock"
	"windlass/functions/internal/model/chat"
	"windlass/functions/internal/model/openai"
	"windlass/functions/internal/secret"
)

// All builds each provider from the environment; nil if that does not configure it. None
// is asked anything, and no key that is kept elsewhere is read.
var All = map[string]func(config.Env, *secret.Cache) (model.Provider, error){
	"openai":            built(settings.openai),
	"openai-compatible": built(settings.chat),
	"anthropic":         built(settings.anthropic),
	"bedrock":           built(settings.bedrock),
}

type settings struct {
	env     config.Env
	secrets *secret.Cache
}

func built(build func(settings) (model.Provider, error)) func(config.Env, *secret.Cache) (model.Provider, error) {
	return func(env config.Env, secrets *secret.Cache) (model.Provider, error) {
		return build(settings{env, secrets})
	}
}

func (s settings) openai() (model.Provider, error) {
	const variable = "OPENAI_API_KEY"
	base := s.env("OPENAI_BASE_URL")
	if !secret.Set(s.env, variable) && base == "" {
		return nil, nil
	}
	return s.withKey(variable, func(key string) (model.Provider, error) {
		return openai.New(openai.Options{APIKey: key, BaseURL: base})
	})
}

func (s settings) chat() (model.Provider, error) {
	base := s.env("OPENAI_COMPATIBLE_BASE_URL")
	if base == "" {
		return nil, nil
	}
	return s.withKey("OPENAI_COMPATIBLE_API_KEY", func(key string) (model.Provider, error) {
		return chat.New(chat.Options{APIKey: key, BaseURL: base})
	})
}

func (s settings) anthropic() (model.Provider, error) {
	const variable = "ANTHROPIC_API_KEY"
	base := s.env("ANTHROPIC_BASE_URL")
	if !secret.Set(s.env, variable) && base == "" {
		return nil, nil
	}
	return s.withKey(variable, func(key string) (model.Provider, error) {
		return anthropic.New(anthropic.Options{APIKey: key, BaseURL: base})
	})
}

// bedrock takes its credentials from where AWS's own tools find them, and not from
// what reaches the stack: on a laptop those are of the stack in the same process.
func (s settings) bedrock() (model.Provider, error) {
	cfg, err := awsconfig.LoadDefaultConfig(context.Background())
	if err != nil {
		return nil, err
	}
	if r := s.env("BEDROCK_REGION"); r != "" {
		cfg.Region = r
	}
	if cfg.Region == "" {
		return nil, nil
	}
	return bedrock.New(cfg, bedrock.Options{BaseEndpoint: s.env("BEDROCK_BASE_URL")})
}
