package harness

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"

	"windlass/functions/harness/providers"
	"windlass/functions/harness/secrets"
	"windlass/functions/internal/model"
	"windlass/functions/internal/secret"
)

const (
	secretARN    = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:windlass/providers-AbCdEf"
	parameterARN = "arn:aws:ssm:eu-central-1:123456789012:parameter/windlass/anthropic"
	toolPrefix   = "arn:aws:ssm:eu-central-1:123456789012:parameter/windlass/tools/"

	key   = "sk-openai-0123456789"
	other = "sk-anthropic-0123456789"
)

// signer has credentials that nobody checks.
var signer = aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
	return aws.Credentials{AccessKeyID: "AKID", SecretAccessKey: "SECRET"}, nil
})

// vault speaks for Secrets Manager and Parameter Store.
type vault struct {
	mu      sync.Mutex
	secrets map[string]string // by ARN
	asked   int
}

func (v *vault) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var in struct {
		SecretId, Name string
		WithDecryption bool
	}
	_ = json.NewDecoder(r.Body).Decode(&in)
	v.mu.Lock()
	value, ok := v.secrets[in.SecretId+in.Name]
	v.asked++
	v.mu.Unlock()
	var out any
	switch target := r.Header.Get("X-Amz-Target"); {
	case !ok:
		w.WriteHeader(http.StatusBadRequest)
		out = map[string]string{"__type": "AccessDeniedException", "message": "not authorized"}
	case target == "secretsmanager.GetSecretValue":
		out = map[string]string{"SecretString": value}
	case target == "AmazonSSM.GetParameter" && in.WithDecryption:
		out = map[string]any{"Parameter": map[string]string{"Type": "SecureString", "Value": value}}
	}
	_ = json.NewEncoder(w).Encode(out)
}

// provider speaks for all providers: it refuses every key but one.
type provider struct {
	mu    sync.Mutex
	takes string
	keys  []string
}

func (p *provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	its := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ") + r.Header.Get("X-Api-Key")
	p.mu.Lock()
	defer p.mu.Unlock()
	p.keys = append(p.keys, its)
	if its != p.takes {
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = io.WriteString(w, `{"error":{"type":"authentication_error","message":"wrong key `+its+`"}}`)
		return
	}
	w.WriteHeader(http.StatusServiceUnavailable) // the key was taken: that is all that matters here
}

func built(t *testing.T, v *vault, env map[string]string) builder {
	t.Helper()
	s := httptest.NewServer(v)
	t.Cleanup(s.Close)
	cfg := aws.Config{Region: "eu-central-1", BaseEndpoint: &s.URL, Credentials: signer, RetryMaxAttempts: 1}
	return builder{env: func(name string) string { return env[name] }, cfg: cfg, secrets: secret.New(secrets.AWS(cfg))}
}

// code is what asking a provider ends in.
func code(t *testing.T, b builder, name string) (string, string) {
	t.Helper()
	all, err := b.models(providers.All)
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range all[name].Stream(t.Context(), model.Request{Model: "m"}) {
		if f, ok := err.(*model.Fault); ok {
			return f.Code, f.Message
		}
	}
	return "", ""
}

func log(t *testing.T) *bytes.Buffer {
	t.Helper()
	var b bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&b, nil)))
	t.Cleanup(func() { slog.SetDefault(before) })
	return &b
}

