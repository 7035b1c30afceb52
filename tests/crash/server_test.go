package crash

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"testing"
	"time"

	"windlass/tests/client"
	"windlass/tests/embedded"
)

// server is a stack that is killed while others use it. Its address changes with
// each start, so whoever failed asks for a new client.
type server struct {
	mu    sync.Mutex
	stack *embedded.Stack
}

// client waits while the process is down.
func (s *server) client() client.Client {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stack.Client()
}

func (s *server) kill() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stack.Kill()
	s.stack.Restart()
}

// insist sends a request again until it is answered, as late as the answer asks for.
// What the server refuses is a failure of the test.
func (s *server) insist(ctx context.Context, t *testing.T, request func(client.Client) error) bool {
	for ctx.Err() == nil {
		err := request(s.client())
		var refused *client.Problem
		switch {
		case err == nil:
			return true
		case errors.As(err, &refused) && !refused.Retryable && refused.HTTP != 502:
			t.Error(err)
			return false
		case errors.As(err, &refused):
			pause(ctx, refused.RetryAfter)
		}
	}
	t.Error(ctx.Err())
	return false
}

// pause waits for so many seconds, one if it is no number.
func pause(ctx context.Context, seconds string) {
	n, err := strconv.Atoi(seconds)
	if err != nil {
		n = 1
	}
	wait := time.NewTimer(time.Duration(n) * time.Second)
	defer wait.Stop()
	select {
	case <-wait.C:
	case <-ctx.Done():
	}
}
