// Package agents holds the definitions of the agents that are deployed, one
// YAML file each. They are read by functions/internal/agent.
package agents

import "embed"

// Files are the definitions.
//
//go:embed *.yaml
var Files embed.FS
