// Package template holds what must be true of template.yaml beyond its form, which
// cfn-lint and sam check.
package template

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

type resource struct {
	Type           string    `yaml:"Type"`
	DeletionPolicy string    `yaml:"DeletionPolicy"`
	Replace        string    `yaml:"UpdateReplacePolicy"`
	Properties     yaml.Node `yaml:"Properties"`
}

func resources(t *testing.T) map[string]resource {
	t.Helper()
	text, err := os.ReadFile("../../template.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var template struct {
		Resources map[string]resource `yaml:"Resources"`
	}
	if err := yaml.Unmarshal(text, &template); err != nil {
		t.Fatal(err)
	}
	return template.Resources
}

func of(all map[string]resource, kind string) (ids []string) {
	for id, r := range all {
		if r.Type == kind {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// at is the node at a path of keys, or an empty one.
func at(n yaml.Node, path ...string) yaml.Node {
	for _, key := range path {
		var found *yaml.Node
		for i := 0; i+1 < len(n.Content); i += 2 {
			if n.Content[i].Value == key {
				found = n.Content[i+1]
			}
		}
		if found == nil {
			return yaml.Node{}
		}
		n = *found
	}
	return n
}

var variable = regexp.MustCompile(`\$context\.[A-Za-z.]+`)

// A path may hold a callback's token, a query a socket's ticket, and an authorizer's or
// a header's context a key.
func TestAccessLogsHoldNoPathAndNoQuery(t *testing.T) {
	may := []string{
		"requestTime", "requestId", "httpMethod", "routeKey", "protocol", "status", "responseLength", "responseLatency",
		"integrationLatency", "integrationStatus", "error.responseType", "connectionId", "eventType",
	}
	all := resources(t)
	stages := of(all, "AWS::ApiGatewayV2::Stage")
	if len(stages) != 2 {
		t.Errorf("stages: %v, want one of each API", stages)
	}
	for _, id := range stages {
		format := at(all[id].Properties, "AccessLogSettings", "Format").Value
		if format == "" || at(all[id].Properties, "DefaultRouteSettings", "ThrottlingRateLimit").Value == "" {
			t.Errorf("%s has no access log, or no throttling", id)
		}
		for _, v := range variable.FindAllString(format, -1) {
			if !slices.Contains(may, strings.TrimPrefix(v, "$context.")) {
				t.Errorf("%s logs %s", id, v)
			}
		}
	}
}

func TestEveryLogEnds(t *testing.T) {
	all := resources(t)
	for _, id := range of(all, "AWS::Logs::LogGroup") {
		if at(all[id].Properties, "RetentionInDays").Value != "LogRetentionDays" {
			t.Errorf("%s is kept for ever", id)
		}
	}
	for _, id := range of(all, "AWS::Serverless::Function") {
		group := at(all[id].Properties, "LoggingConfig", "LogGroup").Value
		if all[group].Type != "AWS::Logs::LogGroup" {
			t.Errorf("%s writes to %q, which is no log group of this template", id, group)
		}
	}
}

func TestWhatHoldsDataStays(t *testing.T) {
	all := resources(t)
	kept := slices.Concat(of(all, "AWS::DynamoDB::Table"), of(all, "AWS::S3::Bucket"), of(all, "AWS::S3::BucketPolicy"))
	if len(kept) != 4 {
		t.Errorf("%v, want two tables, a bucket and its policy", kept)
	}
	for _, id := range kept {
		if all[id].DeletionPolicy != "Retain" || all[id].Replace != "Retain" {
			t.Errorf("%s goes with the stack", id)
		}
	}
	for _, id := range of(all, "AWS::DynamoDB::Table") {
		if at(all[id].Properties, "DeletionProtectionEnabled").Value != "true" {
			t.Errorf("%s can be deleted by one call", id)
		}
	}
}

func TestTheStateMachineLogsNoData(t *testing.T) {
	p := resources(t)["TurnStateMachine"].Properties
	if at(p, "Logging", "IncludeExecutionData").Value != "false" || at(p, "Tracing", "Enabled").Value != "true" {
		t.Error("a parked state's input holds its token: IncludeExecutionData must be false, and tracing on")
	}
}

var runbook = regexp.MustCompile(`Runbook infra/runbooks/([a-z-]+\.md)$`)

func TestEachAlarmHasARunbookAndEachRunbookAnAlarm(t *testing.T) {
	all := resources(t)
	named := []string{"README.md"}
	for _, id := range of(all, "AWS::CloudWatch::Alarm") {
		p := all[id].Properties
		found := runbook.FindStringSubmatch(at(p, "AlarmDescription").Value)
		if found == nil {
			t.Errorf("%s names no runbook", id)
			continue
		}
		named = append(named, found[1])
		if at(p, "AlarmActions").Kind == 0 || at(p, "TreatMissingData").Value == "" {
			t.Errorf("%s wakes nobody, or leaves open what missing data mean", id)
		}
	}
	files, err := filepath.Glob("../../infra/runbooks/*.md")
	if err != nil {
		t.Fatal(err)
	}
	var there []string
	for _, f := range files {
		there = append(there, filepath.Base(f))
	}
	slices.Sort(named)
	if !slices.Equal(named, there) {
		t.Errorf("alarms name %v, and there are %v", named, there)
	}
}

func TestEachFailureQueueHasAnAlarm(t *testing.T) {
	all := resources(t)
	var watched []string
	for _, id := range of(all, "AWS::CloudWatch::Alarm") {
		if d := at(all[id].Properties, "Dimensions"); len(d.Content) == 1 && at(*d.Content[0], "Name").Value == "QueueName" {
			queue, _, _ := strings.Cut(at(*d.Content[0], "Value").Value, ".")
			watched = append(watched, queue)
		}
	}
	slices.Sort(watched)
	if queues := of(all, "AWS::SQS::Queue"); !slices.Equal(watched, queues) {
		t.Errorf("watched are %v of %v", watched, queues)
	}
}
