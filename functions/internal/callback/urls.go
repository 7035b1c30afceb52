package callback

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"windlass/functions/internal/fault"
)

// Path is where callbacks are posted to, below the API's URL; a token follows.
const Path = "/v1/callbacks/"

// table is what URLs calls.
type table interface {
	GetItem(context.Context, *dynamodb.GetItemInput, ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error)
	PutItem(context.Context, *dynamodb.PutItemInput, ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error)
}

// URLs makes and reads a deployment's callback URLs. They are signed by one secret of
// the deployment, which stands in the live table,
//
//	pk "secret#callback"  sk "secret"  {secret}
//
// and is made by whoever needs it first: there is nothing to set up. Who deletes that
// row makes all URLs invalid that are under way. It is safe for concurrent use.
type URLs struct {
	Client table
	Table  string
	// API is the URL of the HTTP API; who only reads URLs needs none.
	API string

	mu     sync.Mutex
	secret []byte
}

// URL is where the outside reports what became of a call. The error is unavailable, or
// that the function was not told where the API is.
func (u *URLs) URL(ctx context.Context, s Step) (string, error) {
	if u.API == "" {
		return "", errors.New("callback: WINDLASS_API_URL is not set: set it to the URL of the HTTP API")
	}
	key, err := u.key(ctx)
	if err != nil {
		return "", err
	}
	return strings.TrimSuffix(u.API, "/") + Path + sign(key, s), nil
}

// Step is the call that a URL's token is for. Errors are not_found, whatever is
// wrong with it, and unavailable.
func (u *URLs) Step(ctx context.Context, token string) (Step, error) {
	key, err := u.key(ctx)
	if err != nil {
		return Step{}, err
	}
	return read(key, token)
}

// secretBytes is how long the secret is: as the MAC's hash.
const secretBytes = 32

func (u *URLs) key(ctx context.Context) ([]byte, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.secret != nil {
		return u.secret, nil
	}
	its, err := u.stored(ctx)
	if err == nil && its == nil {
		if err = u.make(ctx); err == nil {
			its, err = u.stored(ctx) // somebody else may have been first
		}
	}
	if err == nil && len(its) != secretBytes {
		err = errors.New("the row secret#callback holds no secret")
	}
	if err != nil {
		return nil, fmt.Errorf("callback: %w: %w", fault.New(fault.Unavailable, "callback URLs cannot be read now; send the same request again"), err)
	}
	u.secret = its
	return its, nil
}

func (u *URLs) row() map[string]types.AttributeValue {
	return map[string]types.AttributeValue{"pk": &types.AttributeValueMemberS{Value: "secret#callback"}, "sk": &types.AttributeValueMemberS{Value: "secret"}}
}

func (u *URLs) stored(ctx context.Context) ([]byte, error) {
	out, err := u.Client.GetItem(ctx, &dynamodb.GetItemInput{TableName: &u.Table, Key: u.row(), ConsistentRead: aws.Bool(true)})
	if err != nil || len(out.Item) == 0 {
		return nil, err
	}
	b, _ := out.Item["secret"].(*types.AttributeValueMemberB)
	if b == nil {
		return []byte{}, nil
	}
	return b.Value, nil
}

func (u *URLs) make(ctx context.Context) error {
	item, its := u.row(), make([]byte, secretBytes)
	_, _ = rand.Read(its) // never fails
	item["secret"] = &types.AttributeValueMemberB{Value: its}
	_, err := u.Client.PutItem(ctx, &dynamodb.PutItemInput{TableName: &u.Table, Item: item, ConditionExpression: aws.String("attribute_not_exists(pk)")})
	var there *types.ConditionalCheckFailedException
	if errors.As(err, &there) {
		return nil
	}
	return err
}