func TestAProvidersKeyIsReadWhereItIsKept(t *testing.T) {
	for name, c := range map[string]struct{ variable, base, path, ref string }{
		"openai":            {"OPENAI_API_KEY_SECRET", "OPENAI_BASE_URL", "/v1", secretARN + "#openai"},
		"openai-compatible": {"OPENAI_COMPATIBLE_API_KEY_SECRET", "OPENAI_COMPATIBLE_BASE_URL", "/v1", secretARN + "#openai"},
		"anthropic":         {"ANTHROPIC_API_KEY_SECRET", "ANTHROPIC_BASE_URL", "", parameterARN},
	} {
		t.Run(name, func(t *testing.T) {
			text := log(t)
			v := &vault{secrets: map[string]string{secretARN: `{"openai":"` + key + `"}`, parameterARN: key + "\n"}}
			p := &provider{takes: key}
			s := httptest.NewServer(p)
			t.Cleanup(s.Close)
			b := built(t, v, map[string]string{c.variable: c.ref, c.base: s.URL + c.path})
			if _, err := b.models(providers.All); err != nil || v.asked != 0 {
				t.Fatalf("%v; before anybody asks, the key was read %d times", err, v.asked)
			}
			for range 2 {
				if got, said := code(t, b, name); got != model.Overloaded {
					t.Errorf("%s, %s", got, said)
				}
			}
			if v.asked != 1 || len(p.keys) != 2 {
				t.Errorf("the key was read %d times for %d questions", v.asked, len(p.keys))
			}
			if strings.Contains(text.String(), key) {
				t.Errorf("the log has the key: %s", text)
			}
		})
	}
}

func TestAKeyThatMayNotBeReadSaysSoWithoutAnARN(t *testing.T) {
	text := log(t)
	b := built(t, &vault{secrets: map[string]string{}}, map[string]string{"ANTHROPIC_API_KEY_SECRET": parameterARN})
	got, said := code(t, b, "anthropic")
	if got != model.Denied || !strings.Contains(said, "ANTHROPIC_API_KEY_SECRET") || strings.Contains(said, "arn:") {
		t.Errorf("%s, %s", got, said)
	}
	for _, word := range []string{parameterARN, "denied", "ssm:GetParameter"} {
		if !strings.Contains(text.String(), word) {
			t.Errorf("the log does not say %q: %s", word, text)
		}
	}
}

func TestASecretIsInOnePlace(t *testing.T) {
	for _, env := range []map[string]string{
		{"OPENAI_API_KEY": key, "OPENAI_API_KEY_SECRET": secretARN},
		{"OPENAI_API_KEY_SECRET": key}, // a key where an ARN belongs
		{"OPENAI_COMPATIBLE_BASE_URL": "http://127.0.0.1:1/v1", "OPENAI_COMPATIBLE_API_KEY_SECRET": key},
		{"ANTHROPIC_API_KEY_SECRET": key},
	} {
		_, err := built(t, &vault{}, env).models(providers.All)
		if err == nil || !strings.Contains(err.Error(), "_API_KEY_SECRET") || strings.Contains(err.Error(), key) {
			t.Errorf("%v: %v; want an error that names the variable, not its value", env, err)
		}
	}
}

func TestAToolsSecretIsLookedUpByName(t *testing.T) {
	v := &vault{secrets: map[string]string{toolPrefix + "SHOP": other}}
	b := built(t, v, map[string]string{"WINDLASS_TOOL_SECRETS": toolPrefix, "WINDLASS_SECRET_NEAR": key})
	for range 2 {
		if got, err := b.secret(t.Context(), "SHOP"); got != other || err != nil {
			t.Errorf("%q, %v", got, err)
		}
	}
	if got, err := b.secret(t.Context(), "NEAR"); got != key || err != nil || v.asked != 1 {
		t.Errorf("%q, %v; asked %d times", got, err, v.asked)
	}
	if _, err := b.secret(t.Context(), "OTHER"); secret.CodeOf(err) != secret.Denied || !strings.Contains(err.Error(), toolPrefix+"OTHER") {
		t.Errorf("%v", err)
	}
	if _, err := built(t, v, nil).secret(t.Context(), "SHOP"); err == nil || !strings.Contains(err.Error(), "WINDLASS_TOOL_SECRETS") {
		t.Errorf("%v, want what to set", err)
	}
}

func TestACollectorsHeadersAreReadWhereTheyAreKept(t *testing.T) {
	b := built(t, &vault{secrets: map[string]string{secretARN: "api-key=abc"}}, map[string]string{"OTEL_EXPORTER_OTLP_HEADERS_SECRET": secretARN})
	kept, err := b.collectorHeaders()
	if err != nil {
		t.Fatal(err)
	}
	if got, err := kept(t.Context()); got != "api-key=abc" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if kept, err := built(t, nil, nil).collectorHeaders(); kept != nil || err != nil {
		t.Errorf("without a variable: %v", err)
	}
}
