package gateway

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"strings"
	"sync"
	"time"
)

// Quotas of WebSocket APIs, from the developer guide's table of them, except for
// the last: AWS bounds new connections by second, a laptop needs a bound on all.
const (
	MaxFrame      = 32 << 10  // bytes of one frame from a client
	MaxMessage    = 128 << 10 // bytes of a message, either way
	MaxSocketURL  = 4096      // characters
	SocketTimeout = 29 * time.Second
	SocketIdle    = 10 * time.Minute
	SocketLife    = 2 * time.Hour
	MaxSockets    = 10_000
)

// SocketOptions configure a WebSocket API.
type SocketOptions struct {
	// Invoke runs the function behind a route key. It must return soon after its
	// context ends.
	Invoke func(ctx context.Context, routeKey string, event []byte) ([]byte, error)

	// Routes are the route keys: $connect, $disconnect, $default and the values
	// that Selection may find.
	Routes []string

	// Selection is the route selection expression. "$request.body.NAME" is the
	// only form modelled.
	Selection string

	APIID   string
	Stage   string // the path of the handshake is /{Stage}
	Account string // AWS puts no account into a WebSocket event, so none is here

	Idle, Life time.Duration // 0 means AWS's: SocketIdle, SocketLife
	Log        *slog.Logger
	Now        func() time.Time // what events say; timers follow the real clock
}

// A SocketAPI is a WebSocket API with one stage. As a handler it takes
// handshakes; Connections is what functions post to. It keeps nothing: a crash
// ends every connection, and no $disconnect is told.
type SocketAPI struct {
	SocketOptions
	member string // of a message's body, the one that Selection names
	routes map[string]bool

	ctx    context.Context // ends what functions may still do after Close
	cancel context.CancelFunc
	tasks  sync.WaitGroup // every goroutine and every handshake

	mu          sync.Mutex
	connections map[string]*connection
	admitted    int // open or in their handshake
	closed      bool
}

var (
	selection = regexp.MustCompile(`^\$request\.body\.([A-Za-z_][A-Za-z0-9_-]*)$`)
	stageName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,128}$`)
)

// NewSocket returns a WebSocket API, or says which option is not modelled.
func NewSocket(o SocketOptions) (*SocketAPI, error) {
	member := selection.FindStringSubmatch(o.Selection)
	switch {
	case o.Invoke == nil:
		return nil, errors.New("a WebSocket API needs Invoke")
	case member == nil:
		return nil, fmt.Errorf("route selection expression %q: only $request.body.NAME is modelled", o.Selection)
	case !stageName.MatchString(o.Stage):
		return nil, fmt.Errorf("stage %q: use letters, digits, - and _", o.Stage)
	case o.Idle < 0 || o.Life < 0:
		return nil, errors.New("Idle and Life cannot be negative; 0 means AWS's")
	}
	routes, err := routeSet(o.Routes)
	if err != nil {
		return nil, err
	}
	a := &SocketAPI{SocketOptions: o.withDefaults(), member: member[1], routes: routes, connections: map[string]*connection{}}
	a.ctx, a.cancel = context.WithCancel(context.Background())
	return a, nil
}

func (o SocketOptions) withDefaults() SocketOptions {
	if o.Idle == 0 {
		o.Idle = SocketIdle
	}
	if o.Life == 0 {
		o.Life = SocketLife
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

func routeSet(keys []string) (map[string]bool, error) {
	routes := map[string]bool{}
	for _, key := range keys {
		own := key == connectRoute || key == disconnectRoute || key == defaultRoute
		switch {
		case key == "" || strings.HasPrefix(key, "$") && !own:
			return nil, fmt.Errorf("route key %q is none of AWS's", key)
		case routes[key]:
			return nil, fmt.Errorf("route key %q stands twice", key)
		}
		routes[key] = true
	}
	return routes, nil
}
