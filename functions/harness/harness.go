package harness

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/sfn"
	"github.com/oklog/ulid/v2"

	"windlass/eventstore"
	"windlass/eventstore/dynamo"
	"windlass/eventstore/s3blob"
	"windlass/functions/internal/config"
	"windlass/functions/internal/connection"
	"windlass/functions/internal/console"
	"windlass/functions/internal/delegation"
	"windlass/functions/internal/execution"
	"windlass/functions/internal/fold"
	"windlass/functions/internal/httpapi"
	"windlass/functions/internal/loop"
	"windlass/functions/internal/price"
	"windlass/functions/internal/secret"
	"windlass/functions/internal/session"
	"windlass/functions/internal/sweep"
	"windlass/functions/internal/telemetry"
	"windlass/functions/internal/tenant"
	"windlass/functions/internal/tool"
	"windlass/functions/internal/trace/export"
	"windlass/functions/internal/turn"
	"windlass/infra/prices"
)

// builder is what every function is built from.
type builder struct {
	env     config.Env
	cfg     aws.Config
	metrics *telemetry.Metrics
	secrets *secret.Cache
}

func api(b builder) (any, error) {
	s, err := b.service()
	if err != nil {
		return nil, err
	}
	live, err := b.live()
	if err != nil {
		return nil, err
	}
	socket, err := b.socketURL()
	if err != nil {
		return nil, err
	}
	page, err := b.console(socket)
	if err != nil {
		return nil, err
	}
	back, err := b.callbacks()
	if err != nil {
		return nil, err
	}
	return httpapi.New(s, live.keys, live.connections, back, socket.String(), page).Lambda(), nil
}

// console is the page, which may reach the socket, and the bucket for what is
// large.
func (b builder) console(socket *url.URL) (http.Handler, error) {
	door, err := b.door()
	if err != nil {
		return nil, err
	}
	files, err := door.Origin()
	if err != nil {
		return nil, err
	}
	return console.Handler(console.Options{Connect: []string{socket.Scheme + "://" + socket.Host, files}}), nil
}

func (b builder) drive(providers Providers, tools Tools, warm *fold.Sessions) (any, error) {
	journal, err := b.journal()
	if err != nil {
		return nil, err
	}
	limits := loop.DefaultLimits
	if limits.RoundsPerTask, err = b.env.Int("ROUNDS_PER_TASK", 0); err != nil {
		return nil, err
	}
	l := &loop.Loop{
		Journal: journal, Warm: warm, Tools: tool.All, Sources: tool.NewSources(tools(b.cfg, b.env, b.secret)),
		Now: time.Now, Jitter: func(d time.Duration) time.Duration { return rand.N(d) + 1 }, Limits: limits, Metrics: b.metrics,
	}
	if at := b.env(toolSecrets); at != "" {
		if _, err := secret.ParsePrefix(at); err != nil {
			return nil, fmt.Errorf("%s: %w", toolSecrets, err)
		}
	}
	if l.Models, err = b.models(providers); err != nil {
		return nil, err
	}
	if l.Prices, err = price.Read(prices.File); err != nil {
		return nil, err
	}
	if l.Previews, err = b.previews(); err != nil {
		return nil, err
	}
	parks, err := b.turns("") // it starts none: the state machine's ARN would lead round in a circle
	if err != nil {
		return nil, err
	}
	l.Park = parks.Park
	sessions, err := b.sessions(parks, elsewhere{})
	if err != nil {
		return nil, err
	}
	l.Families = families(sessions, elsewhere{}.Wake)
	if l.Callbacks, err = b.callbacks(); err != nil {
		return nil, err
	}
	return l.Lambda(), nil
}

// What drivers keep of the sessions that they drove last: long conversations, and enough
// of them for the one process of the embedded stack.
const (
	warmBytes    = 32 << 20
	warmSessions = 64
)

func dispatch(b builder) (any, error) {
	s, err := b.starter()
	if err != nil {
		return nil, err
	}
	sessions, err := b.sessions(s, s)
	if err != nil {
		return nil, err
	}
	children := families(sessions, s.Wake)
	s.Heed = func(ctx context.Context, r events.DynamoDBEventRecord) error {
		commit, err := record(r)
		if err != nil {
			return err
		}
		return children.Heed(ctx, commit)
	}
	traces, err := export.FromEnv(b.env)
	if err != nil {
		return nil, err
	}
	if traces == nil {
		return onStream(s.Dispatch), nil
	}
	if traces.Kept, err = b.collectorHeaders(); err != nil {
		return nil, err
	}
	return onStream(func(ctx context.Context, e events.DynamoDBEvent) (events.DynamoDBEventResponse, error) {
		answer, err := s.Dispatch(ctx, e)
		traces.Settled(ctx, s.Journal, commits(e)...) // behind the work: no turn waits for a collector
		return answer, err
	}), nil
}

// commits are those of a batch that can be read.
func commits(e events.DynamoDBEvent) (all []eventstore.Record) {
	for _, r := range e.Records {
		if commit, err := record(r); err == nil {
			all = append(all, commit)
		}
	}
	return all
}

