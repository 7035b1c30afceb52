package export

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"windlass/functions/internal/trace"
)

const (
	// Timeout bounds one export, and the reading of a log before it.
	Timeout = 2 * time.Second
	// Pause is how long a collector is left alone that did not take what it was sent.
	Pause = time.Minute
	// batch is how many spans one request has: collectors refuse long bodies.
	batch = 1000
	// maxAnswer bounds how much of an answer is read, in bytes.
	maxAnswer = 64 << 10
)

// Exporter sends spans to a collector. It is safe for concurrent use; nil sends nothing.
type Exporter struct {
	// Endpoint is the whole URL. Headers go with every request.
	Endpoint string
	Headers  http.Header
	// Kept, if given, is asked for more headers with every request, in the form of
	// OTEL_EXPORTER_OTLP_HEADERS: they may be rotated.
	Kept func(context.Context) (string, error)
	// Client is the default one if nil. It follows no redirect: headers may be secret.
	Client *http.Client

	mu    sync.Mutex
	quiet time.Time // nothing is sent before
}

// Export sends spans, once and within [Timeout]. An error says what went wrong, but not
// what the collector said, nor where it is.
func (e *Exporter) Export(ctx context.Context, spans []trace.Span) error {
	if e == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, Timeout)
	defer cancel()
	for some := range slices.Chunk(spans, batch) {
		if err := e.post(ctx, trace.OTLP(some)); err != nil {
			return err
		}
	}
	return nil
}

func (e *Exporter) post(ctx context.Context, body []byte) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, e.Endpoint, bytes.NewReader(body))
	if err != nil {
		return errors.New("the collector's endpoint is no URL; see OTEL_EXPORTER_OTLP_ENDPOINT")
	}
	for name, values := range e.Headers {
		r.Header[name] = values
	}
	if err := e.kept(ctx, r.Header); err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	client := http.Client{}
	if e.Client != nil {
		client = *e.Client
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	answer, err := client.Do(r)
	if err != nil {
		return unaddressed(err)
	}
	defer answer.Body.Close()
	said, _ := io.ReadAll(io.LimitReader(answer.Body, maxAnswer)) // what cannot be read says nothing
	if answer.StatusCode < 200 || answer.StatusCode > 299 {
		return fmt.Errorf("the collector answered %d", answer.StatusCode)
	}
	return rejected(said)
}

func (e *Exporter) kept(ctx context.Context, into http.Header) error {
	if e.Kept == nil {
		return nil
	}
	text, err := e.Kept(ctx)
	if err != nil {
		return fmt.Errorf("the collector's headers: %w", err)
	}
	more, err := headers(text)
	if err != nil {
		return fmt.Errorf("the collector's headers: %w", err)
	}
	maps.Copy(into, more)
	return nil
}

// unaddressed leaves out the URL, whose query or user may be secret.
func unaddressed(err error) error {
	for its := (*url.Error)(nil); errors.As(err, &its); {
		err = its.Err
	}
	return fmt.Errorf("the collector did not answer: %w", err)
}

// rejected: a collector may take some spans and not others. Its count is a number, or a
// string that holds one.
func rejected(said []byte) error {
	var answer struct {
		PartialSuccess struct {
			RejectedSpans json.RawMessage `json:"rejectedSpans"`
		} `json:"partialSuccess"`
	}
	if json.Unmarshal(said, &answer) != nil {
		return nil // an empty answer, or protobuf: it was taken
	}
	switch strings.Trim(string(answer.PartialSuccess.RejectedSpans), `"`) {
	case "", "0", "null":
		return nil
	}
	return errors.New("the collector rejected some of the spans")
}
