package main

import (
	"path/filepath"
	"slices"
	"strings"
)

// A deployment gives its functions some variables that the template does not declare, or
// cannot, because it does not know their names. Those of this process are theirs too.
var (
	given = []string{agentsVariable, "AWS_ENDPOINT_URL_LAMBDA",
		// The template declares where these are kept; here they are themselves.
		"OPENAI_API_KEY", "OPENAI_COMPATIBLE_API_KEY", "ANTHROPIC_API_KEY", "OTEL_EXPORTER_OTLP_HEADERS"}
	// secrets are named by the agents' definitions.
	secrets = "WINDLASS_SECRET_"
)

func isGiven(name string) bool {
	return slices.Contains(given, name) || strings.HasPrefix(name, secrets) && name != secrets
}

// deployment returns those of an environment. A path is absolute: functions that are
// processes of their own work in folders of their own.
func deployment(environ []string) (map[string]string, error) {
	all := map[string]string{}
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		if value != "" && isGiven(name) {
			all[name] = value
		}
	}
	folder := all[agentsVariable]
	if folder == "" {
		return all, nil
	}
	absolute, err := filepath.Abs(folder)
	all[agentsVariable] = absolute
	return all, err
}