func families(s *session.Service, wake func(context.Context, eventstore.Stream) error) *delegation.Families {
	return &delegation.Families{Sessions: s, Journal: s.Journal, Wake: wake, Now: time.Now}
}

// elsewhere starts no turns: dispatch hears of each commit that wants one.
type elsewhere struct{}

func (elsewhere) Start(context.Context, execution.Turn) (bool, error) { return true, nil }
func (elsewhere) Wake(context.Context, eventstore.Stream) error       { return nil }

func recoverTurns(b builder) (any, error) {
	s, err := b.starter()
	if err != nil {
		return nil, err
	}
	erase, err := b.sweep(s)
	if err != nil {
		return nil, err
	}
	// It deletes, and accepts nothing: it needs neither agents nor a door.
	sessions := &session.Service{Journal: s.Journal, Turns: s, Now: time.Now, Opened: &fold.Sessions{}}
	s.Sweep = func(ctx context.Context, shard int) error {
		return errors.Join(sessions.Expire(ctx, shard), erase(ctx, shard))
	}
	return s.Recover, nil
}

// sweep erases what deleted sessions consisted of.
func (b builder) sweep(s *execution.Starter) (func(ctx context.Context, shard int) error, error) {
	table, err := b.env.Required("WINDLASS_LIVE_TABLE")
	if err != nil {
		return nil, err
	}
	live := dynamodb.NewFromConfig(b.cfg)
	w := &sweep.Sweeper{
		Journal: s.Journal, Wake: s.WakeParked, Now: time.Now,
		Live: &sweep.Live{Client: live, Table: table, Connections: &connection.Table{Client: live, Name: table, Now: time.Now}},
	}
	return w.Shard, nil
}

func (b builder) journal() (*eventstore.Journal, error) {
	table, err := b.env.Required("WINDLASS_LOG_TABLE")
	if err != nil {
		return nil, err
	}
	bucket, err := b.env.Required("WINDLASS_BUCKET")
	if err != nil {
		return nil, err
	}
	// The Journal alone retries.
	return eventstore.New(
		dynamo.New(dynamodb.NewFromConfig(b.cfg, dynamo.Options), table),
		eventstore.WithBlobs(s3blob.New(s3.NewFromConfig(b.cfg, s3blob.Options), bucket)),
		eventstore.WithObserver(telemetry.NewObserver(b.metrics).Appended),
	), nil
}

// starter starts turns of the state machine.
func (b builder) starter() (*execution.Starter, error) {
	machine, err := b.env.Required("WINDLASS_STATE_MACHINE_ARN")
	if err != nil {
		return nil, err
	}
	return b.turns(machine)
}

func (b builder) turns(machine string) (*execution.Starter, error) {
	journal, err := b.journal()
	if err != nil {
		return nil, err
	}
	live, err := b.env.Required("WINDLASS_LIVE_TABLE")
	if err != nil {
		return nil, err
	}
	return &execution.Starter{
		Client: sfn.NewFromConfig(b.cfg), StateMachineARN: machine, Journal: journal,
		Tokens: &execution.Tokens{Client: dynamodb.NewFromConfig(b.cfg), Table: live}, Now: time.Now,
	}, nil
}

// service is what clients can ask, however they reach it.
func (b builder) service() (*session.Service, error) {
	turns, err := b.starter()
	if err != nil {
		return nil, err
	}
	return b.sessions(turns, turns)
}

// turns start and wake those of a session.
type turns interface {
	Start(context.Context, execution.Turn) (running bool, err error)
	Wake(context.Context, eventstore.Stream) error
}

func (b builder) sessions(over *execution.Starter, turns turns) (*session.Service, error) {
	catalog, err := b.agents()
	if err != nil {
		return nil, err
	}
	door, err := b.door()
	if err != nil {
		return nil, err
	}
	settings, err := b.settings()
	if err != nil {
		return nil, err
	}
	return &session.Service{
		Journal: over.Journal, Agents: catalog, Turns: turns, Now: time.Now, NewID: newID,
		Opened: &fold.Sessions{}, Door: door, Fits: fits, Retention: settings.Retention,
	}, nil
}

// settings are the tenants'.
func (b builder) settings() (*tenant.Settings, error) {
	table, err := b.env.Required("WINDLASS_LIVE_TABLE")
	if err != nil {
		return nil, err
	}
	days, err := b.env.Int("WINDLASS_RETENTION_DAYS", 0)
	if most := int(turn.MaxRetention / (24 * time.Hour)); err == nil && days > most {
		err = fmt.Errorf("WINDLASS_RETENTION_DAYS is %d; want at most %d, or 0 for ever", days, most)
	}
	return &tenant.Settings{Client: dynamodb.NewFromConfig(b.cfg), Table: table, Default: int64(days) * 24 * 3600, Now: time.Now}, err
}

func (b builder) door() (*s3blob.Door, error) {
	bucket, err := b.env.Required("WINDLASS_BUCKET")
	if err != nil {
		return nil, err
	}
	return s3blob.NewDoor(s3.NewFromConfig(b.cfg, s3blob.DoorOptions), bucket), nil
}

func newID(t time.Time) string { return ulid.MustNewDefault(t).String() }
