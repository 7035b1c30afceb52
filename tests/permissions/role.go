package permissions

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A template is what matters here of template.yaml.
type template struct {
	Resources map[string]resource `yaml:"Resources"`
}

type resource struct {
	Type       string `yaml:"Type"`
	Properties struct {
		CodeURI  string    `yaml:"CodeUri"`
		Role     yaml.Node `yaml:"Role"`
		Roles    yaml.Node `yaml:"Roles"`
		Policies yaml.Node `yaml:"Policies"`
		Document document  `yaml:"PolicyDocument"`
	} `yaml:"Properties"`
}

type document struct {
	Statement []yaml.Node `yaml:"Statement"`
}

type statement struct {
	Effect    string                          `yaml:"Effect"`
	Action    yaml.Node                       `yaml:"Action"`
	Resource  yaml.Node                       `yaml:"Resource"`
	Condition map[string]map[string]yaml.Node `yaml:"Condition"`
}

// Allowed is what each function may do, every action, resource and kind of key on
// its own. A function whose role is not written out is an error: what SAM would
// add to it is not seen here.
func Allowed(text []byte) (all []Call, err error) {
	var t template
	if err := yaml.Unmarshal(text, &t); err != nil {
		return nil, err
	}
	for id, r := range t.Resources {
		if r.Type != "AWS::Serverless::Function" {
			continue
		}
		role, ok := strings.CutSuffix(r.Properties.Role.Value, ".Arn")
		if !ok || r.Properties.Role.Tag != "!GetAtt" || r.Properties.Policies.Kind != 0 {
			return nil, fmt.Errorf("%s: want Role: !GetAtt ROLE.Arn and no Policies", id)
		}
		found, err := t.of(role)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", role, err)
		}
		for _, c := range found {
			c.Function = path.Base(r.Properties.CodeURI)
			all = append(all, c)
		}
	}
	return all, nil
}

// of is what a role's own policies allow, and those that are attached to it.
func (t template) of(role string) (all []Call, err error) {
	var own []struct {
		Document document `yaml:"PolicyDocument"`
	}
	its := t.Resources[role]
	if its.Type != "AWS::IAM::Role" {
		return nil, errors.New("there is no such role")
	}
	if err := its.Properties.Policies.Decode(&own); err != nil {
		return nil, err
	}
	var statements []yaml.Node
	for _, p := range own {
		statements = append(statements, p.Document.Statement...)
	}
	for _, p := range t.Resources {
		if p.Type == "AWS::IAM::Policy" && len(p.Properties.Roles.Content) == 1 && p.Properties.Roles.Content[0].Value == role {
			statements = append(statements, p.Properties.Document.Statement...)
		}
	}
	for _, n := range statements {
		found, err := allows(n)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n.Line, err)
		}
		all = append(all, found...)
	}
	return all, nil
}

func allows(n yaml.Node) (all []Call, err error) {
	if n.Tag == "!If" && len(n.Content) == 3 { // as if it were
		n = *n.Content[1]
	}
	var s statement
	if err := n.Decode(&s); err != nil {
		return nil, err
	}
	if s.Effect != "Allow" {
		return nil, errors.New("only Allow is understood")
	}
	keys, err := s.keys()
	if err != nil {
		return nil, err
	}
	for _, action := range texts(s.Action) {
		for _, on := range texts(s.Resource) {
			for _, key := range keys {
				all = append(all, Call{Action: action, Resource: shortened(on), Key: key})
			}
		}
	}
	return all, nil
}

// keys are the kinds of partitions that a condition names, or the services by way of
// which a KMS key is used, or "" for any.
func (s statement) keys() ([]string, error) {
	if len(s.Condition) == 0 {
		return []string{""}, nil
	}
	if via, ok := s.Condition["StringLike"]["kms:ViaService"]; ok && len(s.Condition) == 1 && len(s.Condition["StringLike"]) == 1 {
		return texts(via), nil
	}
	leading := s.Condition["ForAllValues:StringLike"]
	if len(s.Condition) != 1 || len(leading) != 1 {
		return nil, errors.New("a condition other than on leading keys or on kms:ViaService is not understood")
	}
	var keys []string
	for _, pattern := range texts(leading["dynamodb:LeadingKeys"]) {
		kind, ours := strings.CutSuffix(pattern, "*")
		switch {
		case ours && strings.HasSuffix(kind, "#"):
			keys = append(keys, kind)
		case strings.HasPrefix(pattern, "*#"): // of each tenant's session
			keys = append(keys, pattern)
		default:
			return nil, fmt.Errorf("%q is neither KIND#* nor *#KIND", pattern)
		}
	}
	return keys, nil
}

// texts are a scalar, or the scalars of a list, which may be made by !Split, or the one
// that !Select takes of it.
func texts(n yaml.Node) (all []string) {
	if n.Kind == yaml.ScalarNode {
		return []string{n.Value}
	}
	if n.Tag == "!Select" && len(n.Content) == 2 && n.Content[1].Tag == "!Split" {
		n = *n.Content[1]
	}
	if n.Tag == "!Split" {
		return []string{n.Content[1].Value}
	}
	for _, item := range n.Content {
		all = append(all, item.Value)
	}
	return all
}

// forms are the ways in which the template writes resources, and their short ones.
var forms = []struct {
	written *regexp.Regexp
	short   string
}{
	{regexp.MustCompile(`^arn:.*:\$\{(\w+)\}(/\w+/\w+)/@connections/\*$`), "$1$2"},
	{regexp.MustCompile(`^arn:.*:execution:\$\{(\w+)\.Name\}:\*$`), "$1:execution"},
	{regexp.MustCompile(`^\$\{(\w+)\.Arn\}(/.*)$`), "$1$2"},
	{regexp.MustCompile(`^(\w+)\.Arn$`), "$1"},
	{regexp.MustCompile(`^\$\{(\w+)\}\*$`), "$1*"},
}

func shortened(resource string) string {
	for _, f := range forms {
		if f.written.MatchString(resource) {
			return f.written.ReplaceAllString(resource, f.short)
		}
	}
	return resource
}
