package harness_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-lambda-go/lambda/messages"
	"github.com/aws/aws-sdk-go-v2/aws"

	"windlass/functions/harness"
	"windlass/functions/harness/all"
)

// transport answers the SDK's requests and notes them.
type transport struct {
	err    error
	bodies []string
}

func (f *transport) Do(r *http.Request) (*http.Response, error) {
	b, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	f.bodies = append(f.bodies, string(b))
	if f.err != nil {
		return nil, f.err
	}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader([]byte("{}"))), Request: r}, nil
}

func config(f *transport) aws.Config {
	return aws.Config{
		Region: "eu-central-1", HTTPClient: f, RetryMaxAttempts: 1,
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "id", SecretAccessKey: "secret"}, nil
		}),
	}
}

// invoke builds a function as the template says and invokes it, with five
// seconds for it.
func invoke(t *testing.T, f *transport, name, payload string) ([]byte, error) {
	t.Helper()
	set := env(variables(t)[name])
	h, err := all.Function(name, func(n string) string { return set[n] }, config(f))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	return h.Invoke(ctx, []byte(payload))
}

func TestAnOutageOfAWSHasItsNameInEveryFunction(t *testing.T) {
	for name, payload := range map[string]string{
		"drive":   `{"turn":{"tenant":"t","session":"s","operation":"a","generation":1},"execution":"e","enteredAt":"x","retryCount":0}`,
		"recover": `{"detail-type":"Scheduled Event","source":"aws.events","detail":{}}`,
	} {
		synctest.Test(t, func(t *testing.T) {
			_, err := invoke(t, &transport{err: errors.New("connection refused")}, name, payload)
			if e, ok := err.(messages.InvokeResponse_Error); !ok || e.Type != "unavailable" || strings.Contains(e.Message, "refused") { //nolint:errorlint // as the runtime does
				t.Errorf("%s: %#v; want it named unavailable", name, err)
			}
		})
	}
	synctest.Test(t, func(t *testing.T) {
		out, err := invoke(t, &transport{err: errors.New("connection refused")}, "dispatch", `{"Records":[{"dynamodb":{"SequenceNumber":"7","Keys":{"pk":{"S":"t#s#commit"}}}}]}`)
		if err != nil || string(out) != `{"batchItemFailures":[{"itemIdentifier":"7"}]}` {
			t.Errorf("dispatch: %s, %v; want the record reported", out, err)
		}
	})
}

func TestPayloadsThatDoNotFitAreErrorsWithAName(t *testing.T) {
	for _, name := range all.Names() {
		_, err := invoke(t, &transport{}, name, `"not an object"`)
		if e, ok := err.(messages.InvokeResponse_Error); !ok || e.Type != "internal" { //nolint:errorlint // as the runtime does
			t.Errorf("%s: %#v; want it named internal", name, err)
		}
	}
}

func TestAPIAnswersWithoutAKeyAndWithoutAWS(t *testing.T) {
	for path, want := range map[string]int{"/healthz": 200, "/v1/sessions/s/events": 401, "/..": 422} {
		f := &transport{err: errors.New("must not be called")}
		out, err := invoke(t, f, "api", `{"version":"2.0","rawPath":"`+path+`","requestContext":{"http":{"method":"GET"}}}`)
		var r events.APIGatewayV2HTTPResponse
		if err != nil || json.Unmarshal(out, &r) != nil || r.StatusCode != want || !r.IsBase64Encoded || len(f.bodies) != 0 {
			t.Errorf("%s: %s, %v, %d calls of AWS; want status %d", path, out, err, len(f.bodies), want)
		}
		if body, err := base64.StdEncoding.DecodeString(r.Body); err != nil || !json.Valid(body) {
			t.Errorf("%s: body %q, %v", path, body, err)
		}
	}
}

func TestPutKeyStoresAKeysHashAndNotTheKey(t *testing.T) {
	f := &transport{}
	const key = "0123456789abcdef-the-key"
	if err := harness.PutKey(t.Context(), config(f), "live", key, "acme"); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte(key))
	if len(f.bodies) != 1 || strings.Contains(f.bodies[0], key) || !strings.Contains(f.bodies[0], "key#"+hex.EncodeToString(sum[:])) || !strings.Contains(f.bodies[0], `"acme"`) {
		t.Errorf("sent %v", f.bodies)
	}
}
