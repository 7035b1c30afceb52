// Package sizes runs the embedded stack at the sizes that it must stand.
package sizes

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/sfn"

	"windlass/tests/checker"
	"windlass/tests/client"
	"windlass/tests/embedded"
)

type load struct{ rounds, calls, tool, answer, reasoning, latency int }

func (l load) String() string {
	return fmt.Sprintf(`{"rounds":%d,"callsPerRound":%d,"toolBytes":%d,"answerBytes":%d,"reasoningBytes":%d,"latencyMs":%d}`, l.rounds, l.calls, l.tool, l.answer, l.reasoning, l.latency)
}

// run runs the load in a session of its own and verifies its log.
func run(ctx context.Context, t *testing.T, s *embedded.Stack, session string, l load) (client.Operation, []client.Event) {
	t.Helper()
	if _, err := s.Client().Submit(ctx, session, client.Submission{Prompt: l.String(), OperationID: "op", Agent: "stress"}); err != nil {
		t.Fatal(err)
	}
	return finish(ctx, t, s, session, l)
}

func finish(ctx context.Context, t *testing.T, s *embedded.Stack, session string, l load) (client.Operation, []client.Event) {
	t.Helper()
	o, err := s.Client().Wait(ctx, session, "op")
	if err != nil || o.Status != "completed" {
		t.Fatalf("%+v, %+v, %v", o, o.Error, err)
	}
	events, err := s.Client().Events(ctx, session, 0)
	if err != nil {
		t.Fatal(err)
	}
	report := checker.Check(events)
	for _, v := range report.Violations {
		t.Error(v)
	}
	if op := report.Operations["op"]; op.Rounds != l.rounds+1 || op.Results != l.rounds*l.calls || op.Writes < l.rounds*((l.calls+1)/2) {
		t.Errorf("%d rounds, %d results, %d files of %s", op.Rounds, op.Results, op.Writes, l)
	}
	return o, events
}

func TestLargeValues(t *testing.T) {
	ctx := embedded.Context(t)
	s := embedded.Start(t)
	for name, l := range map[string]load{
		"answers of 2 MB":                   {1, 2, 64, 2_000_000, 2_000_000, 0},
		"tool outputs of 8 MB":              {2, 2, 8_000_000, 16, 0, 0},
		"2,000 calls in one round":          {2, 2000, 64, 16, 0, 0},
		"10,000 files":                      {10, 2000, 16, 16, 0, 0},
		"results of many calls over 360 KB": {3, 8, 100_000, 300_000, 50_000, 0},
	} {
		session := fmt.Sprintf("%x", name)
		o, _ := run(ctx, t, s, session, l)
		switch {
		case l.answer > 256<<10 && (o.Output != nil || o.OutputRef == nil || o.OutputRef.Bytes != int64(l.answer)):
			t.Errorf("%s: output %v, reference %+v", name, o.Output != nil, o.OutputRef)
		case l.answer <= 256<<10 && (o.Output == nil || len(*o.Output) != l.answer):
			t.Errorf("%s: no output of %d bytes", name, l.answer)
		}
	}
}

// Whatever passes through a session, the items of its log stay small: pages,
// streams and transactions are bounded by them.
func TestItemsStaySmallInALongSession(t *testing.T) {
	ctx := embedded.Context(t)
	s := embedded.Start(t)
	for i := range 2 {
		id := fmt.Sprint("op-", i)
		if _, err := s.Client().Submit(ctx, "s", client.Submission{Prompt: load{120, 6, 40_000, 100_000, 20_000, 0}.String(), OperationID: id, Agent: "stress"}); err != nil {
			t.Fatal(err)
		}
		if o, err := s.Client().Wait(ctx, "s", id); err != nil || o.Status != "completed" {
			t.Fatalf("%+v, %v", o, err)
		}
	}
	o, err := s.Client().Operation(ctx, "s", "op-1", 0)
	if err != nil || o.AsOfSeq < 3000 {
		t.Fatalf("%d events, %v", o.AsOfSeq, err)
	}
	if items, largest := itemsOf(ctx, t, s); items < 100 || largest > 48<<10 {
		t.Errorf("the largest of %d items has %d bytes", items, largest)
	}
}

