package harness_test

import (
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"go.yaml.in/yaml/v3"

	"windlass/functions/harness/all"
)

// function is what the template says of one, as far as it matters here.
type function struct {
	CodeURI     string `yaml:"CodeUri"`
	Environment struct {
		Variables map[string]yaml.Node `yaml:"Variables"`
	} `yaml:"Environment"`
}

// variables are the names of what the template sets for each function.
func variables(t *testing.T) map[string][]string {
	t.Helper()
	b, err := os.ReadFile("../../template.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var template struct {
		Globals struct {
			Function function `yaml:"Function"`
		} `yaml:"Globals"`
		Resources map[string]struct {
			Type       string    `yaml:"Type"`
			Properties yaml.Node `yaml:"Properties"`
		} `yaml:"Resources"`
	}
	if err := yaml.Unmarshal(b, &template); err != nil {
		t.Fatal(err)
	}
	all := map[string][]string{}
	for id, r := range template.Resources {
		if r.Type != "AWS::Serverless::Function" {
			continue
		}
		var f function
		if err := r.Properties.Decode(&f); err != nil {
			t.Fatalf("%s: %v", id, err)
		}
		names := slices.Collect(maps.Keys(template.Globals.Function.Environment.Variables))
		all[path.Base(f.CodeURI)] = slices.AppendSeq(names, maps.Keys(f.Environment.Variables))
	}
	return all
}

const (
	secretARN    = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:windlass-AbCdEf"
	parameterARN = "arn:aws:ssm:eu-central-1:123456789012:parameter/windlass/key"
	toolPrefix   = "arn:aws:ssm:eu-central-1:123456789012:parameter/windlass/tools/"
)

// env sets the variables, each to something that it could be.
func env(names []string) map[string]string {
	values := map[string]string{}
	for _, n := range names {
		values[n] = "value-of-" + n
	}
	for name, valid := range map[string]string{"ROUNDS_PER_TASK": "0", "WINDLASS_RETENTION_DAYS": "30", "OPENAI_BASE_URL": "http://127.0.0.1:1/v1", "OPENAI_COMPATIBLE_BASE_URL": "http://127.0.0.1:1/v1", "ANTHROPIC_BASE_URL": "http://127.0.0.1:1",
		"BEDROCK_REGION": "eu-central-1", "BEDROCK_BASE_URL": "http://127.0.0.1:1", "WINDLASS_MODEL": "anthropic/claude,openai/gpt", "WINDLASS_SOCKET_URL": "wss://sockets.example/live", "WINDLASS_SOCKET_LIFE": "110m", "WINDLASS_AGENTS": "../../infra/agents",
		"WINDLASS_OIDC_ISSUER": "https://id.example", "OTEL_EXPORTER_OTLP_ENDPOINT": "https://otel.example", "OTEL_EXPORTER_OTLP_HEADERS_SECRET": secretARN,
		"OPENAI_API_KEY_SECRET": secretARN, "OPENAI_COMPATIBLE_API_KEY_SECRET": secretARN + "#key", "ANTHROPIC_API_KEY_SECRET": parameterARN, "WINDLASS_TOOL_SECRETS": toolPrefix} {
		if _, ok := values[name]; ok {
			values[name] = valid
		}
	}
	return values
}

func build(name string, env map[string]string) error {
	_, err := all.Function(name, func(n string) string { return env[n] }, aws.Config{Region: "eu-central-1"})
	return err
}

