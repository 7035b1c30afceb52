package sweep_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/sfn"
	"github.com/oklog/ulid/v2"

	"windlass/eventstore"
	"windlass/eventstore/memory"
	"windlass/functions/internal/agent"
	"windlass/functions/internal/connection"
	"windlass/functions/internal/execution"
	"windlass/functions/internal/fold"
	"windlass/functions/internal/index"
	"windlass/functions/internal/preview"
	"windlass/functions/internal/session"
	"windlass/functions/internal/sweep"
	"windlass/infra/agents"
	"windlass/localstack/awsjson"
	"windlass/localstack/disk"
	"windlass/localstack/dynamodb"
)

var (
	stream = eventstore.Stream{Tenant: "acme", Session: "s"}
	// neighbours have names that are easily taken for it.
	neighbours = []eventstore.Stream{{Tenant: "acme", Session: "s-1"}, {Tenant: "acme", Session: "s."}, {Tenant: "acme2", Session: "s"}, {Tenant: "acm", Session: "s"}}
)

// world is a deployment's stores, the service, and whoever sweeps.
type world struct {
	*session.Service
	t       *testing.T
	log     *memory.Driver
	blobs   *memory.Blobs
	client  *sdk.Client
	machine *machine
}

// newWorld is to be called in a synctest bubble: time is the clock's.
func newWorld(t *testing.T) *world {
	t.Helper()
	catalog, err := agent.Read(agents.Files, "demo", nil)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, log: memory.New(), blobs: memory.NewBlobs(), client: live(t), machine: &machine{}}
	j := eventstore.New(w.log, eventstore.WithBlobs(w.blobs))
	w.Service = &session.Service{
		Journal: j, Opened: &fold.Sessions{}, Agents: catalog, Turns: w.starter(j), Now: time.Now,
		NewID: func(t time.Time) string { return ulid.MustNewDefault(t).String() },
	}
	return w
}

// live is the live table in the embedded subset, in this process.
func live(t *testing.T) *sdk.Client {
	t.Helper()
	db, err := disk.Open(filepath.Join(t.TempDir(), "windlass.db"), false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	service, err := dynamodb.Open(db, dynamodb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	client := sdk.New(sdk.Options{
		Region: "us-east-1", Retryer: aws.NopRetryer{}, BaseEndpoint: aws.String("http://dynamodb.embedded"),
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "test", SecretAccessKey: "secret"}, nil
		}),
		HTTPClient: &http.Client{Transport: awsjson.Transport(service.Handler())},
	})
	_, err = client.CreateTable(t.Context(), &sdk.CreateTableInput{
		TableName: aws.String("live"), BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("pk"), AttributeType: types.ScalarAttributeTypeS}, {AttributeName: aws.String("sk"), AttributeType: types.ScalarAttributeTypeS}},
		KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String("pk"), KeyType: types.KeyTypeHash}, {AttributeName: aws.String("sk"), KeyType: types.KeyTypeRange}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// machine is Step Functions: everything runs, and tokens are noted.
type machine struct {
	mu       sync.Mutex
	answered []string
}

func (m *machine) StartExecution(context.Context, *sfn.StartExecutionInput, ...func(*sfn.Options)) (*sfn.StartExecutionOutput, error) {
	return &sfn.StartExecutionOutput{}, nil
}

func (m *machine) DescribeExecution(context.Context, *sfn.DescribeExecutionInput, ...func(*sfn.Options)) (*sfn.DescribeExecutionOutput, error) {
	return nil, errors.New("nothing has ended")
}

func (m *machine) SendTaskSuccess(_ context.Context, in *sfn.SendTaskSuccessInput, _ ...func(*sfn.Options)) (*sfn.SendTaskSuccessOutput, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.answered = append(m.answered, *in.TaskToken)
	return &sfn.SendTaskSuccessOutput{}, nil
}

func (w *world) tokens() *execution.Tokens { return &execution.Tokens{Client: w.client, Table: "live"} }

func (w *world) connections() *connection.Table {
	return &connection.Table{Client: w.client, Name: "live", Now: time.Now}
}

func (w *world) starter(j *eventstore.Journal) *execution.Starter {
	return &execution.Starter{Client: w.machine, StateMachineARN: "arn:aws:states:x:1:stateMachine:turns", Journal: j, Tokens: w.tokens(), Now: time.Now}
}

