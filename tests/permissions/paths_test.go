package permissions

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"windlass/tests/client"
	"windlass/tests/embedded"
)

// What no other suite does, so that a recording has it: a turn that waits for a person
// is cancelled over a socket. The function dispatch hears of it too, and whichever is
// first answers the token that the turn waits for: of several turns one is the socket's.
func TestWaitingTurnsAreCancelledOverASocket(t *testing.T) {
	ctx := embedded.Context(t)
	s := embedded.Start(t)
	for _, session := range []string{"a", "b", "c", "d", "e"} {
		cancelled(ctx, t, s, session)
	}
}

func cancelled(ctx context.Context, t *testing.T, s *embedded.Stack, session string) {
	t.Helper()
	c := s.Client()
	if _, err := c.Submit(ctx, session, client.Submission{OperationID: "o", Agent: "careful", Prompt: "write a poem to /poem.md and read it back"}); err != nil {
		t.Fatal(err)
	}
	if o, err := c.Waiting(ctx, session, "o"); err != nil || o.Status != "waiting" {
		t.Fatalf("%+v, %v", o, err)
	}
	parked(ctx, t, s, session)
	socket, err := c.Dial(ctx, session)
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	if err := socket.Send(ctx, map[string]any{"type": "cancel", "id": "1", "session": session, "operationId": "o"}); err != nil {
		t.Fatal(err)
	}
	if f, err := socket.Until(ctx, "result"); err != nil || f.ID != "1" {
		t.Fatalf("%s, %v", f.Raw, err)
	}
	if o, err := c.Wait(ctx, session, "o"); err != nil || o.Status != "cancelled" {
		t.Errorf("%+v, %v", o, err)
	}
}

// parked waits until the token of a session's turn is stored, which is a little after the
// turn says that it waits: who comes earlier has nobody to wake.
func parked(ctx context.Context, t *testing.T, s *embedded.Stack, session string) {
	t.Helper()
	in := &dynamodb.ScanInput{TableName: aws.String(s.Endpoints.Tables["LiveTable"])}
	for db := dynamodb.NewFromConfig(s.AWS(ctx)); ; {
		out, err := db.Scan(ctx, in)
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range out.Items {
			if strings.HasPrefix(text(row["pk"]), "tokens#") && strings.Contains(text(row["sk"]), "#"+session+"#") {
				return
			}
		}
	}
}

func text(v types.AttributeValue) string {
	s, _ := v.(*types.AttributeValueMemberS)
	if s == nil {
		return ""
	}
	return s.Value
}

// A session that has a retention goes on, over HTTP and over a socket.
func TestRetainedSessionsGoOn(t *testing.T) {
	ctx := embedded.Context(t)
	c := embedded.Start(t).Client()
	settled := func(id string) {
		t.Helper()
		if o, err := c.Wait(ctx, "s", id); err != nil || o.Status != "completed" {
			t.Fatalf("%+v, %v", o, err)
		}
	}
	if _, err := c.Submit(ctx, "s", client.Submission{OperationID: "first", Prompt: "write a poem to /poem.md and read it back"}); err != nil {
		t.Fatal(err)
	}
	settled("first")
	a, err := c.Send(ctx, http.MethodPut, "/v1/sessions/s/retention", nil, []byte(`{"retention":"30d"}`))
	if err != nil || a.Status != http.StatusOK || !strings.Contains(string(a.Body), `"expiresAt"`) {
		t.Fatalf("%d %s, %v", a.Status, a.Body, err)
	}
	if _, err := c.Submit(ctx, "s", client.Submission{OperationID: "second", Prompt: "write a poem to /poem.md and read it back"}); err != nil {
		t.Fatal(err)
	}
	settled("second")
	socket, err := c.Dial(ctx, "s")
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	if err := socket.Send(ctx, map[string]any{"type": "submit", "id": "1", "session": "s", "operationId": "third", "prompt": "write a poem to /poem.md and read it back"}); err != nil {
		t.Fatal(err)
	}
	if f, err := socket.Until(ctx, "result"); err != nil || f.ID != "1" {
		t.Fatalf("%s, %v", f.Raw, err)
	}
	settled("third")
}
