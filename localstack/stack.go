package main

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"windlass/localstack/disk"
	"windlass/localstack/dynamodb"
	"windlass/localstack/eventbridge"
	"windlass/localstack/eventsource"
	"windlass/localstack/gateway"
	"windlass/localstack/lambda"
	"windlass/localstack/s3"
	"windlass/localstack/stepfunctions"
	"windlass/localstack/template"
)

// A stack is everything that runs.
type stack struct {
	settings
	program  program
	source   *template.File
	template *template.Stack
	log      *slog.Logger

	db        *disk.DB
	files     *s3.Service
	tables    *dynamodb.Service
	functions *lambda.Registry
	processes *lambda.Processes // nil if functions run in process
	bus       *eventbridge.Service
	machines  *stepfunctions.Service
	streams   *eventsource.Service
	sockets   *sockets

	measured    measured
	metered     metered
	credentials credentials
	calls       *calls
	key         string
	config      aws.Config
	aws, api    door
	started     time.Time
}

// open builds the stack; nothing moves before start.
func open(s settings, p program, log *slog.Logger) (_ *stack, err error) {
	st := &stack{settings: s, program: p, log: log, started: time.Now(), measured: measured{s.metrics, time.Now}, metered: metered{Counter: s.usage}}
	if st.source, err = template.Read(s.template); errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("there is no %s: start in the checkout, or set WINDLASS_TEMPLATE to the template's path", s.template)
	} else if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			st.close()
		}
	}()
	for _, step := range []func() error{st.openData, st.listen, st.evaluate, st.openServices, st.openDoors} {
		if err = step(); err != nil {
			return nil, err
		}
	}
	return st, nil
}

func (st *stack) openData() (err error) {
	if err = os.MkdirAll(st.data, 0o700); err != nil {
		return fmt.Errorf("the data directory cannot be made: %w: set WINDLASS_DATA to a folder that can", err)
	}
	if st.db, err = disk.Open(filepath.Join(st.data, "windlass.db"), st.sync); err != nil {
		return fmt.Errorf("%w (WINDLASS_DATA names the directory)", err)
	}
	if err = removeEndpoints(st.data); err != nil { // of a process that was killed
		return err
	}
	if st.credentials, err = loadCredentials(st.data); err != nil {
		return err
	}
	st.metered.credentials = st.credentials
	if st.key = st.devKey; st.key == "" {
		st.key, err = loadDevKey(st.data)
	}
	return err
}

// listen binds both addresses before anything refers to them.
func (st *stack) listen() (err error) {
	if st.aws, err = listen(st.awsAddr, "WINDLASS_AWS_ADDR"); err == nil {
		st.api, err = listen(st.addr, "WINDLASS_ADDR")
	}
	return err
}

// evaluate fills in what only the listeners know.
func (st *stack) evaluate() (err error) {
	st.template, err = st.source.Parse(template.Options{Region: region, Account: account, SocketEndpoint: "ws://" + host(st.api), HTTPEndpoint: url(st.api), Parameters: st.parameters()})
	if err != nil {
		return err
	}
	if n, sockets := len(st.template.HTTPAPIs), len(st.template.SocketAPIs); n != 1 || sockets > 1 {
		return fmt.Errorf("%s has %d HTTP APIs and %d WebSocket APIs; the embedded stack serves one of each", st.settings.template, n, sockets)
	}
	return nil
}

// openServices opens them in the order in which they need each other.
func (st *stack) openServices() (err error) {
	st.functions = lambda.New(st.log)
	st.functions.Watch(func(function string, took time.Duration, err error) {
		st.measured.invoked(function, took, err)
		st.metered.invoked(function, took, err)
	})
	if st.files, err = openBuckets(st.settings, st.template.Buckets); err != nil {
		return err
	}
	if st.tables, err = dynamodb.Open(st.db, st.tableOptions()); err != nil {
		return err
	}
	if err = ensureTables(st.tables, st.template.Tables); err != nil {
		return err
	}
	if st.bus, err = bus(st.db, st.functions, st.template, st.settings, st.log); err != nil {
		return err
	}
	st.machines, err = stepfunctions.Open(st.db, stepfunctions.Options{
		Invoke: forTasks(st.functions), StatusChanged: st.statusChanged, Moved: st.metered.moved,
		Region: region, Account: account, Log: st.log,
	})
	if err != nil {
		return err
	}
	for _, m := range st.template.Machines {
		arn, err := st.machines.EnsureStateMachine(m.Name, string(m.Definition))
		if err != nil {
			return fmt.Errorf("state machine %s: %w", m.LogicalID, err)
		}
		if arn != m.ARN {
			return fmt.Errorf("state machine %s is %s, but the template says %s", m.LogicalID, arn, m.ARN)
		}
	}
	st.streams, err = st.mappings()
	return err
}

func (st *stack) openDoors() (err error) {
	if st.calls, err = openCalls(st.heard, st.credentials, st.template, st.log); err != nil {
		return fmt.Errorf("WINDLASS_LOCAL_CALLS: %w: name a file that can be written", err)
	}
	all := apis{st.files.Handler(), []target{
		{"DynamoDB_20120810", "dynamodb", st.tables.Handler()},
		{"DynamoDBStreams_20120810", "dynamodb", st.tables.StreamsHandler()},
		{"AWSStepFunctions", "states", st.machines.Handler()},
	}}
	subset := awsHandler(st.credentials, st.metered, st.calls, all)
	st.aws.serve(st.files.AllowsOrigin, st.files.CORS(subset), st.log)
	if st.calls == nil && st.usage == nil {
		st.config = unsigned(st.credentials, map[string]http.Handler{host(st.aws): all, host(st.api): http.HandlerFunc(st.post)}, url(st.aws))
	} else { // who calls is known by who signed
		st.config = awsConfig(subset, st.credentials, url(st.aws))
	}
	if err := st.register(); err != nil {
		return err
	}
	if err := st.openSockets(); err != nil {
		return err
	}
	here := &process{key: st.key, started: st.started, usage: st.counted(), functions: st.processes, replace: st.replace, log: st.log}
	st.api.serve(st.sockets.admits(st.api.port()), here.handler(st.sockets.handler(st.httpAPI())), st.log)
	if st.sockets != nil { // a shutdown of the server does not know them
		st.api.server.RegisterOnShutdown(st.sockets.shut)
	}
	return nil
}

func (st *stack) httpAPI() http.Handler {
	api := st.template.HTTPAPIs[0].Name
	for _, f := range st.template.Functions {
		for _, route := range f.Routes {
			if route.API == api {
				return st.metered.http(st.measured.answered(api, gateway.HTTP(gateway.Options{
					Invoke: forHTTP(st.functions, f.Name), APIID: api, Account: account, Log: st.log,
				})))
			}
		}
	}
	return http.NotFoundHandler() // an HTTP API without a route
}
