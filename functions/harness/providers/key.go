package providers

import (
	"context"
	"errors"
	"fmt"

	"windlass/functions/internal/model"
	"windlass/functions/internal/model/keyed"
	"windlass/functions/internal/secret"
)

// withKey builds a provider with its key: the variable's, which may be empty, or the one
// that is kept elsewhere.
func (s settings) withKey(variable string, build func(key string) (model.Provider, error)) (model.Provider, error) {
	ref, err := secret.Elsewhere(s.env, variable)
	if err != nil {
		return nil, err
	}
	if ref == nil {
		return build(s.env(variable))
	}
	return keyed.New(keeper{s.secrets, *ref, variable + secret.Suffix}, build)
}

// keeper keeps a provider's key in AWS.
type keeper struct {
	secrets  *secret.Cache
	ref      secret.Ref
	variable string
}

func (k keeper) Rejected(key string) { k.secrets.Rejected(k.ref, key) }

// Get: whoever may ask a model may see why it is not asked, but not an account's ARNs;
// those are in the log.
func (k keeper) Get(ctx context.Context) (string, error) {
	key, err := k.secrets.Get(ctx, k.ref)
	var failed *secret.Error
	if !errors.As(err, &failed) {
		return key, err
	}
	code, later := model.Denied, failed.Code == secret.Unavailable
	if later {
		code = model.Unavailable
	}
	return "", &model.Fault{Code: code, Permanent: !later,
		Message: fmt.Sprintf("the model provider's key cannot be read (%s); a person has to see to %s, and the function's log says how", failed.Code, k.variable)}
}
