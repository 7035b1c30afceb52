package permissions

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// excuses are leave that is needed and that no run of the suites makes use of.
var excuses = []Excuse{
	{Actions: []string{"logs:CreateLogStream", "logs:PutLogEvents"}, Why: "Lambda writes a function's output; the embedded stack has no log service"},
	{Actions: []string{"xray:PutTraceSegments", "xray:PutTelemetryRecords"}, Why: "Lambda's traces; X-Ray knows no resources"},
	{Functions: []string{"dispatch", "publish"}, Resource: "LogTable/stream/*",
		Actions: []string{"dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator", "dynamodb:ListStreams"},
		Why:     "Lambda reads the stream with the function's role; the embedded stack delivers by itself"},
	{Functions: []string{"dispatch", "publish", "recover"}, Actions: []string{"sqs:SendMessage"}, Why: "Lambda sends what was given up, with the function's role"},
	{Functions: []string{"drive"}, Actions: []string{"bedrock:InvokeModelWithResponseStream"}, Why: "a model of Bedrock's is asked of AWS, or of a server at BEDROCK_BASE_URL"},
	{Functions: []string{"drive"}, Actions: []string{"lambda:InvokeFunction"}, Why: "the embedded stack has no Lambda API; only with ToolFunctions"},
	{Functions: []string{"drive", "dispatch"}, Actions: []string{"secretsmanager:GetSecretValue", "ssm:GetParameter"},
		Why: "the embedded stack keeps no secrets, and takes them from variables; harness/keys_test.go reads them from a server"},
	{Functions: []string{"drive", "dispatch"}, Resource: "SecretsKey", Actions: []string{"kms:Decrypt"}, Why: "the service that keeps a secret decrypts it, with the function's leave"},

	{Functions: []string{"drive", "dispatch", "socket"}, Actions: []string{"s3:ListBucket"},
		Why: "so that an object that was lost is told from one that may not be read; no suite loses one"},
	{Functions: []string{"api", "socket", "dispatch"}, Actions: []string{"states:DescribeExecution"},
		Why: "a start that finds the execution's name taken; only some runs have one, and recover's are recorded"},
	{Functions: []string{"recover"}, Resource: "LiveTable", Key: "tokens#", Actions: []string{"dynamodb:DeleteItem"},
		Why: "a token whose answer was lost twice; execution/recover_test.go"},
	{Functions: []string{"recover"}, Resource: "TurnStateMachine", Actions: []string{"states:SendTaskSuccess"}, Why: "the same"},
	{Functions: []string{"drive"}, Actions: []string{"states:SendTaskSuccess"},
		Why: "a turn that parks just when its question is answered; only some runs have one"},
	{Functions: []string{"dispatch"}, Resource: "LogTable", Key: "#unsettled#", Actions: []string{"dynamodb:DeleteItem"},
		Why: "a child of a parent that ended, with nobody at work on it; only some runs have one"},
	{Functions: []string{"recover"}, Resource: "LogTable", Key: "#expiring#", Actions: []string{"dynamodb:DeleteItem"},
		Why: "a session whose time is over, an hour at least; internal/sweep/expire_test.go"},
	{Functions: []string{"drive", "dispatch"}, Resource: "LogTable", Key: "#expiring#", Actions: []string{"dynamodb:DeleteItem"},
		Why: "a prompt for, or a cancelled child in, another session that has a retention and where all has settled"},
	{Functions: []string{"dispatch"}, Resource: "LiveTable", Key: "tenant#", Actions: []string{"dynamodb:GetItem"},
		Why: "a child that is cancelled before it is there; internal/delegation/delegation_test.go"},
	{Functions: []string{"recover", "dispatch"}, Resource: "BlobBucket/*", Actions: []string{"s3:GetObject", "s3:PutObject"},
		Why: "a checkpoint of a long session, or a commit of over 32 KB such as the results of a cancelled round of many calls"},
}

