package tool

import (
	"context"
	_ "embed"
	"strings"
	"time"
)

//go:embed read_output.md
var readOutputText string

type outputArgs struct {
	SHA256   string `json:"sha256" jsonschema:"the SHA-256 of the output, as the part that you were shown names it"`
	Offset   int64  `json:"offset,omitempty" jsonschema:"the byte to begin at, from 0"`
	MaxBytes int64  `json:"max_bytes,omitempty" jsonschema:"how many bytes to read at most: 262144 if absent, never more than 8388608"`
}

// ReadOutput is the name of the tool that needs [Env.Outputs].
const ReadOutput = "read_output"

var readOutput = Define(Tool{
	Name: ReadOutput, Description: readOutputText, Effect: Read, Timeout: 30 * time.Second,
}, func(outputArgs) string { return "" }, output)

// output reads what a call of this very session gave: the hash is looked up among
// those, so that no other value can be named by it.
func output(ctx context.Context, env Env, a outputArgs) (Result, error) {
	hash := strings.ToLower(a.SHA256)
	if env.Outputs != nil {
		if v, ok := env.Outputs(hash); ok {
			return readValue(ctx, env, readResult{SHA256: hash}, v, a.Offset, a.MaxBytes)
		}
	}
	return Result{}, failf("not_found", "no output that you are shown has the SHA-256 %.80q", a.SHA256)
}
