package main

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-lambda-go/events"
	awslambda "github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/apigatewaymanagementapi"
	"github.com/aws/aws-sdk-go-v2/service/apigatewaymanagementapi/types"
	"github.com/coder/websocket"
)

// live is a fake whose function socket answers every message with what it was
// called with, and whose function publish posts the keys of the table's commits
// to whoever is connected.
type live struct {
	*fake
	told chan events.APIGatewayWebsocketProxyRequest // $connect and $disconnect

	mu   sync.Mutex
	open map[string]bool
}

func (l *live) product() product {
	p := l.fake.product()
	p.Function = func(name string, env func(string) string, cfg aws.Config) (awslambda.Handler, error) {
		posts := posts(cfg, env("WINDLASS_SOCKET_URL"))
		switch name {
		case "socket":
			return awslambda.NewHandler(func(ctx context.Context, r events.APIGatewayWebsocketProxyRequest) (any, error) {
				return l.socket(ctx, posts, r)
			}), nil
		case "publish":
			return awslambda.NewHandler(func(ctx context.Context, e events.DynamoDBEvent) error { return l.publish(ctx, posts, e) }), nil
		}
		return l.fake.function(name, env, cfg)
	}
	return p
}

// posts reaches the sockets' API as AWS says: at the socket's own address, by
// https for wss.
func posts(cfg aws.Config, socket string) *apigatewaymanagementapi.Client {
	return apigatewaymanagementapi.NewFromConfig(cfg, func(o *apigatewaymanagementapi.Options) {
		o.BaseEndpoint, o.Retryer = aws.String(strings.Replace(socket, "ws", "http", 1)), aws.NopRetryer{}
	})
}

func (l *live) socket(ctx context.Context, posts *apigatewaymanagementapi.Client, r events.APIGatewayWebsocketProxyRequest) (any, error) {
	id := r.RequestContext.ConnectionID
	answer := events.APIGatewayProxyResponse{StatusCode: http.StatusOK}
	if r.RequestContext.EventType == "MESSAGE" {
		_, err := posts.PostToConnection(ctx, &apigatewaymanagementapi.PostToConnectionInput{ConnectionId: &id, Data: []byte(r.RequestContext.RouteKey + " " + r.Body)})
		return answer, err
	}
	l.mu.Lock()
	l.open[id] = r.RequestContext.EventType == "CONNECT"
	l.mu.Unlock()
	l.told <- r
	return answer, nil
}

