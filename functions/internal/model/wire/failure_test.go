package wire

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"syscall"
	"testing"

	"windlass/functions/internal/model"
)

type late struct{}

func (late) Error() string   { return "secret" }
func (late) Timeout() bool   { return true }
func (late) Temporary() bool { return true }

func TestWhateverGoesWrongIsAFaultThatTellsNoAddress(t *testing.T) {
	const secret = "http://user:" + key + "@model.test/v1"
	wrapped := func(err error) error { return &url.Error{Op: "Post", URL: secret, Err: err} }
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	denied := &model.Fault{Code: model.Denied, Permanent: true, Message: "no"}
	for name, c := range map[string]struct {
		ctx  context.Context
		err  error
		want model.Fault
	}{
		"a fault":        {t.Context(), wrapped(fmt.Errorf("sdk: %w", denied)), *denied},
		"an ended one":   {ended, wrapped(denied), model.Fault{Code: model.Timeout, Message: "the model gave no whole answer in time"}},
		"a timeout":      {t.Context(), wrapped(&net.OpError{Op: "read", Err: late{}}), model.Fault{Code: model.Timeout, Message: "the model provider did not answer in time"}},
		"nobody there":   {t.Context(), wrapped(&net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}), model.Fault{Code: model.Unavailable, Message: "the model provider could not be reached: connection refused"}},
		"no such name":   {t.Context(), wrapped(&net.DNSError{Err: "no such host", Name: "model.test", IsNotFound: true}), model.Fault{Code: model.Unavailable, Message: "the model provider could not be reached"}},
		"something else": {t.Context(), wrapped(errors.New(key)), model.Fault{Code: model.Unavailable, Message: "the model provider could not be reached"}},
	} {
		if f := Failure(c.ctx, c.err); *f != c.want {
			t.Errorf("%s: %+v, want %+v", name, *f, c.want)
		}
		if f := Failure(c.ctx, c.err); strings.Contains(f.Error(), "model.test") || strings.Contains(f.Error(), key) {
			t.Errorf("%s: %v", name, f)
		}
	}
}