func TestTheTemplateAndTheHarnessHaveTheSameFunctions(t *testing.T) {
	fromTemplate := slices.Sorted(maps.Keys(variables(t)))
	if names := slices.Sorted(slices.Values(all.Names())); !slices.Equal(names, fromTemplate) {
		t.Errorf("the harness has %v, the template %v", names, fromTemplate)
	}
	for _, name := range all.Names() {
		if _, err := os.Stat("../" + name + "/main.go"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := build("publisher", nil); err == nil || !strings.Contains(err.Error(), "publisher") {
		t.Errorf("a function that is not there: %v", err)
	}
}

func TestEachFunctionIsBuiltFromWhatTheTemplateSetsForIt(t *testing.T) {
	for name, names := range variables(t) {
		if err := build(name, env(names)); err != nil {
			t.Errorf("%s, with %v: %v", name, names, err)
		}
	}
}

func TestAMissingVariableIsNamedAtStart(t *testing.T) {
	const log, live, bucket, machine, socket = "WINDLASS_LOG_TABLE", "WINDLASS_LIVE_TABLE", "WINDLASS_BUCKET", "WINDLASS_STATE_MACHINE_ARN", "WINDLASS_SOCKET_URL"
	for name, required := range map[string][]string{"api": {log, live, bucket, machine, socket}, "socket": {log, live, bucket, machine, socket}, "publish": {log, live, bucket, socket}, "drive": {log, live, bucket, socket}, "dispatch": {log, live, bucket, machine}, "recover": {log, live, bucket, machine}} {
		for _, missing := range required {
			set := env(variables(t)[name])
			delete(set, missing)
			if err := build(name, set); err == nil || !strings.Contains(err.Error(), missing) || !strings.Contains(err.Error(), name) {
				t.Errorf("%s without %s: %v; want an error that names both", name, missing, err)
			}
		}
		if err := build(name, env(required)); err != nil {
			t.Errorf("%s needs more than %v: %v", name, required, err)
		}
	}
}

func TestAModelThatIsNoneIsNamedAtStart(t *testing.T) {
	for value, ok := range map[string]bool{"": true, "openai/gpt": true, "openai-compatible/org/model:7b": true, "openai/a, anthropic/b": true, "ollama/qwen3": false, "gpt": false, "openai/": false, "/gpt": false, "a/b,": false} {
		set := env(variables(t)["api"])
		set["WINDLASS_MODEL"] = value
		if err := build("api", set); ok != (err == nil) || err != nil && !strings.Contains(err.Error(), "WINDLASS_MODEL") {
			t.Errorf("WINDLASS_MODEL=%q: %v, want fine: %t", value, err, ok)
		}
	}
}

func TestAnIssuerThatCannotBeTrustedIsNamedAtStart(t *testing.T) {
	for _, c := range []struct {
		issuer, audience string
		ok               bool
	}{
		{"", "", true}, {"https://id.example", "windlass", true}, {"https://id.example/realms/a/", "windlass", true},
		{"http://127.0.0.1:9000", "windlass", true}, {"http://localhost:9000/x", "windlass", true}, {"http://[::1]:9000", "windlass", true},
		{"https://id.example", "", false}, {"", "windlass", false}, {"http://id.example", "windlass", false}, {"http://127.0.0.1.example", "windlass", false},
		{"https://", "windlass", false}, {"id.example", "windlass", false}, {"https://user:secret@id.example", "windlass", false},
		{"https://id.example?x", "windlass", false}, {"https://id.example#", "windlass", false}, {"https://id.example/" + strings.Repeat("x", 255), "windlass", false},
	} {
		for _, name := range []string{"api", "socket", "publish", "drive"} {
			set := env(variables(t)[name])
			set["WINDLASS_OIDC_ISSUER"], set["WINDLASS_OIDC_AUDIENCE"] = c.issuer, c.audience
			err := build(name, set)
			if c.ok != (err == nil) || err != nil && (!strings.Contains(err.Error(), "WINDLASS_OIDC_ISSUER") || strings.Contains(err.Error(), "secret")) {
				t.Errorf("%s, issuer %q, audience %q: %v, want fine: %t", name, c.issuer, c.audience, err, c.ok)
			}
		}
	}
}

func TestAMalformedVariableIsNamedAtStart(t *testing.T) {
	for value, ok := range map[string]bool{"": true, "0": true, "1": true, "128": true, "-1": false, "many": false, "1.5": false} {
		set := env(variables(t)["drive"])
		set["ROUNDS_PER_TASK"] = value
		if err := build("drive", set); ok != (err == nil) || err != nil && !strings.Contains(err.Error(), "ROUNDS_PER_TASK") {
			t.Errorf("ROUNDS_PER_TASK=%q: %v, want fine: %t", value, err, ok)
		}
	}
}

// Where a secret is kept is checked at the start; that it is there is not, because most
// starts never need it.
func TestAPlaceOfSecretsThatIsNoneIsNamedAtStart(t *testing.T) {
	const key = "sk-live-0123456789"
	for name, places := range map[string][]string{
		"drive":    {"OPENAI_API_KEY_SECRET", "OPENAI_COMPATIBLE_API_KEY_SECRET", "ANTHROPIC_API_KEY_SECRET", "WINDLASS_TOOL_SECRETS"},
		"dispatch": {"OTEL_EXPORTER_OTLP_HEADERS_SECRET"},
	} {
		for _, v := range places {
			if !slices.Contains(variables(t)[name], v) {
				t.Errorf("the template does not set %s for %s", v, name)
			}
			set := env(variables(t)[name])
			set[v] = key
			if err := build(name, set); err == nil || !strings.Contains(err.Error(), v) || strings.Contains(err.Error(), key) {
				t.Errorf("%s: %v; want an error that names it and not its value", v, err)
			}
		}
	}
}
