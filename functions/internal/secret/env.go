package secret

import "fmt"

// Suffix makes of a secret's variable the one that says where it is kept.
const Suffix = "_SECRET"

// Set reports whether a secret is set, in its variable or elsewhere.
func Set(env func(string) string, variable string) bool {
	return env(variable) != "" || env(variable+Suffix) != ""
}

// Elsewhere is where the secret of a variable is kept; nil if that is the variable
// itself, or nowhere.
func Elsewhere(env func(string) string, variable string) (*Ref, error) {
	at := env(variable + Suffix)
	if at == "" {
		return nil, nil
	}
	if env(variable) != "" {
		return nil, fmt.Errorf("%s and %s are both set; leave one of them empty", variable, variable+Suffix)
	}
	ref, err := Parse(at)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", variable+Suffix, err)
	}
	return &ref, nil
}
