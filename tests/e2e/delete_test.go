package e2e

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/sfn"
	sfntypes "github.com/aws/aws-sdk-go-v2/service/sfn/types"
	"github.com/google/go-cmp/cmp"

	"windlass/tests/checker"
	"windlass/tests/client"
	"windlass/tests/embedded"
)

// long is a turn that outlasts whatever happens to it here.
const long = `{"rounds":100,"callsPerRound":3,"toolBytes":30000,"answerBytes":20000,"reasoningBytes":9,"latencyMs":200}`

// under begins a long turn in a session with a file, and waits until it asked its tools.
func under(ctx context.Context, t *testing.T, c client.Client, session string) {
	t.Helper()
	if _, _, err := c.PutFile(ctx, session, "/large", []byte(strings.Repeat("large", 10<<10)), nil); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"runs", "waits"} {
		if _, err := c.Submit(ctx, session, client.Submission{Prompt: long, OperationID: id, Agent: "stress"}); err != nil {
			t.Fatal(err)
		}
	}
	follow(ctx, t, c, session, "", func(e client.Event) bool { return e.Type == "tool.completed" && e.Round == 2 })
}

func remove(ctx context.Context, t *testing.T, c client.Client, session string) {
	t.Helper()
	a, err := c.Send(ctx, http.MethodDelete, "/v1/sessions/"+session, nil, nil)
	if err != nil || a.Status != http.StatusNoContent || len(a.Body) != 0 {
		t.Fatalf("%d %s, %v", a.Status, a.Body, err)
	}
}

// Who follows sees the end; then nobody sees anything.
func TestDeletingASessionWhileItsTurnRuns(t *testing.T) {
	ctx, l := open(t)
	s := session()
	under(ctx, t, l.Client, s)
	socket := dial(ctx, t, l.Client)
	done, backlog := request(ctx, t, socket, map[string]any{"type": "subscribe", "session": s, "after": 0})
	if done.Type != "caught_up" {
		t.Fatalf("%s", done.Raw)
	}
	var cursor client.Cursor
	var log []client.Event
	for _, f := range backlog {
		log = append(log, cursor.Take(f)...)
	}
	_, err := l.Other.Send(ctx, http.MethodDelete, "/v1/sessions/"+s, nil, nil)
	problem(t, err, 404, "not_found")
	remove(ctx, t, l.Client, s)
	for log[len(log)-1].Type != "session.deleted" {
		f, err := socket.Until(ctx, "events")
		if err != nil {
			t.Fatalf("after %d events: %v", len(log), err)
		}
		log = append(log, cursor.Take(f)...)
	}
	for _, v := range checker.Check(log).Violations {
		t.Error(v)
	}
	var ends []string
	for _, e := range log {
		if e.Type == "operation.cancelled" {
			ends = append(ends, e.OperationID)
		}
	}
	if d := cmp.Diff([]string{"runs", "waits"}, ends); d != "" {
		t.Errorf("ended (-want +got):\n%s", d)
	}
	for _, path := range []string{"", "/events", "/events?after=9&wait=20", "/files", "/files/large", "/operations", "/operations/runs?wait=20", "/transcript"} {
		_, err := l.Send(ctx, http.MethodGet, "/v1/sessions/"+s+path, nil, nil)
		problem(t, err, 410, "session_deleted")
	}
	_, err = l.Submit(ctx, s, client.Submission{Prompt: "again", OperationID: "runs"})
	problem(t, err, 410, "session_deleted")
	refuse := func(frame map[string]any) {
		t.Helper()
		f, _ := request(ctx, t, socket, frame)
		refused(t, f, "session_deleted")
	}
	refuse(map[string]any{"type": "submit", "session": s, "prompt": "again"})
	refuse(map[string]any{"type": "subscribe", "session": s, "after": 0})
	// What else the connection follows is not disturbed.
	if f, _ := request(ctx, t, socket, map[string]any{"type": "ping"}); f.Type != "pong" || f.Heads[s] == 0 {
		t.Errorf("%s", f.Raw)
	}
	var page struct{ Sessions []struct{ SessionID string } }
	if _, err := l.Do(ctx, http.MethodGet, "/v1/sessions?limit=200", nil, &page); err != nil {
		t.Fatal(err)
	}
	for _, one := range page.Sessions {
		if one.SessionID == s {
			t.Error("it is listed")
		}
	}
	remove(ctx, t, l.Client, s)
}