func source(t *testing.T) []byte {
	t.Helper()
	text, err := os.ReadFile("../../template.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func allowed(t *testing.T, text string) []Call {
	t.Helper()
	all, err := Allowed([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// made is what runs recorded: the one that is kept here, and, if WINDLASS_TEST_CALLS
// names it, another one. What depends on chance needs to be in one of the two.
func made(t *testing.T) (all []Call) {
	t.Helper()
	paths := []string{"testdata/calls.jsonl"}
	if newer := os.Getenv("WINDLASS_TEST_CALLS"); newer != "" {
		paths = append(paths, newer)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		calls, err := Read(text)
		if err != nil || len(calls) == 0 {
			t.Fatalf("%s: %d calls, %v; make permissions records them", path, len(calls), err)
		}
		all = append(all, calls...)
	}
	return slices.Compact(sorted(all)) // each stack writes a call once
}

func TestEachFunctionMayDoWhatItDoesAndNothingElse(t *testing.T) {
	may, did := allowed(t, string(source(t))), made(t)
	for _, c := range Missing(may, did) {
		t.Errorf("not allowed: %s", c)
	}
	for _, c := range Unused(may, did, excuses) {
		t.Errorf("allowed, and never done: %s; take it out of the role, or write down why no run does it", c)
	}
}

func TestEveryExcuseIsForSomethingThatIsAllowed(t *testing.T) {
	may := allowed(t, string(source(t)))
	for _, e := range excuses {
		if !slices.ContainsFunc(may, e.covers) || e.Why == "" {
			t.Errorf("nothing is allowed that this excuses: %+v", e)
		}
	}
}

// The comparison is proved by templates with one mistake each.
func TestALackAndAnExcessAreFound(t *testing.T) {
	text, did := string(source(t)), made(t)
	role := func(name, was, is string) string {
		t.Helper()
		before, own, ok := strings.Cut(text, "\n  "+name+":\n")
		if !ok || !strings.Contains(own, was) {
			t.Fatalf("%s has no %q: this test has grown old", name, was)
		}
		return before + "\n  " + name + ":\n" + strings.Replace(own, was, is, 1)
	}
	for name, c := range map[string]struct {
		template        string
		missing, unused []Call
	}{
		"an action is missing": {
			template: role("ApiRole", "[s3:GetObject, s3:PutObject]", "s3:GetObject"),
			missing:  []Call{{Function: "api", Action: "s3:PutObject", Resource: "BlobBucket/*"}},
		},
		"a kind of key is missing": {
			template: role("SocketRole", `["ticket#*", "connection#*", "subscribers#*"]`, `["connection#*", "subscribers#*"]`),
			missing:  []Call{{Function: "socket", Action: "dynamodb:DeleteItem", Resource: "LiveTable", Key: "ticket#"}},
		},
		"the right action on the wrong table": {
			template: role("DispatchRole", "Action: [dynamodb:GetItem, dynamodb:Query, dynamodb:PutItem]\n                Resource: !GetAtt LogTable.Arn", "Action: [dynamodb:GetItem, dynamodb:Query, dynamodb:PutItem]\n                Resource: !GetAtt LiveTable.Arn"),
			missing: []Call{
				{Function: "dispatch", Action: "dynamodb:GetItem", Resource: "LogTable", Key: "*#claim"},
				{Function: "dispatch", Action: "dynamodb:GetItem", Resource: "LogTable", Key: "*#operation"},
				{Function: "dispatch", Action: "dynamodb:PutItem", Resource: "LogTable", Key: "*#commit"},
				{Function: "dispatch", Action: "dynamodb:Query", Resource: "LogTable", Key: "*#commit"},
			},
			unused: []Call{
				{Function: "dispatch", Action: "dynamodb:GetItem", Resource: "LiveTable"},
				{Function: "dispatch", Action: "dynamodb:PutItem", Resource: "LiveTable"},
			},
		},
		"an action too many": {
			template: role("PublishRole", "Action: s3:GetObject", "Action: [s3:GetObject, s3:DeleteObject]"),
			unused:   []Call{{Function: "publish", Action: "s3:DeleteObject", Resource: "BlobBucket/*"}},
		},
		"a kind of key too many": {
			template: role("ApiRole", `["ticket#*", "secret#*"]`, `["ticket#*", "secret#*", "key#*"]`),
			unused:   []Call{{Function: "api", Action: "dynamodb:PutItem", Resource: "LiveTable", Key: "key#"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			may := allowed(t, c.template)
			if diff := cmp.Diff(c.missing, sorted(Missing(may, did))); diff != "" {
				t.Errorf("missing: %s", diff)
			}
			if diff := cmp.Diff(c.unused, sorted(Unused(may, did, excuses))); diff != "" {
				t.Errorf("never used: %s", diff)
			}
		})
	}
}

func sorted(calls []Call) []Call {
	slices.SortFunc(calls, func(a, b Call) int { return strings.Compare(a.String(), b.String()) })
	return calls
}

var secretParameter = regexp.MustCompile(`^(\w+Secret|ToolSecrets\*)$`)

// wide is leave that names too much: to delete, or anything in the live table, for any
// key; to decrypt other than by way of a service; actions by a wildcard; all of an
// account's resources, or secrets that no parameter names.
func wide(may []Call) (all []Call) {
	for _, c := range may {
		secret := c.Action == "secretsmanager:GetSecretValue" || c.Action == "ssm:GetParameter"
		unnamed := c.Key == "" && (c.Action == "dynamodb:DeleteItem" || strings.HasPrefix(c.Action, "kms:") || strings.HasPrefix(c.Action, "dynamodb:") && c.Resource == "LiveTable")
		if unnamed || secret && !secretParameter.MatchString(c.Resource) || strings.Contains(c.Action, "*") || c.Resource == "*" && !strings.HasPrefix(c.Action, "xray:") {
			all = append(all, c)
		}
	}
	return all
}

func TestNoLeaveIsWide(t *testing.T) {
	text := string(source(t))
	for _, c := range wide(allowed(t, text)) {
		t.Errorf("too wide: %s", c)
	}
	for was, is := range map[string]string{
		"\n                Condition: {ForAllValues:StringLike: {dynamodb:LeadingKeys: [\"#unsettled#*\", \"#expiring#*\"]}}": "",
		"\n                Condition: {ForAllValues:StringLike: {dynamodb:LeadingKeys: [\"preview#*\", \"secret#*\"]}}":       "",
		"Action: [s3:GetObject, s3:PutObject]":                                                             "Action: s3:*",
		"Resource: !Sub ${BlobBucket.Arn}/*":                                                               "Resource: \"*\"",
		"Action: bedrock:InvokeModelWithResponseStream":                                                    "Action: \"*\"",
		"\n                  Condition: {StringLike: {kms:ViaService: [\"secretsmanager.*\", \"ssm.*\"]}}": "",
		"Resource: !Sub ${ToolSecrets}*":                                                                   "Resource: !Sub arn:${AWS::Partition}:ssm:${AWS::Region}:${AWS::AccountId}:parameter/*",
	} {
		if !strings.Contains(text, was) {
			t.Fatalf("the template has no %q: this test has grown old", was)
		}
		if found := wide(allowed(t, strings.Replace(text, was, is, 1))); len(found) == 0 {
			t.Errorf("%q for %q was not found to be too wide", is, was)
		}
	}
}

func TestARoleThatSAMMakesIsRefused(t *testing.T) {
	text := strings.Replace(string(source(t)), "      Role: !GetAtt ApiRole.Arn\n", "      Policies: [AdministratorAccess]\n", 1)
	if _, err := Allowed([]byte(text)); err == nil || !strings.Contains(err.Error(), "ApiFunction") {
		t.Errorf("%v, want an error that names the function", err)
	}
}
