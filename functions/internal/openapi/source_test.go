package openapi_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
)

var update = flag.Bool("update", false, "write openapi.json from source/")

func TestServedDocumentIsItsSource(t *testing.T) {
	want, err := assemble("source")
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("openapi.json", want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile("openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), string(got)); d != "" {
		t.Errorf("openapi.json is not what source/ says; run this test with -update (-want +got):\n%s", d)
	}
}

// assemble merges the files in the order of their names and writes them as JSON,
// in the order in which they were written: it is what a reader of the document sees.
func assemble(dir string) ([]byte, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("%d files in %s, %v", len(files), dir, err)
	}
	whole := &yaml.Node{Kind: yaml.MappingNode}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		var part yaml.Node
		if err := yaml.Unmarshal(text, &part); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if err := merge(whole, part.Content[0], file+":"); err != nil {
			return nil, err
		}
	}
	var out, indented bytes.Buffer
	if err := write(&out, whole); err != nil {
		return nil, err
	}
	err = json.Indent(&indented, out.Bytes(), "", "  ")
	indented.WriteByte('\n')
	return indented.Bytes(), err
}

// merge adds what from has to into; what both have must be mappings.
func merge(into, from *yaml.Node, at string) error {
	for i := 0; i < len(from.Content); i += 2 {
		key, value := from.Content[i], from.Content[i+1]
		there := member(into, key.Value)
		switch {
		case there == nil:
			into.Content = append(into.Content, key, value)
		case there.Kind != yaml.MappingNode || value.Kind != yaml.MappingNode:
			return fmt.Errorf("%s %s is there twice", at, key.Value)
		default:
			if err := merge(there, value, at+" "+key.Value); err != nil {
				return err
			}
		}
	}
	return nil
}

func member(mapping *yaml.Node, name string) *yaml.Node {
	for i := 0; i < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == name {
			return mapping.Content[i+1]
		}
	}
	return nil
}

// write writes a node as JSON.
func write(out *bytes.Buffer, n *yaml.Node) error {
	switch n.Kind {
	case yaml.AliasNode:
		return write(out, n.Alias)
	case yaml.MappingNode:
		return list(out, "{}", len(n.Content)/2, func(i int) error {
			if err := scalar(out, n.Content[2*i].Value); err != nil {
				return err
			}
			out.WriteByte(':')
			return write(out, n.Content[2*i+1])
		})
	case yaml.SequenceNode:
		return list(out, "[]", len(n.Content), func(i int) error { return write(out, n.Content[i]) })
	}
	var v any
	if err := n.Decode(&v); err != nil {
		return err
	}
	return scalar(out, v)
}

func list(out *bytes.Buffer, brackets string, n int, each func(int) error) error {
	out.WriteByte(brackets[0])
	for i := range n {
		if i > 0 {
			out.WriteByte(',')
		}
		if err := each(i); err != nil {
			return err
		}
	}
	out.WriteByte(brackets[1])
	return nil
}

func scalar(out *bytes.Buffer, v any) error {
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