// deployment is the stack's stores, reached as its functions reach them.
type deployment struct {
	t       *testing.T
	stack   *embedded.Stack
	bucket  string
	dynamo  *dynamodb.Client
	objects *s3.Client
}

func behind(ctx context.Context, t *testing.T, s *embedded.Stack) deployment {
	t.Helper()
	cfg := s.AWS(ctx)
	d := deployment{t: t, stack: s, dynamo: dynamodb.NewFromConfig(cfg), objects: s3.NewFromConfig(cfg, func(o *s3.Options) { o.UsePathStyle = true })}
	buckets, err := d.objects.ListBuckets(ctx, &s3.ListBucketsInput{})
	if err != nil || len(buckets.Buckets) != 1 {
		t.Fatalf("%+v, %v", buckets, err)
	}
	d.bucket = *buckets.Buckets[0].Name
	return d
}

func attribute(i map[string]types.AttributeValue, name string) string {
	s, _ := i[name].(*types.AttributeValueMemberS)
	if s == nil {
		return ""
	}
	return s.Value
}

func (d deployment) scan(ctx context.Context, table string) (all []map[string]types.AttributeValue) {
	d.t.Helper()
	pages := dynamodb.NewScanPaginator(d.dynamo, &dynamodb.ScanInput{TableName: aws.String(d.stack.Endpoints.Tables[table])})
	for pages.HasMorePages() {
		out, err := pages.NextPage(ctx)
		if err != nil {
			d.t.Fatal(err)
		}
		all = append(all, out.Items...)
	}
	return all
}

// left is whatever names a session in its key, in both tables and the bucket.
func (d deployment) left(ctx context.Context, session string) (all []string) {
	d.t.Helper()
	for _, table := range []string{"LogTable", "LiveTable"} {
		for _, i := range d.scan(ctx, table) {
			if key := attribute(i, "pk") + " " + attribute(i, "sk"); strings.Contains(key, session) {
				all = append(all, key)
			}
		}
	}
	pages := s3.NewListObjectsV2Paginator(d.objects, &s3.ListObjectsV2Input{Bucket: &d.bucket})
	for pages.HasMorePages() {
		out, err := pages.NextPage(ctx)
		if err != nil {
			d.t.Fatal(err)
		}
		for _, o := range out.Contents {
			if strings.Contains(*o.Key, session) {
				all = append(all, *o.Key)
			}
		}
	}
	slices.Sort(all)
	return all
}

// until waits for what recover leaves of a session; its minutes are short here.
func (d deployment) until(ctx context.Context, session string, done func(left []string) bool) []string {
	d.t.Helper()
	for {
		left := d.left(ctx, session)
		if done(left) || ctx.Err() != nil {
			return left
		}
	}
}

// hour lets the last sweep be due: its row says when in its key.
func (d deployment) hour(ctx context.Context) {
	d.t.Helper()
	table := aws.String(d.stack.Endpoints.Tables["LogTable"])
	for _, i := range d.scan(ctx, "LogTable") {
		var row struct{ Last bool }
		if attribute(i, "kind") != "deleted" || json.Unmarshal([]byte(attribute(i, "data")), &row) != nil || !row.Last {
			continue
		}
		old := map[string]types.AttributeValue{"pk": i["pk"], "sk": i["sk"]}
		due, rest, _ := strings.Cut(attribute(i, "sk"), "#")
		at, err := time.Parse(time.RFC3339Nano, due)
		if err != nil {
			d.t.Fatal(err)
		}
		i["sk"] = &types.AttributeValueMemberS{Value: at.Add(-time.Hour).Format("2006-01-02T15:04:05.000000Z") + "#" + rest}
		if _, err := d.dynamo.PutItem(ctx, &dynamodb.PutItemInput{TableName: table, Item: i}); err != nil {
			d.t.Fatal(err)
		}
		if _, err := d.dynamo.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: table, Key: old}); err != nil {
			d.t.Fatal(err)
		}
	}
}