func (l *live) publish(ctx context.Context, posts *apigatewaymanagementapi.Client, e events.DynamoDBEvent) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	var errs []error
	for id, open := range l.open {
		for _, r := range e.Records {
			if !open {
				continue
			}
			_, err := posts.PostToConnection(ctx, &apigatewaymanagementapi.PostToConnectionInput{ConnectionId: &id, Data: []byte("commit " + r.Change.Keys["sk"].String())})
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

func launchLive(t *testing.T, more map[string]string) (*live, *running) {
	t.Helper()
	l := &live{fake: newFake(), told: make(chan events.APIGatewayWebsocketProxyRequest, 10), open: map[string]bool{}}
	env := map[string]string{"WINDLASS_TEMPLATE": "testdata/socket.yaml"}
	for k, v := range more {
		env[k] = v
	}
	return l, launch(t, l.product(), t.TempDir(), env)
}

func (r *running) dial(origin string) (*websocket.Conn, *http.Response) {
	r.t.Helper()
	header := http.Header{}
	if origin != "" {
		header.Set("Origin", origin)
	}
	c, res, err := websocket.Dial(r.t.Context(), r.at.Socket+"?ticket=t", &websocket.DialOptions{HTTPHeader: header})
	if err != nil && res == nil {
		r.t.Fatal(err)
	}
	if err == nil {
		r.t.Cleanup(func() { _ = c.CloseNow() })
	}
	return c, res
}

func hears(t *testing.T, c *websocket.Conn, want string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if _, got, err := c.Read(ctx); err != nil || string(got) != want {
		t.Fatalf("hears %q, %v; want %q", got, err, want)
	}
}

// One way round: handshake, message, a function's post, a commit's, the end.
func TestASocketIsServedThroughFunctions(t *testing.T) {
	l, r := launchLive(t, nil)
	if want := strings.Replace(r.at.API, "http://", "ws://", 1) + "/live"; r.at.Socket != want {
		t.Errorf("the socket is at %s, want %s", r.at.Socket, want)
	}
	c, res := r.dial("")
	if c == nil {
		t.Fatalf("%s\n%s", res.Status, r.errs)
	}
	connected := <-l.told
	if connected.RequestContext.RouteKey != "$connect" || connected.QueryStringParameters["ticket"] != "t" || connected.RequestContext.APIID != "windlass-socket" {
		t.Errorf("%+v", connected)
	}
	// An id is no plain path element: it is escaped, and the escapes are signed.
	if id := connected.RequestContext.ConnectionID; !strings.HasSuffix(id, "=") {
		t.Errorf("connection %q", id)
	}
	if err := c.Write(t.Context(), websocket.MessageText, []byte(`{"type":"ping"}`)); err != nil {
		t.Fatal(err)
	}
	hears(t, c, `ping {"type":"ping"}`)
	if status, body := r.post("/commit", "1"); status != 202 {
		t.Fatalf("%d %s", status, body)
	}
	hears(t, c, "commit 1")
	await(t, l.dispatched, `"sk":{"S":"1"}`) // the stream's other reader
	r.stop()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if _, _, err := c.Read(ctx); websocket.CloseStatus(err) != websocket.StatusGoingAway {
		t.Errorf("at the stop: %v", err)
	}
}

func TestAFunctionHearsOfADisconnectAndItsPostsAreGone(t *testing.T) {
	l, r := launchLive(t, nil)
	c, _ := r.dial("")
	id := (<-l.told).RequestContext.ConnectionID
	if err := c.Close(websocket.StatusNormalClosure, ""); err != nil {
		t.Fatal(err)
	}
	if left := <-l.told; left.RequestContext.RouteKey != "$disconnect" || left.RequestContext.ConnectionID != id {
		t.Errorf("%+v", left.RequestContext)
	}
	_, err := r.posts().PostToConnection(t.Context(), &apigatewaymanagementapi.PostToConnectionInput{ConnectionId: &id, Data: []byte("x")})
	var gone *types.GoneException
	if !errors.As(err, &gone) {
		t.Errorf("%v, want that it is gone", err)
	}
}

// posts is a client as another program would have it.
func (r *running) posts() *apigatewaymanagementapi.Client {
	r.t.Helper()
	creds, err := loadCredentials(r.env["WINDLASS_DATA"])
	if err != nil {
		r.t.Fatal(err)
	}
	return posts(awsConfig(nil, creds, r.at.AWS), r.at.Socket)
}

func TestPostsToSocketsAreSigned(t *testing.T) {
	l, r := launchLive(t, nil)
	c, _ := r.dial("")
	id := (<-l.told).RequestContext.ConnectionID
	in := &apigatewaymanagementapi.PostToConnectionInput{ConnectionId: &id, Data: []byte("x")}
	for name, change := range map[string]func(*apigatewaymanagementapi.Options){
		"unsigned": func(o *apigatewaymanagementapi.Options) { o.Credentials = aws.AnonymousCredentials{} },
		"another secret": func(o *apigatewaymanagementapi.Options) {
			o.Credentials = aws.CredentialsProviderFunc(func(ctx context.Context) (aws.Credentials, error) {
				creds, err := loadCredentials(r.env["WINDLASS_DATA"])
				return aws.Credentials{AccessKeyID: creds.accessKey, SecretAccessKey: "guess"}, err
			})
		},
	} {
		if _, err := r.posts().PostToConnection(t.Context(), in, change); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
	// As good a proof of the same secret, but for other requests.
	req, err := http.NewRequestWithContext(t.Context(), "POST", r.at.API+"/live/@connections/"+id, strings.NewReader("x"))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=k/20261130/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=00")
	req.Header.Set("X-Amz-Date", "20261130T120000Z")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var says struct{ Message string }
	if err := json.NewDecoder(res.Body).Decode(&says); err != nil || res.StatusCode != 403 || !strings.Contains(says.Message, "execute-api") {
		t.Errorf("%d %q, %v", res.StatusCode, says.Message, err)
	}
	// None of them arrived: the next message is the first.
	if _, err := r.posts().PostToConnection(t.Context(), &apigatewaymanagementapi.PostToConnectionInput{ConnectionId: &id, Data: []byte("signed")}); err != nil {
		t.Fatal(err)
	}
	hears(t, c, "signed")
}

func TestPagesOfOtherOriginsOpenNoSocket(t *testing.T) {
	_, r := launchLive(t, nil)
	port := r.at.API[strings.LastIndexByte(r.at.API, ':'):]
	for origin, status := range map[string]int{
		"":                             101,
		r.at.API:                       101,
		"http://localhost" + port:      101, // the same page under its other name
		"http://LOCALHOST" + port:      101,
		"http://[::1]" + port:          101,
		"http://localhost":             403,
		"http://localhost:1":           403,
		"https://localhost" + port:     403,
		"http://evil.example" + port:   403,
		"http://127.0.0.1.evil" + port: 403,
		"null":                         403,
	} {
		if _, res := r.dial(origin); res.StatusCode != status {
			t.Errorf("origin %q: %d, want %d", origin, res.StatusCode, status)
		}
	}
	// Nothing else is open to the other name.
	req, err := http.NewRequestWithContext(t.Context(), "POST", r.at.API+"/commit", strings.NewReader("1"))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Origin", "http://localhost"+port)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != http.StatusForbidden {
		t.Errorf("a request from the other name: %d", res.StatusCode)
	}
}

func TestOnlyAHandshakeAtTheStageIsTheSocketsOwn(t *testing.T) {
	_, r := launchLive(t, nil)
	for _, path := range []string{"/live", "/live/x", "/livelier"} {
		if status, _ := r.post(path, ""); status != 202 { // the HTTP API's function
			t.Errorf("%s: %d", path, status)
		}
	}
	_, res, err := websocket.Dial(t.Context(), r.at.API+"/other", nil)
	if err == nil || res == nil || res.StatusCode != 202 {
		t.Errorf("a handshake elsewhere: %v", err)
	}
}

func TestASocketsTimesCanBeShortened(t *testing.T) {
	for _, name := range []string{"WINDLASS_LOCAL_SOCKET_IDLE", "WINDLASS_LOCAL_SOCKET_LIFE"} {
		_, r := launchLive(t, map[string]string{name: "1ms"})
		c, _ := r.dial("")
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		if _, _, err := c.Read(ctx); websocket.CloseStatus(err) != websocket.StatusGoingAway {
			t.Errorf("%s: %v", name, err)
		}
	}
}
