package bedrock_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"windlass/functions/internal/model"
	"windlass/functions/internal/projection"
)

// piped answers with what is written to it, and heeds the request's context.
type piped struct {
	begin string
	left  *bool // the connection was closed
}

func (p piped) RoundTrip(r *http.Request) (*http.Response, error) {
	read, write := io.Pipe()
	go func() {
		_, _ = io.WriteString(write, p.begin)
		<-r.Context().Done()
		*p.left = true
		_ = write.CloseWithError(r.Context().Err())
	}()
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/vnd.amazon.eventstream"}}, Request: r, Body: read}, nil
}

// TestAStreamEndsWithItsReader: nothing goes on behind an answer, however it ends;
// synctest fails if a goroutine does.
func TestAStreamEndsWithItsReader(t *testing.T) {
	for name, c := range map[string]struct {
		begin string
		limit time.Duration
		want  string // a fault's code
	}{
		"a whole answer":          {said(0, "Hello.") + ended, time.Hour, ""},
		"a context that ends":     {said(0, "Hel"), time.Minute, model.Timeout},
		"within a frame":          {said(0, "Hel")[:20], time.Minute, model.Timeout},
		"a server that is silent": {said(0, "Hel"), time.Hour, model.Timeout},
		"an exception":            {exception("throttlingException", "{}"), time.Hour, model.RateLimited},
		"arguments of nobody":     {opens(0, "x", "f") + argues(1, "{}"), time.Hour, model.Unavailable},
	} {
		synctest.Test(t, func(t *testing.T) {
			var left bool
			p := over(t, piped{c.begin, &left})
			ctx, cancel := context.WithTimeout(t.Context(), c.limit)
			defer cancel()
			began := time.Now()
			_, _, err := model.Ask(ctx, p, model.Request{Model: "m", Messages: hello}, nil)
			synctest.Wait()
			var f *model.Fault
			if errors.As(err, &f); (f == nil) != (c.want == "") || f != nil && f.Code != c.want {
				t.Errorf("%s: %v", name, err)
			}
			if took := time.Since(began); !left || took > 3*time.Minute {
				t.Errorf("%s: left: %t, after %s", name, left, took)
			}
		})
	}
}

func TestAReaderThatHasEnoughEndsTheStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var left bool
		for range over(t, piped{said(0, "Hel") + said(0, "lo") + ended, &left}).Stream(t.Context(), model.Request{Model: "m", Messages: hello}) {
			break
		}
		if synctest.Wait(); !left {
			t.Error("the connection is still there")
		}
	})
}

// late reads the request only when its answer has begun.
type late struct{ sent chan []byte }

func (l late) RoundTrip(r *http.Request) (*http.Response, error) {
	read, write := io.Pipe()
	go func() {
		_, _ = io.WriteString(write, said(0, "Hel")) // is read when the SDK has let go of the request
		b, _ := io.ReadAll(r.Body)
		l.sent <- b
		_, _ = io.WriteString(write, said(0, "lo")+ended)
		_ = write.Close()
	}()
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/vnd.amazon.eventstream"}}, Request: r, Body: read}, nil
}

// TestAnAnswerMayBeginBeforeTheRequestIsAtItsEnd: the SDK closes its own body then,
// and the connection is lost with the answer.
func TestAnAnswerMayBeginBeforeTheRequestIsAtItsEnd(t *testing.T) {
	l := late{make(chan []byte, 1)}
	a, _, err := hear(t, l)
	if err != nil || show(a) != `text "Hello"; end` {
		t.Errorf("%v, %s", err, show(a))
	}
	if sent := <-l.sent; !bytes.HasSuffix(sent, []byte(`{"text":"hello"},{"cachePoint":{"type":"default"}}]}]}`)) {
		t.Errorf("sent %q", sent)
	}
}

// TestStreamsDoNotMeet is for the race detector: the SDK's own protocol has a decoder
// that all streams of a client share.
func TestStreamsDoNotMeet(t *testing.T) {
	p := over(t, canned(said(0, "Hello.")+ended))
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if a, _, err := model.Ask(t.Context(), p, model.Request{Model: "m", Messages: []projection.Message{user(says("a"))}}, nil); err != nil || show(a) != `text "Hello."; end` {
				t.Errorf("%v, %s", err, show(a))
			}
		})
	}
	all.Wait()
}
