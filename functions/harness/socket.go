package harness

import (
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"windlass/eventstore"
	"windlass/eventstore/dynamo"
	"windlass/functions/internal/auth"
	"windlass/functions/internal/connection"
	"windlass/functions/internal/fanout"
	"windlass/functions/internal/preview"
	"windlass/functions/internal/wsapi"
)

// socketLife is how long a connection lives if nothing else is said: ten minutes
// less than API Gateway lets it, so that its client hears of the end.
const socketLife = 110 * time.Minute

func socket(b builder) (any, error) {
	s, err := b.service()
	if err != nil {
		return nil, err
	}
	live, err := b.live()
	if err != nil {
		return nil, err
	}
	posts, err := b.posts()
	if err != nil {
		return nil, err
	}
	life, err := b.env.Duration("WINDLASS_SOCKET_LIFE", socketLife)
	if err == nil && life >= 2*time.Hour {
		err = errors.New("WINDLASS_SOCKET_LIFE is two hours or more; API Gateway ends a socket then, and its client would hear nothing")
	}
	if err != nil {
		return nil, err
	}
	return wsapi.New(s, live.connections, live.previews, posts, live.keys, time.Now, life).Lambda(), nil
}

func publish(b builder) (any, error) {
	journal, err := b.journal()
	if err != nil {
		return nil, err
	}
	live, err := b.live()
	if err != nil {
		return nil, err
	}
	posts, err := b.posts()
	if err != nil {
		return nil, err
	}
	lagging := func(r events.DynamoDBEventRecord) (eventstore.Record, error) {
		commit, err := record(r)
		if err == nil {
			b.metrics.Took("PublishLag", time.Since(commit.At))
		}
		return commit, err
	}
	return onStream(fanout.New(live.connections, posts, live.keys, journal, lagging, time.Now).Publish), nil
}

// previews show a turn's answers while they are written.
func (b builder) previews() (*preview.Previews, error) {
	live, err := b.live()
	if err != nil {
		return nil, err
	}
	posts, err := b.posts()
	if err != nil {
		return nil, err
	}
	return preview.New(live.previews, live.connections, posts, live.keys, time.Now), nil
}

// live is what stands in the live table.
type live struct {
	keys        *auth.Keys
	connections *connection.Table
	previews    *preview.Table
}

func (b builder) live() (live, error) {
	table, err := b.env.Required("WINDLASS_LIVE_TABLE")
	if err != nil {
		return live{}, err
	}
	tokens, err := b.tokens()
	client := dynamodb.NewFromConfig(b.cfg)
	return live{
		&auth.Keys{Client: client, Table: table, Now: time.Now, Tokens: tokens},
		&connection.Table{Client: client, Name: table, Now: time.Now},
		&preview.Table{Client: client, Name: table, Now: time.Now},
	}, err
}

// tokens are let in beside keys, if the settings say whose. Functions that let nobody in
// read them too: what a token opened ends where its issuer is trusted no more.
func (b builder) tokens() (*auth.Tokens, error) {
	t, err := auth.NewTokens(auth.TokenSettings{
		Issuer: b.env("WINDLASS_OIDC_ISSUER"), Audience: b.env("WINDLASS_OIDC_AUDIENCE"), TenantClaim: b.env("WINDLASS_OIDC_TENANT_CLAIM"), Now: time.Now,
	})
	if err != nil {
		return nil, fmt.Errorf("WINDLASS_OIDC_ISSUER, WINDLASS_OIDC_AUDIENCE: %w", err)
	}
	return t, nil
}

func (b builder) posts() (*connection.Posts, error) {
	at, err := b.socketURL()
	if err != nil {
		return nil, err
	}
	return connection.NewPosts(b.cfg, at), nil
}

// socketURL is where sockets are opened, such as wss://host/stage.
func (b builder) socketURL() (*url.URL, error) {
	v, err := b.env.Required("WINDLASS_SOCKET_URL")
	if err != nil {
		return nil, err
	}
	u, err := connection.SocketURL(v)
	if err != nil {
		return nil, fmt.Errorf("WINDLASS_SOCKET_URL: %w", err)
	}
	return u, nil
}

// record reads a commit from the table's stream.
func record(r events.DynamoDBEventRecord) (eventstore.Record, error) {
	image := make(map[string]types.AttributeValue, len(r.Change.NewImage))
	for name, v := range r.Change.NewImage {
		switch v.DataType() {
		case events.DataTypeString:
			image[name] = &types.AttributeValueMemberS{Value: v.String()}
		case events.DataTypeNumber:
			image[name] = &types.AttributeValueMemberN{Value: v.Number()}
		default:
			return eventstore.Record{}, fmt.Errorf("record %s: attribute %s is of a kind that no commit has", r.EventID, name)
		}
	}
	return dynamo.ReadRecord(image)
}
