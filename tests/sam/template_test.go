package sam

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// idle is a state machine that starts and does nothing.
const idle = `{"StartAt": "Wait", "States": {"Wait": {"Type": "Wait", "Seconds": 86400, "Next": "Done"}, "Done": {"Type": "Succeed"}}}`

// stilled writes two copies of the template into folders of their own: one for the
// embedded stack, in which nothing happens by itself, and one for sam, in which
// functions may be told where AWS is (sam passes on only what a template declares).
func stilled(t *testing.T) (services, packages string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root(), "template.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	resources := member(doc.Content[0], "Resources")
	for i := 1; i < len(resources.Content); i += 2 {
		properties := member(resources.Content[i], "Properties")
		if properties == nil {
			continue
		}
		remove(properties, "Events")
		if uri := member(properties, "DefinitionUri"); uri != nil {
			uri.Value = "idle.json"
			remove(properties, "DefinitionSubstitutions")
		}
	}
	var b bytes.Buffer
	if err := yaml.NewEncoder(&b).Encode(&doc); err != nil {
		t.Fatal(err)
	}
	services, packages = t.TempDir(), t.TempDir()
	told := strings.Replace(string(text), "        WINDLASS_BUCKET: !Ref BlobBucket\n", "        WINDLASS_BUCKET: !Ref BlobBucket\n        AWS_ENDPOINT_URL: \"\"\n", 1)
	if told == string(text) {
		t.Fatal("the template's globals are not where they were")
	}
	for path, content := range map[string]string{
		filepath.Join(services, "template.yaml"): b.String(), filepath.Join(services, "idle.json"): idle,
		filepath.Join(packages, "template.yaml"): told,
	} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(root(), "infra"), filepath.Join(packages, "infra")); err != nil {
		t.Fatal(err)
	}
	return services, packages
}

func member(n *yaml.Node, name string) *yaml.Node {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return n.Content[i+1]
		}
	}
	return nil
}

func remove(n *yaml.Node, name string) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			n.Content = append(n.Content[:i], n.Content[i+2:]...)
			return
		}
	}
}
