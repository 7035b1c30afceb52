package harness

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/config"

	"windlass/functions/internal/model"
	"windlass/functions/internal/model/anthropic"
	"windlass/functions/internal/model/bedrock"
	"windlass/functions/internal/model/chat"
	"windlass/functions/internal/model/openai"
	"windlass/functions/internal/model/scripted"
)

// models are the providers that are configured, by the name that agents know them by.
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
			return nil, err
		}
		if p != nil {
			all[name] = p
		}
	}
	return all, nil
}

func (b builder) openai() (model.Provider, error) {
	key, base := b.env("OPENAI_API_KEY"), b.env("OPENAI_BASE_URL")
	if key == "" && base == "" {
		return nil, nil
	}
	return openai.New(openai.Options{APIKey: key, BaseURL: base})
}

func (b builder) chat() (model.Provider, error) {
	base := b.env("OPENAI_COMPATIBLE_BASE_URL")
	if base == "" {
		return nil, nil
	}
	return chat.New(chat.Options{APIKey: b.env("OPENAI_COMPATIBLE_API_KEY"), BaseURL: base})
}

func (b builder) anthropic() (model.Provider, error) {
	key, base := b.env("ANTHROPIC_API_KEY"), b.env("ANTHROPIC_BASE_URL")
	if key == "" && base == "" {
		return nil, nil
	}
	return anthropic.New(anthropic.Options{APIKey: key, BaseURL: base})
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
