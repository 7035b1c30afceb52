package store

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"

	"windlass/functions/internal/secret"
)

// signer has credentials that nobody checks.
var signer = aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
	return aws.Credentials{AccessKeyID: "AKID", SecretAccessKey: "SECRET"}, nil
})

// service answers as both services do, by a body for each target.
func service(t *testing.T, status int, answers map[string]string, asked *[]*http.Request) aws.Config {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		*asked = append(*asked, r)
		w.Header().Set("Content-Type", "application/x-amz-json-1.1")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, answers[r.Header.Get("X-Amz-Target")])
	}))
	t.Cleanup(s.Close)
	return aws.Config{Region: "us-west-2", BaseEndpoint: &s.URL, Credentials: signer, RetryMaxAttempts: 1}
}

const (
	getSecret    = "secretsmanager.GetSecretValue"
	getParameter = "AmazonSSM.GetParameter"

	managed = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:windlass/prod/openai-AbCdEf"
	stored  = "arn:aws:ssm:us-east-1:123456789012:parameter/windlass/prod/openai"
	first   = "sk-first-0123456789"
)

func ref(t *testing.T, text string) secret.Ref {
	t.Helper()
	r, err := secret.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestEachServiceIsAskedInItsOwnWords(t *testing.T) {
	for arn, c := range map[string]struct{ target, answer, scope, body string }{
		managed: {getSecret, `{"SecretString":"` + first + `"}`, "/eu-central-1/secretsmanager/", `{"SecretId":"` + managed + `"}`},
		stored:  {getParameter, `{"Parameter":{"Type":"SecureString","Value":"` + first + `"}}`, "/us-east-1/ssm/", `{"Name":"` + stored + `","WithDecryption":true}`},
	} {
		var asked []*http.Request
		cfg := service(t, 200, map[string]string{c.target: c.answer}, &asked)
		got, err := AWS(cfg).Read(t.Context(), ref(t, arn))
		if got != first || err != nil || len(asked) != 1 {
			t.Fatalf("%s: %q, %v, %d requests", arn, got, err, len(asked))
		}
		var sent, wanted map[string]any
		_ = json.NewDecoder(asked[0].Body).Decode(&sent)
		_ = json.Unmarshal([]byte(c.body), &wanted)
		for name, value := range wanted {
			if sent[name] != value {
				t.Errorf("%s: %s is %v", arn, name, sent[name])
			}
		}
		if auth := asked[0].Header.Get("Authorization"); !strings.Contains(auth, c.scope) {
			t.Errorf("%s: signed by %s, want the ARN's region and service", arn, auth)
		}
	}
}

func TestWhatServicesRefuseIsCodedAndAdvisesAndHidesTheValue(t *testing.T) {
	complaint := func(name string) string {
		return `{"__type":"` + name + `","message":"about ` + first + `"}`
	}
	for name, c := range map[string]struct {
		status int
		target map[string]string
		arn    string
		code   secret.Code
		says   string
	}{
		"a role without leave":         {400, map[string]string{getSecret: complaint("AccessDeniedException")}, managed, secret.Denied, "secretsmanager:GetSecretValue"},
		"a parameter without leave":    {400, map[string]string{getParameter: complaint("AccessDeniedException")}, stored, secret.Denied, "ssm:GetParameter"},
		"a key without leave":          {400, map[string]string{getSecret: complaint("DecryptionFailure")}, managed, secret.Denied, "kms:Decrypt"},
		"no secret":                    {400, map[string]string{getSecret: complaint("ResourceNotFoundException")}, managed, secret.NotFound, "create it"},
		"no parameter":                 {400, map[string]string{getParameter: complaint("ParameterNotFound")}, stored, secret.NotFound, "create it"},
		"a secret that is going":       {400, map[string]string{getSecret: complaint("InvalidRequestException")}, managed, secret.NotFound, "InvalidRequestException"},
		"too many":                     {400, map[string]string{getParameter: complaint("ThrottlingException")}, stored, secret.Unavailable, "again"},
		"a fault of theirs":            {500, map[string]string{getSecret: complaint("InternalServiceError")}, managed, secret.Unavailable, "again"},
		"something new":                {400, map[string]string{getSecret: complaint("SomethingNewException")}, managed, secret.Refused, "SomethingNewException"},
		"no JSON":                      {200, map[string]string{getSecret: `{"SecretString":"` + first}, managed, secret.Unavailable, "again"},
		"a page":                       {502, map[string]string{getSecret: "<html>" + first}, managed, secret.Unavailable, "again"},
		"a binary secret":              {200, map[string]string{getSecret: `{"SecretBinary":"c2stZmlyc3Q="}`}, managed, secret.Malformed, "want a text"},
		"a parameter that all may see": {200, map[string]string{getParameter: `{"Parameter":{"Type":"String","Value":"` + first + `"}}`}, stored, secret.Malformed, "no SecureString"},
		"nothing":                      {200, map[string]string{getParameter: `{}`}, stored, secret.Malformed, "no SecureString"},
	} {
		var asked []*http.Request
		got, err := AWS(service(t, c.status, c.target, &asked)).Read(t.Context(), ref(t, c.arn))
		if got != "" || secret.CodeOf(err) != c.code || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), c.arn) {
			t.Errorf("%s: %q, %v; want %s, the ARN and %q", name, got, err, c.code, c.says)
		}
		if err != nil && strings.Contains(err.Error(), first) {
			t.Errorf("%s: the value is in %v", name, err)
		}
	}
}

func TestWhereNobodyListensIsUnavailable(t *testing.T) {
	s := httptest.NewServer(nil)
	s.Close()
	cfg := aws.Config{Region: "us-west-2", BaseEndpoint: &s.URL, Credentials: signer, RetryMaxAttempts: 1}
	if _, err := AWS(cfg).Read(t.Context(), ref(t, managed)); secret.CodeOf(err) != secret.Unavailable || !strings.Contains(err.Error(), "dial") {
		t.Errorf("%v, want unavailable and what was dialled", err)
	}
}