// idle waits until no execution runs: none is left to drive what is gone.
func (d deployment) idle(ctx context.Context) {
	d.t.Helper()
	steps := sfn.NewFromConfig(d.stack.AWS(ctx))
	for {
		list, err := steps.ListExecutions(ctx, &sfn.ListExecutionsInput{StateMachineArn: aws.String(d.stack.Endpoints.StateMachines["TurnStateMachine"]), StatusFilter: sfntypes.ExecutionStatusRunning})
		if err != nil {
			d.t.Fatal(err)
		}
		if len(list.Executions) == 0 {
			return
		}
	}
}

// Everything that is kept anywhere is looked through, with the process killed in between.
func TestADeletedSessionLeavesItsTombstoneAlone(t *testing.T) {
	if os.Getenv("WINDLASS_TEST_URL") != "" {
		t.Skip("looks into the stores of a stack that the test starts itself")
	}
	ctx := embedded.Context(t)
	stack := embedded.Start(t, "WINDLASS_LOCAL_MINUTE=200ms")
	s, other := "session-that-goes", "another-that-stays"
	under(ctx, t, stack.Client(), s)
	put(ctx, t, stack.Client(), other, "/a")
	socket := dial(ctx, t, stack.Client())
	for _, name := range []string{s, other} {
		if f, _ := request(ctx, t, socket, map[string]any{"type": "subscribe", "session": name, "after": 0}); f.Type != "caught_up" {
			t.Fatalf("%s", f.Raw)
		}
	}
	d := behind(ctx, t, stack)
	before := map[string]int{}
	for _, key := range d.left(ctx, s) {
		before[kindOf(key)]++
	}
	for _, kind := range []string{"commit", "claim", "operation", "unsettled", "session", "blob", "preview", "subscribers", "connection"} {
		if before[kind] == 0 && kind != "preview" { // between two answers there may be none
			t.Errorf("there is no %s to be erased: %v", kind, before)
		}
	}
	theirs := d.left(ctx, other)
	remove(ctx, t, stack.Client(), s)
	d.until(ctx, s, func(left []string) bool {
		return !slices.ContainsFunc(left, func(key string) bool {
			return slices.Contains([]string{"claim", "operation", "unsettled", "session"}, kindOf(key))
		})
	})
	d.idle(ctx)
	stack.Kill()
	stack.Restart()
	d = behind(ctx, t, stack)
	d.hour(ctx)
	left := d.until(ctx, s, func(left []string) bool { return len(left) == 1 })
	if len(left) != 1 || !strings.HasPrefix(left[0], "dev#"+s+"#commit ") {
		t.Errorf("left:\n%s", strings.Join(left, "\n"))
	}
	for _, i := range d.scan(ctx, "LogTable") {
		said := attribute(i, "body") + attribute(i, "summary")
		if attribute(i, "pk") == "dev#"+s+"#commit" && (attribute(i, "closed") != "1" || i["expires"] == nil || strings.Contains(said, "large") || strings.Contains(said, "toolBytes")) {
			t.Errorf("the tombstone of seq %s says %.500s", attribute(i, "sk"), said)
		}
	}
	if d := cmp.Diff(theirs, d.left(ctx, other)); d != "" {
		t.Errorf("another session lost (-want +got):\n%s", d)
	}
	_, err := stack.Client().Submit(ctx, s, client.Submission{Prompt: "again"})
	problem(t, err, 410, "session_deleted")
	remove(ctx, t, stack.Client(), s)
}

// kindOf is what an item's key says that it is.
func kindOf(key string) string {
	partition, sort, _ := strings.Cut(key, " ")
	switch parts := strings.Split(partition, "#"); {
	case strings.Contains(partition, "/blobs/"):
		return "blob"
	case parts[0] == "": // #unsettled#00
		return parts[1]
	case strings.HasPrefix(partition, "connection#"), strings.HasPrefix(partition, "preview#"), strings.HasPrefix(partition, "subscribers#"):
		return parts[0]
	case sort == "":
		return partition
	default:
		return parts[len(parts)-1]
	}
}
