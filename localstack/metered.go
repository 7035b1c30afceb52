package main

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"windlass/localstack/dynamodb"
	"windlass/localstack/lambda"
	"windlass/localstack/sigv4"
	"windlass/localstack/usage"
)

// metered counts what AWS would bill, if WINDLASS_LOCAL_USAGE asks for it. The zero
// value counts nothing.
type metered struct {
	*usage.Counter
	credentials credentials
}

// Sizes in which AWS meters what passes. Sources: aws.amazon.com/api-gateway/pricing (an
// HTTP API's requests in 512 KB, a WebSocket API's messages in 32 KB, either way).
const (
	httpUnit    = 512 << 10
	messageUnit = 32 << 10
	// lineOverhead is what CloudWatch Logs adds to each event's bytes: the quotas of
	// PutLogEvents in its API reference.
	lineOverhead = 26
)

func pieces(bytes, unit int64) float64 { return float64(max(1, (bytes+unit-1)/unit)) }

// requests counts those of the AWS subset by who signed them. Their signature has been
// verified.
func (m metered) requests(next http.Handler) http.Handler {
	if m.Counter == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		of := usage.Use{Caller: m.credentials.function(sigv4.AccessKey(r)), Service: sigv4.Service(r)}
		switch of.Service {
		case "s3":
			of.Operation, of.Resource = s3Operation(r)
			m.Add(of, s3Class(of.Operation), 1)
		case "execute-api":
			of.Operation = r.Method
			if r.Method == http.MethodPost { // whoever is gone is counted, too
				m.Add(of, "message", pieces(r.ContentLength, messageUnit))
			}
		default:
			_, of.Operation, _ = strings.Cut(r.Header.Get("X-Amz-Target"), ".")
		}
		m.Request(of)
		next.ServeHTTP(w, r.WithContext(usage.WithCaller(r.Context(), of.Caller)))
	})
}

func s3Operation(r *http.Request) (operation, bucket string) {
	bucket, key, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	if r.Method == http.MethodGet && key == "" {
		return "LIST", bucket
	}
	return r.Method, bucket
}

// s3Class is how a request is priced: aws.amazon.com/s3/pricing has PUT, COPY, POST and
// LIST in one class, GET and all others in the other; DELETE is free.
func s3Class(operation string) string {
	switch operation {
	case http.MethodPut, http.MethodPost, "LIST":
		return "put"
	case http.MethodDelete:
		return "free"
	}
	return "get"
}

// consumed counts DynamoDB's units.
func (m metered) consumed(ctx context.Context, op string, c dynamodb.Capacity) {
	of := usage.Use{Caller: usage.Caller(ctx), Service: "dynamodb", Operation: op, Resource: c.Table}
	m.Add(of, "read", c.Read)
	m.Add(of, "write", c.Write)
}

// moved counts state transitions.
func (m metered) moved(machine string, transitions int) {
	m.Add(usage.Use{Service: "states", Operation: "transition", Resource: machine}, "transition", float64(transitions))
}

// invoked counts an invocation, in the milliseconds that Lambda rounds up to.
func (m metered) invoked(function string, took time.Duration, err error) {
	if m.Counter == nil || lambda.IsRefused(err) {
		return
	}
	of := usage.Use{Service: "lambda", Operation: "Invoke", Resource: function}
	m.Request(of)
	m.Add(of, "ms", float64((took+time.Millisecond-1)/time.Millisecond))
	m.Add(of, "us", float64(took.Microseconds()))
}

// http counts the HTTP API's requests: by the larger of what came and what was answered.
func (m metered) http(next http.Handler) http.Handler {
	if m.Counter == nil {
		return next
	}
	of := usage.Use{Service: "apigateway", Operation: "http"}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		out := &written{ResponseWriter: w}
		next.ServeHTTP(out, r)
		m.Request(of)
		m.Add(of, "request", pieces(max(r.ContentLength, out.bytes), httpUnit))
	})
}

type written struct {
	http.ResponseWriter
	bytes int64
}