// itemsOf counts the log's items, and the bytes of the largest.
func itemsOf(ctx context.Context, t *testing.T, s *embedded.Stack) (items, largest int) {
	t.Helper()
	pages := dynamodb.NewScanPaginator(dynamodb.NewFromConfig(s.AWS(ctx)), &dynamodb.ScanInput{TableName: aws.String(s.Endpoints.Tables["LogTable"])})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for _, item := range page.Items {
			items++
			largest = max(largest, size(item))
		}
	}
	return items, largest
}

func size(item map[string]types.AttributeValue) (n int) {
	for name, v := range item {
		n += len(name)
		switch v := v.(type) {
		case *types.AttributeValueMemberS:
			n += len(v.Value)
		case *types.AttributeValueMemberN:
			n += len(v.Value)
		}
	}
	return n
}

// What Step Functions carries from state to state says where a turn stands, not
// what is in it.
func TestStateDocumentStaysSmall(t *testing.T) {
	ctx := embedded.Context(t)
	s := embedded.Start(t, "ROUNDS_PER_TASK=1")
	run(ctx, t, s, "s", load{127, 2, 20_000, 16, 0, 0})
	steps := sfn.NewFromConfig(s.AWS(ctx))
	list, err := steps.ListExecutions(ctx, &sfn.ListExecutionsInput{StateMachineArn: aws.String(s.Endpoints.StateMachines["TurnStateMachine"])})
	if err != nil || len(list.Executions) != 1 {
		t.Fatalf("%d executions, %v", len(list.Executions), err)
	}
	pages := sfn.NewGetExecutionHistoryPaginator(steps, &sfn.GetExecutionHistoryInput{ExecutionArn: list.Executions[0].ExecutionArn, MaxResults: 1000})
	largest, entered := 0, 0
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range page.Events {
			if d := e.StateEnteredEventDetails; d != nil {
				entered++
				largest = max(largest, len(aws.ToString(d.Input)))
			}
		}
	}
	if entered < 256 || largest > 4<<10 {
		t.Errorf("%d states were entered, the largest document has %d bytes", entered, largest)
	}
}

// Memory follows the largest value, not the sum of them: here 8 MB a round, and half
// a gigabyte in all.
func TestMemoryFollowsTheLargestValue(t *testing.T) {
	ctx := embedded.Context(t)
	s := embedded.Start(t)
	status := fmt.Sprintf("/proc/%d/status", s.Endpoints.PID)
	if _, err := os.Stat(status); err != nil {
		t.Skipf("the peak of resident memory is read from /proc: %v", err)
	}
	run(ctx, t, s, "s", load{60, 8, 1_000_000, 16, 0, 0})
	b, err := os.ReadFile(status)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(b), "VmHWM:")
	kb, err := strconv.Atoi(strings.Fields(rest)[0])
	if err != nil || kb > 350<<10 {
		t.Errorf("the peak was %d MB, %v", kb>>10, err)
	}
}

// The process is killed while large values pass through it.
func TestKillsWithLargeValues(t *testing.T) {
	ctx := embedded.Context(t)
	s := embedded.Start(t)
	l := load{20, 4, 300_000, 500_000, 100_000, 60}
	if _, err := s.Client().Submit(ctx, "s", client.Submission{Prompt: l.String(), OperationID: "op", Agent: "stress"}); err != nil {
		t.Fatal(err)
	}
	seen := 0
	for range 4 {
		for next := seen + 15; seen < next; {
			events, err := s.Client().Events(ctx, "s", 0)
			if err != nil {
				t.Fatal(err)
			}
			seen = len(events)
		}
		s.Kill()
		s.Restart()
	}
	finish(ctx, t, s, "s", l)
}