func (w *world) sweeper() *sweep.Sweeper {
	return &sweep.Sweeper{
		Journal: w.Journal, Wake: w.starter(w.Journal).WakeParked, Now: time.Now,
		Live: &sweep.Live{Client: w.client, Table: "live", Connections: w.connections()},
	}
}

func try(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// fill gives a session something of every kind.
func (w *world) fill(s eventstore.Stream, id string) {
	w.t.Helper()
	ctx := w.t.Context()
	_, err := w.Submit(ctx, s, session.Submission{OperationID: id, Prompt: id + strings.Repeat("p", 20<<10)})
	try(w.t, err)
	_, err = w.PutFile(ctx, s, session.FileWrite{Path: "/" + id, Data: id + strings.Repeat("f", 20<<10), Holds: func(string) bool { return true }})
	try(w.t, err)
}

// attend puts what stands in the live table while a turn runs and somebody looks.
func (w *world) attend(s eventstore.Stream, id string) {
	w.t.Helper()
	ctx := w.t.Context()
	c := connection.Connection{ID: "c-" + s.Tenant, Grant: connection.Grant{Tenant: s.Tenant, Key: "k"}, OpenedAt: time.Now(), ClosesAt: time.Now().Add(2 * time.Hour)}
	if _, err := w.connections().Connection(ctx, c.ID); err != nil {
		try(w.t, w.connections().Open(ctx, c))
	}
	try(w.t, w.connections().Subscribe(ctx, c, connection.Subscription{Session: s.Session}))
	try(w.t, w.connections().Subscribe(ctx, c, connection.Subscription{Session: s.Session, Operation: id}))
	w.says(s, id)
	try(w.t, w.tokens().Keep(ctx, execution.Parking{Turn: execution.Turn{Tenant: s.Tenant, Session: s.Session, Operation: id, Generation: 1}, Token: "token of " + s.String()}))
}

// says is a driver that shows what a model says.
func (w *world) says(s eventstore.Stream, id string) {
	w.t.Helper()
	previews := &preview.Table{Client: w.client, Name: "live", Now: time.Now}
	_, err := previews.Put(w.t.Context(), s, preview.Row{Step: preview.Step{Operation: id, Round: 1, Attempt: 1, Run: 1}, Text: preview.Piece{Text: "so"}})
	try(w.t, err)
}

// orphan is a subscriber's row whose connection is gone.
func (w *world) orphan(s eventstore.Stream) {
	w.t.Helper()
	_, err := w.client.DeleteItem(w.t.Context(), &sdk.DeleteItemInput{TableName: aws.String("live"), Key: map[string]types.AttributeValue{
		"pk": &types.AttributeValueMemberS{Value: "connection#c-" + s.Tenant}, "sk": &types.AttributeValueMemberS{Value: "connection"}}})
	try(w.t, err)
}

// left is everything that is kept of a session, anywhere.
func (w *world) left(of eventstore.Stream) (all []string) {
	w.t.Helper()
	out, err := w.client.Scan(w.t.Context(), &sdk.ScanInput{TableName: aws.String("live")})
	try(w.t, err)
	var keys []string
	for _, i := range out.Items {
		keys = append(keys, fmt.Sprintf("%s %s", i["pk"].(*types.AttributeValueMemberS).Value, i["sk"].(*types.AttributeValueMemberS).Value))
	}
	slices.Sort(keys)
	for _, key := range slices.Concat(w.log.Keys(), w.blobs.Keys(), keys) {
		if names(key, of) {
			all = append(all, key)
		}
	}
	return all
}

// names reports whether a key is of a session: its parts are split by #, / and blanks, and
// a subscription's, in its connection's partition, by the connection that attend opened.
func names(key string, s eventstore.Stream) bool {
	parts := strings.FieldsFunc(key, func(r rune) bool { return r == '#' || r == '/' || r == ' ' })
	tenant := slices.Contains(parts, s.Tenant) || slices.Contains(parts, "c-"+s.Tenant)
	return tenant && slices.Contains(parts, s.Session)
}

// sweep is recover's minute.
func (w *world) sweep() {
	w.t.Helper()
	for shard := range index.Shards {
		try(w.t, w.sweeper().Shard(w.t.Context(), shard))
	}
}