func (w *written) Write(b []byte) (int, error) {
	n, err := w.ResponseWriter.Write(b)
	w.bytes += int64(n)
	return n, err
}

func (w *written) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// message counts what a client sent; connecting and disconnecting are no messages.
func (m metered) message(route string, event []byte) {
	if m.Counter == nil || route == "$connect" || route == "$disconnect" {
		return
	}
	var in struct{ Body string }
	_ = json.Unmarshal(event, &in) // ours
	of := usage.Use{Service: "apigateway", Operation: "socket"}
	m.Request(of)
	m.Add(of, "message", pieces(int64(len(in.Body)), messageUnit))
}

// logs counts the bytes of what functions log, as JSON lines from INFO on: what they
// write on AWS unless they are told otherwise. context has a line say what it is about.
func (m metered) logs(next slog.Handler, context func(slog.Handler) slog.Handler) slog.Handler {
	if m.Counter == nil {
		return next
	}
	lines := slog.Handler(slog.NewJSONHandler(lineCounter(m), &slog.HandlerOptions{Level: slog.LevelInfo}))
	if context != nil {
		lines = context(lines)
	}
	return counted{next, lines}
}

type lineCounter metered

func (c lineCounter) Write(line []byte) (int, error) {
	of := usage.Use{Service: "logs", Operation: "line"}
	c.Request(of)
	c.Add(of, "bytes", float64(len(line)+lineOverhead))
	return len(line), nil
}

var _ io.Writer = lineCounter{}

// counted hands each record to both.
type counted struct {
	slog.Handler
	lines slog.Handler
}

func (c counted) Enabled(ctx context.Context, l slog.Level) bool {
	return c.Handler.Enabled(ctx, l) || c.lines.Enabled(ctx, l)
}

func (c counted) Handle(ctx context.Context, r slog.Record) error {
	if c.lines.Enabled(ctx, r.Level) {
		if err := c.lines.Handle(ctx, r.Clone()); err != nil {
			return err
		}
	}
	if !c.Handler.Enabled(ctx, r.Level) {
		return nil
	}
	return c.Handler.Handle(ctx, r)
}

func (c counted) WithAttrs(attrs []slog.Attr) slog.Handler {
	return counted{c.Handler.WithAttrs(attrs), c.lines.WithAttrs(attrs)}
}

func (c counted) WithGroup(name string) slog.Handler {
	return counted{c.Handler.WithGroup(name), c.lines.WithGroup(name)}
}

// tableOptions are DynamoDB's.
func (st *stack) tableOptions() dynamodb.Options {
	o := dynamodb.Options{Region: region, Account: account}
	if st.metered.Counter != nil {
		o.Consumed = st.metered.consumed
	}
	return o
}

// A report is what was counted since the start, and what the template says that its
// price depends on.
type report struct {
	// Idle: no function runs, no execution, and the streams' readers have caught up.
	// What was done by then is counted.
	Idle      bool              `json:"idle"`
	Lines     []usage.Line      `json:"lines"`
	Functions map[string]memory `json:"functions"` // by name
	// AlarmMetrics are those that alarms watch: each is billed by itself.
	AlarmMetrics int `json:"alarmMetrics"`
}

type memory struct {
	Code     string `json:"code"`
	MemoryMB int    `json:"memoryMB"`
}

// counted tells what was counted, or is nil.
func (st *stack) counted() func() (any, error) {
	if st.metered.Counter == nil {
		return nil
	}
	return func() (any, error) {
		r := report{Functions: map[string]memory{}}
		for _, f := range st.template.Functions {
			r.Functions[f.Name] = memory{f.Code, f.MemoryMB}
		}
		for _, a := range st.template.Alarms {
			r.AlarmMetrics += len(a.Metrics)
		}
		settled, err := st.streams.Settled()
		if err != nil {
			return nil, err
		}
		running, err := st.machines.Running()
		if err != nil {
			return nil, err
		}
		// In this order: what runs may write, what was written may start what runs.
		again, err := st.streams.Settled()
		r.Idle = settled && running == 0 && st.functions.Running() == 0 && again
		r.Lines = st.metered.Lines()
		return r, err
	}
}
