package harness

import (
	"context"
	"errors"
	"fmt"

	"windlass/functions/internal/model"
	"windlass/functions/internal/model/keyed"
	"windlass/functions/internal/secret"
)

// elsewhereSuffix makes of a secret's variable the one that says where it is kept.
const elsewhereSuffix = "_SECRET"

// has reports whether a secret is set, here or there.
func (b builder) has(variable string) bool {
	return b.env(variable) != "" || b.env(variable+elsewhereSuffix) != ""
}

// kept is where the secret of a variable is kept, if that is not the variable itself.
func (b builder) kept(variable string) (*secret.Ref, error) {
	at := b.env(variable + elsewhereSuffix)
	if at == "" {
		return nil, nil
	}
	if b.env(variable) != "" {
		return nil, fmt.Errorf("%s and %s are both set; leave one of them empty", variable, variable+elsewhereSuffix)
	}
	ref, err := secret.Parse(at)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", variable+elsewhereSuffix, err)
	}
	return &ref, nil
}

// withKey builds a provider with its key: the variable's, which may be empty, or the one
// that is kept elsewhere.
func (b builder) withKey(variable string, build func(key string) (model.Provider, error)) (model.Provider, error) {
	ref, err := b.kept(variable)
	if err != nil {
		return nil, err
	}
	if ref == nil {
		return build(b.env(variable))
	}
	return keyed.New(keeper{b.secrets, *ref, variable + elsewhereSuffix}, build)
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

// collectorHeaders are where a collector's headers are kept, if not in their variable.
func (b builder) collectorHeaders() (func(context.Context) (string, error), error) {
	ref, err := b.kept("OTEL_EXPORTER_OTLP_HEADERS")
	if ref == nil || err != nil {
		return nil, err
	}
	return func(ctx context.Context) (string, error) { return b.secrets.Get(ctx, *ref) }, nil
}
