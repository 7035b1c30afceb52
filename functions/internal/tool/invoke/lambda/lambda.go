// Package lambda calls functions by the SDK. It stands apart from package invoke because a
// function that only checks what an agent's definition says is linked without it.
package lambda

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
)

// Invoker calls a function once by this client, and waits for its answer: what it
// returned or, if it threw, that. The error is the SDK's.
func Invoker(c *sdk.Client) func(ctx context.Context, function string, payload []byte) (answer []byte, threw bool, err error) {
	return func(ctx context.Context, function string, payload []byte) ([]byte, bool, error) {
		out, err := c.Invoke(ctx, &sdk.InvokeInput{
			FunctionName: &function, InvocationType: types.InvocationTypeRequestResponse, Payload: payload,
		}, once)
		if err != nil {
			return nil, false, err
		}
		return out.Payload, out.FunctionError != nil, nil
	}
}

// once: a call is sent once, and whoever made it decides on another.
func once(o *sdk.Options) { o.Retryer = aws.NopRetryer{} }
