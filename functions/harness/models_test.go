package harness

import (
	"maps"
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"

	"windlass/functions/harness/providers"
	"windlass/functions/internal/secret"
)

// An agent may name whatever is known, in every function; drive must have it then.
func TestEveryKnownProviderIsOneOfDrives(t *testing.T) {
	all, err := built(t, &vault{}, nil).models(providers.All)
	if err != nil {
		t.Fatal(err)
	}
	known, has := slices.Sorted(maps.Keys(configures)), slices.Sorted(maps.Keys(all))
	if !slices.Equal(known, has) {
		t.Errorf("agents may name %v, drive has %v", known, has)
	}
}

func TestAFunctionThatReadsNoSecretsSaysSo(t *testing.T) {
	b := builder{env: func(n string) string { return map[string]string{toolSecrets: toolPrefix}[n] }, secrets: secret.New(noSecrets(aws.Config{}))}
	if got, err := b.secret(t.Context(), "SHOP"); got != "" || secret.CodeOf(err) != secret.Refused {
		t.Errorf("%q, %v; want it refused", got, err)
	}
}
