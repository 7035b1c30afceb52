package template

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// named finds what a text of !Sub refers to.
var named = regexp.MustCompile(`\$\{([A-Za-z0-9:.]+)\}`)

// secretive are names of variables that sound as if they held a secret.
var secretive = regexp.MustCompile(`(?i)key|token|secret|password|headers|credential`)

// place is how the parameter of a secret is bound to be where it is kept.
var place = regexp.MustCompile(`^\(arn:aws\[a-z-\]\*:\(secretsmanager:`)

// inClear says which variables of functions hold a secret, or could: whoever may read a
// function's configuration reads them.
func inClear(t *testing.T, text string) (found []string) {
	t.Helper()
	var whole struct {
		Parameters map[string]struct {
			NoEcho  string `yaml:"NoEcho"`
			Pattern string `yaml:"AllowedPattern"`
		} `yaml:"Parameters"`
		Globals   map[string]yaml.Node `yaml:"Globals"`
		Resources map[string]resource  `yaml:"Resources"`
	}
	if err := yaml.Unmarshal([]byte(text), &whole); err != nil {
		t.Fatal(err)
	}
	variables := []yaml.Node{at(whole.Globals["Function"], "Environment", "Variables")}
	for _, id := range of(whole.Resources, "AWS::Serverless::Function") {
		variables = append(variables, at(whole.Resources[id].Properties, "Environment", "Variables"))
	}
	for _, v := range variables {
		for i := 0; i+1 < len(v.Content); i += 2 {
			name, refers := v.Content[i].Value, references(v.Content[i+1])
			switch {
			case slices.ContainsFunc(refers, func(p string) bool { return whole.Parameters[p].NoEcho != "" }):
				found = append(found, name+" is a parameter that is not to be seen")
			case slices.ContainsFunc(texts(v.Content[i+1]), func(s string) bool { return strings.Contains(s, "{{resolve:") }):
				found = append(found, name+" is resolved to its value")
			case secretive.MatchString(name) && (len(refers) != 1 || !place.MatchString(whole.Parameters[refers[0]].Pattern)):
				found = append(found, name+" is no place where a secret is kept")
			}
		}
	}
	slices.Sort(found)
	return found
}

// texts are the scalars of a value, whatever stands round them.
func texts(n *yaml.Node) (all []string) {
	if n.Kind == yaml.ScalarNode {
		return []string{n.Value}
	}
	for _, c := range n.Content {
		all = append(all, texts(c)...)
	}
	return all
}

// references are the names that a value refers to.
func references(n *yaml.Node) (all []string) {
	switch {
	case n.Tag == "!Ref":
		all = append(all, n.Value)
	case n.Kind == yaml.ScalarNode:
		for _, m := range named.FindAllStringSubmatch(n.Value, -1) {
			all = append(all, m[1])
		}
	}
	for _, c := range n.Content {
		all = append(all, references(c)...)
	}
	return all
}

func TestNoFunctionsEnvironmentHoldsASecret(t *testing.T) {
	b, err := os.ReadFile("../../template.yaml")
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	for _, f := range inClear(t, text) {
		t.Error(f)
	}
	if strings.Contains(text, "NoEcho") {
		t.Error("a secret is a parameter of the stack; take the ARN of where it is kept instead, as OpenAIApiKeySecret")
	}
	const (
		parameters = "\nParameters:\n"
		variable   = "          ROUNDS_PER_TASK: !Ref RoundsPerTask\n"
		global     = "        WINDLASS_LOG_LEVEL: !Ref LogLevel\n"
		hidden     = parameters + "  Hidden: {Type: String, NoEcho: true, Default: \"\"}\n  Shown: {Type: String, Default: \"\"}\n"
	)
	for name, c := range map[string]struct{ was, is, found string }{
		"a hidden parameter":            {variable, "          A: !Ref Hidden\n", "A is a parameter"},
		"in a text":                     {variable, "          A: !Sub \"x=${Hidden}\"\n", "A is a parameter"},
		"in a choice":                   {variable, "          A: !If [HasAgents, !Ref Hidden, \"\"]\n", "A is a parameter"},
		"of all functions":              {global, "        A: !Ref Hidden\n", "A is a parameter"},
		"resolved by CloudFormation":    {variable, "          A: \"{{resolve:secretsmanager:a}}\"\n", "A is resolved"},
		"a key by a shown parameter":    {variable, "          COHERE_API_KEY: !Ref Shown\n", "COHERE_API_KEY is no place"},
		"a key that is written out":     {variable, "          COHERE_API_KEY: abc\n", "COHERE_API_KEY is no place"},
		"a key in the place of its ARN": {"OPENAI_API_KEY_SECRET: !Ref OpenAIApiKeySecret", "OPENAI_API_KEY_SECRET: !Ref Shown", "OPENAI_API_KEY_SECRET is no place"},
	} {
		mistaken := strings.Replace(strings.Replace(text, parameters, hidden, 1), c.was, c.is, 1)
		if found := inClear(t, mistaken); !strings.Contains(text, c.was) || len(found) != 1 || !strings.HasPrefix(found[0], c.found) {
			t.Errorf("%s: found %v, want %q", name, found, c.found)
		}
	}
}
