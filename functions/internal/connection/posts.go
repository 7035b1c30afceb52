package connection

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	api "github.com/aws/aws-sdk-go-v2/service/apigatewaymanagementapi"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// postTimeout bounds one call. A slow one must not hold up other connections, and
// what it carried is asked for again by the client.
const postTimeout = time.Second

var (
	// ErrGone: there is no such connection, and will not be again.
	ErrGone = errors.New("connection: it is gone; forget it")
	// ErrBusy: the connection takes no more just now. What was sent is lost.
	ErrBusy = errors.New("connection: it takes no more just now; skip the frame")
)

// Posts sends frames to connections through API Gateway. It is safe for concurrent
// use; frames that must arrive in order are sent one after the other. Nothing is
// ever sent twice.
type Posts struct{ client *api.Client }

// NewPosts posts to the connections of a socket URL, wss://host/stage (ws:// on this
// machine): AWS's rule is the same host and stage over HTTP. Endpoints that cfg or the
// environment name do not matter.
func NewPosts(cfg aws.Config, socket *url.URL) *Posts {
	endpoint := managementURL(socket)
	return &Posts{api.NewFromConfig(cfg, func(o *api.Options) {
		o.BaseEndpoint = &endpoint
		o.Retryer = aws.NopRetryer{}
	})}
}

// Post sends one frame. That nothing came back in time says nothing about whether
// it arrived. Errors are [ErrGone], [ErrBusy], and others with their cause.
func (p *Posts) Post(ctx context.Context, id string, frame []byte) error {
	ctx, cancel := context.WithTimeout(ctx, postTimeout)
	defer cancel()
	_, err := p.client.PostToConnection(ctx, &api.PostToConnectionInput{ConnectionId: &id, Data: frame})
	return answered("post", err)
}

// Close closes a connection. One that is gone is closed.
func (p *Posts) Close(ctx context.Context, id string) error {
	ctx, cancel := context.WithTimeout(ctx, postTimeout)
	defer cancel()
	_, err := p.client.DeleteConnection(ctx, &api.DeleteConnectionInput{ConnectionId: &id})
	if err = answered("close", err); errors.Is(err, ErrGone) {
		return nil
	}
	return err
}

// answered goes by the status, which every gateway sends.
func answered(op string, err error) error {
	var response *smithyhttp.ResponseError
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &response):
	case response.HTTPStatusCode() == http.StatusGone:
		return ErrGone
	case response.HTTPStatusCode() == http.StatusTooManyRequests:
		return ErrBusy
	}
	return fmt.Errorf("connection: %s: %w", op, err)
}
