package sam

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/sfn"
	sfntypes "github.com/aws/aws-sdk-go-v2/service/sfn/types"

	"windlass/tests/client"
	"windlass/tests/embedded"
)

// world is the services with the functions beside them.
type world struct {
	*testing.T
	ctx context.Context
	functions
	client client.Client
	stack  *embedded.Stack
	with   map[string]string
}

const session = "sam"

func open(t *testing.T) *world {
	t.Helper()
	sam := program(t)
	image(t)
	services, packages := stilled(t)
	at := gateway(t)
	s := embedded.Start(t, "WINDLASS_TEMPLATE="+services+"/template.yaml", "WINDLASS_ADDR="+at+":0", "WINDLASS_AWS_ADDR="+at+":0")
	// Containers take their time, and there are a dozen.
	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Minute)
	t.Cleanup(cancel)
	return &world{t, ctx, packaged(t, sam, s, packages), s.Client(), s, map[string]string{"KEY": embedded.Key, "SESSION": session}}
}

// http invokes api, and expects a status.
func (w *world) http(event string, status int, into any) {
	w.Helper()
	var answer struct {
		StatusCode      int
		Body            string
		IsBase64Encoded bool
	}
	w.invoke("ApiFunction", event, w.with, &answer)
	body := []byte(answer.Body)
	if answer.IsBase64Encoded {
		body = decoded(w.T, answer.Body)
	}
	if answer.StatusCode != status {
		w.Errorf("%s: %d %s, want %d", event, answer.StatusCode, body, status)
	}
	if into != nil {
		if err := json.Unmarshal(body, into); err != nil {
			w.Errorf("%s: %v: %s", event, err, body)
		}
	}
}

// log is the session's event types, in order, as the embedded stack's own api reads it.
func (w *world) log() (types []string, last uint64) {
	w.Helper()
	events, err := w.client.Events(w.ctx, session, 0)
	if err != nil {
		w.Fatal(err)
	}
	for _, e := range events {
		types, last = append(types, e.Type), e.Seq
	}
	return types, last
}

func count(types []string, kind string) (n int) {
	for _, t := range types {
		if t == kind {
			n++
		}
	}
	return n
}

// One prompt's way through all six functions, each in its container. The order is the
// order in which AWS would call them.
func TestEveryFunctionRunsInItsContainer(t *testing.T) {
	w := open(t)

	var receipt client.Receipt
	w.http("submit", http.StatusAccepted, &receipt)
	if !receipt.Accepted || receipt.OperationID != "first" {
		t.Errorf("submit: %+v", receipt)
	}
	w.http("duplicate", http.StatusOK, &receipt)
	if receipt.Accepted {
		t.Errorf("duplicate: %+v", receipt)
	}
	var problem struct{ Code string }
	w.http("mismatch", http.StatusUnprocessableEntity, &problem)
	if problem.Code == "" {
		t.Error("mismatch: no code")
	}
	w.http("second", http.StatusAccepted, &receipt)
	if types, _ := w.log(); count(types, "operation.accepted") != 2 {
		t.Errorf("after two submissions and two repetitions the log is %v", types)
	}
	w.running("first", 1)

	var snapshot client.Operation
	w.http("snapshot", http.StatusOK, &snapshot)
	if snapshot.Status != "queued" {
		t.Errorf("snapshot: %+v", snapshot)
	}
	var page struct{ Events []client.Event }
	w.http("events", http.StatusOK, &page)
	if len(page.Events) != 2 || page.Events[0].Seq != 2 {
		t.Errorf("events: %+v", page)
	}

	follower := w.follow()
	var next struct{ Next string }
	w.invoke("DriveFunction", "drive", w.with, &next)
	types, _ := w.log()
	if next.Next != "done" || count(types, "operation.completed") != 1 {
		t.Errorf("drive: %+v; the log is %v", next, types)
	}

	// The stream brings what was appended, to publish and to dispatch.
	w.with["RECORDS"] = w.commit("operation.completed")
	var failures struct{ BatchItemFailures []any }
	w.invoke("PublishFunction", "stream", w.with, &failures)
	if f, err := follower.Until(w.ctx, "events"); err != nil || len(failures.BatchItemFailures) != 0 || f.Events[len(f.Events)-1].Type != "operation.completed" {
		t.Errorf("publish: %+v, %s, %v", failures, f.Raw, err)
	}
	w.invoke("DispatchFunction", "stream", w.with, &failures)
	if len(failures.BatchItemFailures) != 0 {
		t.Errorf("dispatch: %+v", failures)
	}
	started := w.running("second", 1)

	// Its execution is stopped from outside: recover begins the next generation.
	if _, err := sfn.NewFromConfig(w.stack.AWS(w.ctx)).StopExecution(w.ctx, &sfn.StopExecutionInput{ExecutionArn: &started}); err != nil {
		t.Fatal(err)
	}
	w.invoke("RecoverFunction", "recover", w.with, nil)
	if types, _ := w.log(); types[len(types)-1] != "operation.resumed" {
		t.Errorf("after recover the log ends with %v", types[len(types)-1])
	}
	w.running("second", 2)
}

