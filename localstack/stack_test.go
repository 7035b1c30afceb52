package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	awslambda "github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/sfn"

	"windlass/localstack/template"
)

// patience is how long a test waits for what must come.
const patience = 20 * time.Second

// fake is a product whose functions do the least that reaches every part: api
// writes a commit, keeps an object and starts a turn, drive fails, dispatch and recover tell what
// they are called with.
type fake struct {
	dispatched chan string
	recovered  chan string
	keys       chan [3]string
}

func newFake() *fake {
	return &fake{make(chan string, 1000), make(chan string, 1000), make(chan [3]string, 10)}
}

func (f *fake) product() product {
	return product{
		Function: f.function,
		PutKey: func(_ context.Context, _ aws.Config, table, key, tenant string) error {
			f.keys <- [3]string{table, key, tenant}
			return nil
		},
		KeyID:     func(key string) string { return "id of " + key },
		RevokeKey: func(context.Context, aws.Config, string, string) error { return nil },
	}
}

func (f *fake) function(name string, env func(string) string, cfg aws.Config) (awslambda.Handler, error) {
	tell := func(to chan string) any {
		return func(event json.RawMessage) { to <- string(event) }
	}
	handlers := map[string]any{
		"api": func(ctx context.Context, r events.APIGatewayV2HTTPRequest) (any, error) {
			return f.api(ctx, r, env, cfg)
		},
		"drive":    func() error { return errors.New("no model here") },
		"dispatch": tell(f.dispatched),
		"recover":  tell(f.recovered),
		"publish":  func() {}, // nobody is connected
	}
	return awslambda.NewHandler(handlers[name]), nil
}

func (f *fake) api(ctx context.Context, r events.APIGatewayV2HTTPRequest, env func(string) string, cfg aws.Config) (any, error) {
	if r.RawPath == "/commit" {
		text := func(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }
		_, err := dynamodb.NewFromConfig(cfg).PutItem(ctx, &dynamodb.PutItemInput{
			TableName: aws.String(env("WINDLASS_LOG_TABLE")),
			Item:      map[string]types.AttributeValue{"pk": text("p"), "sk": text(r.Body), "kind": text("commit"), "wake": text("1")},
		})
		if err != nil {
			return nil, err
		}
	}
	if r.RawPath == "/keep" {
		_, err := s3.NewFromConfig(cfg, pathStyle).PutObject(ctx, &s3.PutObjectInput{
			Bucket: aws.String(env("WINDLASS_BUCKET")), Key: aws.String(blob), Body: strings.NewReader(r.Body),
		})
		if err != nil {
			return nil, err
		}
	}
	if r.RawPath == "/turn" {
		_, err := sfn.NewFromConfig(cfg).StartExecution(ctx, &sfn.StartExecutionInput{
			StateMachineArn: aws.String(env("WINDLASS_STATE_MACHINE_ARN")), Input: aws.String(`{}`), Name: aws.String(r.Body),
		})
		if err != nil {
			return nil, err
		}
	}
	return events.APIGatewayV2HTTPResponse{StatusCode: 202, Body: env("ROUNDS_PER_TASK") + env("HOME")}, nil
}

// A running program, until the test ends or stop is called.
type running struct {
	t    *testing.T
	env  map[string]string
	out  *announced
	errs *announced
	stop func()
	at   endpoints
}

// announced is a writer that tells of its first write.
type announced struct {
	mu   sync.Mutex
	text bytes.Buffer
	once sync.Once
	seen chan struct{}
}

func (a *announced) Write(p []byte) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.once.Do(func() { close(a.seen) })
	return a.text.Write(p)
}

func (a *announced) String() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.text.String()
}

func environmentFor(data string, more map[string]string) map[string]string {
	env := map[string]string{
		"WINDLASS_ADDR": "127.0.0.1:0", "WINDLASS_AWS_ADDR": "127.0.0.1:0", "WINDLASS_DATA": data,
		"WINDLASS_TEMPLATE": filepath.Join("..", "template.yaml"), "WINDLASS_LOG": "debug",
	}
	for k, v := range more {
		env[k] = v
	}
	return env
}

func prepare(p product, env map[string]string) (program, *announced, *announced) {
	out, errs := &announced{seen: make(chan struct{})}, &announced{seen: make(chan struct{})}
	lookup := func(name string) (string, bool) { v, ok := env[name]; return v, ok }
	environ := []string{}
	for name, v := range env {
		environ = append(environ, name+"="+v)
	}
	return program{product: p, lookup: lookup, environ: environ, stdout: out, stderr: errs, stopping: func() {}}, out, errs
}

func launch(t *testing.T, p product, data string, more map[string]string) *running {
	t.Helper()
	env := environmentFor(data, more)
	prog, out, errs := prepare(p, env)
	r := run(t, prog, env, out)
	r.errs = errs
	return r
}

func run(t *testing.T, prog program, env map[string]string, out *announced) *running {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- prog.run(ctx) }()
	select {
	case <-out.seen:
	case err := <-ended:
		t.Fatalf("ended: %v", err)
	case <-time.After(patience):
		t.Fatal("it does not get ready")
	}
	r := &running{t: t, env: env, out: out}
	r.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("at the end: %v", err)
		}
	})
	t.Cleanup(r.stop)
	text, err := os.ReadFile(filepath.Join(env["WINDLASS_DATA"], endpointsFile))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &r.at); err != nil {
		t.Fatal(err)
	}
	return r
}

