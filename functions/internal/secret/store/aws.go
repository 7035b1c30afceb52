package store

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
	"github.com/aws/aws-sdk-go-v2/service/ssm"
	"github.com/aws/aws-sdk-go-v2/service/ssm/types"
	"github.com/aws/smithy-go"
	transport "github.com/aws/smithy-go/transport/http"

	"windlass/functions/internal/secret"
)

// AWS reads from whichever service an ARN names, in its region. The SDK alone repeats a
// request.
func AWS(cfg aws.Config) secret.Reader {
	return byService{
		secret.Manager:   manager{secretsmanager.NewFromConfig(cfg)},
		secret.Parameter: parameters{ssm.NewFromConfig(cfg)},
	}
}

type byService map[string]secret.Reader

func (b byService) Read(ctx context.Context, ref secret.Ref) (string, error) {
	r, ok := b[ref.Service]
	if !ok {
		return "", &secret.Error{Code: secret.Refused, Ref: ref, Said: "nothing reads from that service"}
	}
	return r.Read(ctx, ref)
}

// manager reads the current version of a secret of Secrets Manager.
type manager struct{ client *secretsmanager.Client }

func (m manager) Read(ctx context.Context, ref secret.Ref) (string, error) {
	out, err := m.client.GetSecretValue(ctx, &secretsmanager.GetSecretValueInput{SecretId: &ref.ARN},
		func(o *secretsmanager.Options) { o.Region = ref.Region })
	if err != nil {
		return "", failure(ref, err)
	}
	if out.SecretString == nil {
		return "", &secret.Error{Code: secret.Malformed, Ref: ref, Said: "it is binary; want a text"}
	}
	return *out.SecretString, nil
}

// parameters reads a SecureString of Parameter Store. A plain String is refused: it is
// shown to whoever may list parameters.
type parameters struct{ client *ssm.Client }

func (p parameters) Read(ctx context.Context, ref secret.Ref) (string, error) {
	out, err := p.client.GetParameter(ctx, &ssm.GetParameterInput{Name: &ref.ARN, WithDecryption: aws.Bool(true)},
		func(o *ssm.Options) { o.Region = ref.Region })
	if err != nil {
		return "", failure(ref, err)
	}
	if out.Parameter == nil || out.Parameter.Type != types.ParameterTypeSecureString || out.Parameter.Value == nil {
		return "", &secret.Error{Code: secret.Malformed, Ref: ref, Said: "it is no SecureString"}
	}
	return *out.Parameter.Value, nil
}

// codes are AWS's names of errors. Whatever else is a client's fault is Refused.
var codes = map[string]secret.Code{
	"AccessDeniedException": secret.Denied, "DecryptionFailure": secret.Denied, "InvalidKeyId": secret.Denied, "UnrecognizedClientException": secret.Denied,
	"InvalidSignatureException": secret.Denied, "ExpiredTokenException": secret.Denied,
	"ResourceNotFoundException": secret.NotFound, "InvalidRequestException": secret.NotFound, "ParameterNotFound": secret.NotFound, "ParameterVersionNotFound": secret.NotFound,
	"ThrottlingException": secret.Unavailable, "TooManyRequestsException": secret.Unavailable, "RequestLimitExceeded": secret.Unavailable,
	"InternalServiceError": secret.Unavailable, "InternalServerError": secret.Unavailable, "ServiceUnavailable": secret.Unavailable, "InternalFailure": secret.Unavailable,
}

// failure keeps of an error what is known to be no secret: names, a status, an address.
func failure(ref secret.Ref, err error) error {
	var named smithy.APIError
	var answer *transport.ResponseError
	var network *net.OpError
	e := &secret.Error{Code: secret.Unavailable, Ref: ref, Said: "no answer"}
	if errors.As(err, &answer) {
		e.Said = "HTTP status " + strconv.Itoa(answer.HTTPStatusCode())
	}
	switch {
	case errors.As(err, &named):
		e.Said = named.ErrorCode()
		code, known := codes[e.Said]
		switch {
		case known:
			e.Code = code
		case answer != nil && answer.HTTPStatusCode() < http.StatusInternalServerError && answer.HTTPStatusCode() != http.StatusTooManyRequests:
			e.Code = secret.Refused
		}
	case errors.Is(err, context.DeadlineExceeded):
		e.Said = "no answer in time; a function in a VPC needs a way to the service"
	case errors.As(err, &network):
		e.Said = network.Error()
	}
	return e
}
