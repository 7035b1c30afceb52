package architecture

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// heavy packages cost a function's start and its zip; whoever does not need one must not
// be linked with it, however many imports are between.
var heavy = map[string][]string{
	"github.com/openai/openai-go/v3/responses":            {"drive"},
	"github.com/openai/openai-go/v3":                      nil, // every service that OpenAI has: 12 MB
	"github.com/anthropics/anthropic-sdk-go":              {"drive"},
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime": {"drive"},
	"github.com/modelcontextprotocol/go-sdk/mcp":          {"drive"},
	"github.com/aws/aws-sdk-go-v2/service/lambda":         {"drive"},
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager": {"drive", "dispatch"},
	"github.com/aws/aws-sdk-go-v2/service/ssm":            {"drive", "dispatch"},
}

func TestFunctionsAreLinkedWithWhatTheyNeed(t *testing.T) {
	for _, function := range []string{"api", "socket", "drive", "dispatch", "publish", "recover"} {
		list := exec.CommandContext(t.Context(), "go", "list", "-deps", "./functions/"+function)
		list.Dir = "../.."
		out, err := list.Output()
		if err != nil {
			t.Fatalf("%s: %v", function, err)
		}
		deps := strings.Fields(string(out))
		for path, by := range heavy {
			if has, may := slices.Contains(deps, path), slices.Contains(by, function); has != may {
				t.Errorf("%s is linked with %s: %t, want %t", function, path, has, may)
			}
		}
	}
}