// follow opens a socket. The embedded stack holds it, and the functions in their
// containers are asked about it: connect about one that only they know, subscribe about
// the real one.
func (w *world) follow() *client.Socket {
	w.Helper()
	ticket, err := w.client.Ticket(w.ctx, session)
	if err != nil {
		w.Fatal(err)
	}
	var answer struct{ StatusCode int }
	connect := map[string]string{"CONNECTION": "nobody", "TICKET": ticket.Ticket}
	w.invoke("SocketFunction", "connect", connect, &answer)
	if answer.StatusCode != http.StatusOK || !w.connected("nobody") {
		w.Errorf("connect: %+v, and its row is there: %t", answer, w.connected("nobody"))
	}
	w.invoke("SocketFunction", "connect", connect, &answer)
	if answer.StatusCode != http.StatusUnauthorized {
		w.Errorf("the ticket again: %+v", answer)
	}

	s, err := w.client.Dial(w.ctx, session)
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(s.Kill)
	w.with["CONNECTION"] = w.connection()
	w.invoke("SocketFunction", "subscribe", w.with, &answer)
	f, err := s.Until(w.ctx, "events")
	if err != nil || f.From != 1 {
		w.Fatalf("subscribe: %s, %v", f.Raw, err)
	}
	if f, err := s.Until(w.ctx, "caught_up"); err != nil || f.Seq == 0 {
		w.Fatalf("subscribe: %s, %v", f.Raw, err)
	}
	return s
}

func (w *world) table(name string) (*dynamodb.Client, *string) {
	return dynamodb.NewFromConfig(w.stack.AWS(w.ctx)), aws.String(w.stack.Endpoints.Tables[name])
}

func (w *world) connected(id string) bool {
	w.Helper()
	c, live := w.table("LiveTable")
	out, err := c.GetItem(w.ctx, &dynamodb.GetItemInput{TableName: live, Key: map[string]types.AttributeValue{
		"pk": &types.AttributeValueMemberS{Value: "connection#" + id}, "sk": &types.AttributeValueMemberS{Value: "connection"}}})
	if err != nil {
		w.Fatal(err)
	}
	return len(out.Item) > 0
}

// connection is the id of the one socket that is really open.
func (w *world) connection() string {
	w.Helper()
	c, live := w.table("LiveTable")
	out, err := c.Scan(w.ctx, &dynamodb.ScanInput{TableName: live})
	if err != nil {
		w.Fatal(err)
	}
	for _, item := range out.Items {
		id, ok := strings.CutPrefix(text(item["pk"]), "connection#")
		if ok && id != "nobody" {
			return id
		}
	}
	w.Fatal("no connection has a row")
	return ""
}

// commit is the newest commit with an event of a type, as a stream record.
func (w *world) commit(kind string) string {
	w.Helper()
	c, log := w.table("LogTable")
	out, err := c.Query(w.ctx, &dynamodb.QueryInput{TableName: log, KeyConditionExpression: aws.String("pk = :pk"), ScanIndexForward: aws.Bool(false),
		ExpressionAttributeValues: map[string]types.AttributeValue{":pk": &types.AttributeValueMemberS{Value: "dev#" + session + "#commit"}}})
	if err != nil {
		w.Fatal(err)
	}
	for _, item := range out.Items {
		image := map[string]any{}
		found := false
		for name, v := range item {
			switch v := v.(type) {
			case *types.AttributeValueMemberS:
				image[name] = map[string]string{"S": v.Value}
				found = found || strings.Contains(v.Value, kind)
			case *types.AttributeValueMemberN:
				image[name] = map[string]string{"N": v.Value}
			}
		}
		if !found || text(item["kind"]) != "commit" {
			continue
		}
		b, err := json.Marshal(map[string]any{"eventID": "1", "eventName": "INSERT", "eventSource": "aws:dynamodb", "awsRegion": "us-east-1",
			"dynamodb": map[string]any{"Keys": map[string]any{"pk": image["pk"], "sk": image["sk"]}, "NewImage": image, "SequenceNumber": "1", "StreamViewType": "NEW_IMAGE"}})
		if err != nil {
			w.Fatal(err)
		}
		return string(b)
	}
	w.Fatalf("no commit has a %s", kind)
	return ""
}

func text(v types.AttributeValue) string {
	s, _ := v.(*types.AttributeValueMemberS)
	if s == nil {
		return ""
	}
	return s.Value
}

// running expects an execution of an operation's generation that runs, and returns it.
func (w *world) running(operation string, generation int) string {
	w.Helper()
	c := sfn.NewFromConfig(w.stack.AWS(w.ctx))
	machine := w.stack.Endpoints.StateMachines["TurnStateMachine"]
	out, err := c.ListExecutions(w.ctx, &sfn.ListExecutionsInput{StateMachineArn: &machine, StatusFilter: sfntypes.ExecutionStatusRunning})
	if err != nil {
		w.Fatal(err)
	}
	var inputs []string
	for _, e := range out.Executions {
		d, err := c.DescribeExecution(w.ctx, &sfn.DescribeExecutionInput{ExecutionArn: e.ExecutionArn})
		if err != nil {
			w.Fatal(err)
		}
		if strings.Contains(*d.Input, fmt.Sprintf("%q", operation)) && strings.Contains(*d.Input, fmt.Sprintf(`"generation":%d`, generation)) {
			return *e.ExecutionArn
		}
		inputs = append(inputs, *d.Input)
	}
	w.Fatalf("nothing runs for generation %d of %s: %v", generation, operation, inputs)
	return ""
}

func decoded(t *testing.T, body string) []byte {
	t.Helper()
	b, err := base64.StdEncoding.DecodeString(body)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