func (r *running) post(path, body string) (int, string) {
	r.t.Helper()
	res, err := http.Post(r.at.API+path, "text/plain", strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	defer res.Body.Close()
	var b bytes.Buffer
	if _, err := b.ReadFrom(res.Body); err != nil {
		r.t.Fatal(err)
	}
	return res.StatusCode, b.String()
}

// await returns the first event that holds every text.
func await(t *testing.T, from chan string, texts ...string) string {
	t.Helper()
	deadline := time.After(patience)
next:
	for {
		select {
		case event := <-from:
			for _, text := range texts {
				if !strings.Contains(event, text) {
					continue next
				}
			}
			return event
		case <-deadline:
			t.Fatalf("no event with %q", texts)
		}
	}
}

func TestACommitReachesDispatchAndAFailedTurnReachesRecover(t *testing.T) {
	f := newFake()
	r := launch(t, f.product(), t.TempDir(), nil)
	if status, body := r.post("/commit", "1"); status != 202 {
		t.Fatalf("%d %s\n%s", status, body, r.errs)
	}
	event := await(t, f.dispatched, `"sk":{"S":"1"}`)
	var typed events.DynamoDBEvent
	if err := json.Unmarshal([]byte(event), &typed); err != nil || len(typed.Records) != 1 {
		t.Fatalf("%v: %s", err, event)
	}
	rec := typed.Records[0]
	if rec.EventSource != "aws:dynamodb" || rec.EventVersion != "1.1" || rec.AWSRegion != region || rec.EventName != "INSERT" ||
		rec.EventID == "" || rec.Change.SequenceNumber == "" || rec.Change.StreamViewType != "NEW_IMAGE" || rec.Change.SizeBytes == 0 ||
		rec.Change.Keys["pk"].String() != "p" || rec.Change.NewImage["kind"].String() != "commit" || rec.Change.OldImage != nil ||
		!strings.HasPrefix(rec.EventSourceArn, "arn:aws:dynamodb:us-east-1:000000000000:table/windlass-log/stream/") ||
		time.Since(rec.Change.ApproximateCreationDateTime.Time).Abs() > time.Minute {
		t.Errorf("%s", event)
	}
}

func TestAStoppedExecutionReachesRecoverThroughTheRule(t *testing.T) {
	f := newFake()
	r := launch(t, f.product(), t.TempDir(), nil)
	if status, body := r.post("/turn", "turn-1"); status != 202 {
		t.Fatalf("%d %s\n%s", status, body, r.errs)
	}
	creds, err := loadCredentials(r.env["WINDLASS_DATA"])
	if err != nil {
		t.Fatal(err)
	}
	cfg := awsConfig(nil, creds, r.at.AWS) // over the socket, as another program would
	cfg.HTTPClient = nil
	arn := strings.Replace(r.at.StateMachines["TurnStateMachine"], ":stateMachine:", ":execution:", 1) + ":turn-1"
	if _, err := sfn.NewFromConfig(cfg).StopExecution(t.Context(), &sfn.StopExecutionInput{ExecutionArn: &arn}); err != nil {
		t.Fatal(err)
	}
	await(t, f.recovered, `"detail-type":"Step Functions Execution Status Change"`, `"ABORTED"`, arn)
}

func TestTheScheduleReachesRecover(t *testing.T) {
	f := newFake()
	launch(t, f.product(), t.TempDir(), map[string]string{"WINDLASS_LOCAL_MINUTE": "20ms"})
	for range 2 {
		await(t, f.recovered, `"detail-type":"Scheduled Event"`)
	}
}

// What was acknowledged before a stop is delivered after the next start.
func TestARestartGoesOn(t *testing.T) {
	data := t.TempDir()
	first := newFake()
	r := launch(t, first.product(), data, nil)
	r.post("/commit", "1")
	await(t, first.dispatched, `"sk":{"S":"1"}`)
	key := <-first.keys
	r.stop()
	if _, err := os.Stat(filepath.Join(data, endpointsFile)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("endpoints.json after a stop: %v", err)
	}
	second := newFake()
	r = launch(t, second.product(), data, nil)
	r.post("/commit", "2")
	await(t, second.dispatched, `"sk":{"S":"2"}`)
	if again := <-second.keys; again != key || key[0] != "windlass-live" || key[2] != "dev" {
		t.Errorf("key %v, then %v", key, again)
	}
}

func TestAFunctionSeesWhatTheTemplateDeclaresAndNothingElse(t *testing.T) {
	f := newFake()
	r := launch(t, f.product(), t.TempDir(), map[string]string{"ROUNDS_PER_TASK": "7", "HOME": "/secret", "WINDLASS_LOG_TABLE": "elsewhere"})
	if _, body := r.post("/commit", "1"); body != "" {
		t.Errorf("api, which does not declare ROUNDS_PER_TASK, sees %q", body)
	}
	await(t, f.dispatched, "windlass-log") // not elsewhere
	stack, err := template.Load(r.env["WINDLASS_TEMPLATE"], template.Options{})
	if err != nil {
		t.Fatal(err)
	}
	drive, _ := stack.Function("drive")
	set := settings{lookup: func(name string) (string, bool) { v, ok := r.env[name]; return v, ok }}
	if got := set.environment(drive)["ROUNDS_PER_TASK"]; got != "7" {
		t.Errorf("drive sees %q", got)
	}
	unset := settings{lookup: func(string) (string, bool) { return "", false }}
	if got := unset.environment(drive)["ROUNDS_PER_TASK"]; got != "0" {
		t.Errorf("by default drive sees %q", got)
	}
}
