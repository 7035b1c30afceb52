package tools

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
)

// lambdaService speaks Invoke. Each of its functions is a few lines here; every request has to
// be signed by the stack.
type lambdaService struct {
	*httptest.Server
	t *testing.T
	deaths
	// credentials are those that sign, once they are known.
	credentials aws.Credentials

	mu    sync.Mutex
	keys  map[string][]string // that came, by function
	plans map[string]moment
}

func newLambda(t *testing.T) *lambdaService {
	t.Helper()
	l := &lambdaService{t: t, deaths: make(deaths), keys: map[string][]string{}, plans: map[string]moment{}}
	l.Server = httptest.NewServer(l)
	t.Cleanup(l.Close)
	return l
}

// event is what a function receives.
type event struct {
	Arguments      struct{ Title string }
	IdempotencyKey string
}

func (l *lambdaService) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	name, isInvoke := strings.CutPrefix(r.URL.Path, "/2015-03-31/functions/")
	name, isInvoke2 := strings.CutSuffix(name, "/invocations")
	if err != nil || !isInvoke || !isInvoke2 || r.Method != http.MethodPost {
		l.t.Errorf("%s %s is no invocation", r.Method, r.URL.Path)
	}
	if err := signed(r, body, l.credentials); err != nil {
		l.t.Errorf("%s: %v", name, err)
	}
	var e event
	if err := json.Unmarshal(body, &e); err != nil {
		l.t.Errorf("%s received %q", name, body)
	}
	now := l.invoked(name, e.IdempotencyKey)
	if now != never {
		l.deaths.wait(r.Context())
		panic(http.ErrAbortHandler)
	}
	l.run(w, name, e)
}

// invoked notes an invocation, and says when the process is killed in it: in a function's
// first only.
func (l *lambdaService) invoked(name, key string) moment {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.keys[name] = append(l.keys[name], key)
	if len(l.keys[name]) > 1 {
		return never
	}
	return l.plans[name]
}

func (l *lambdaService) run(w http.ResponseWriter, name string, e event) {
	switch name {
	case "broken":
		w.Header().Set("X-Amz-Function-Error", "Unhandled")
		_, _ = io.WriteString(w, `{"errorType":"OutOfInk","errorMessage":"the printer is empty","stackTrace":["secret.go:1"]}`)
	case "busy":
		w.Header().Set("X-Amzn-Errortype", "TooManyRequestsException")
		w.WriteHeader(http.StatusTooManyRequests)
		_, _ = io.WriteString(w, `{"Reason":"ConcurrentInvocationLimitExceeded"}`)
	default:
		_ = json.NewEncoder(w).Encode(fmt.Sprintf("%s opened %s", name, e.Arguments.Title))
	}
}

func (l *lambdaService) came(name string) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.keys[name])
}

// signed signs the request again, and compares.
func signed(r *http.Request, body []byte, c aws.Credentials) error {
	given := r.Header.Get("Authorization")
	_, after, _ := strings.Cut(given, "SignedHeaders=")
	names, _, _ := strings.Cut(after, ",")
	at, err := time.Parse("20060102T150405Z", r.Header.Get("X-Amz-Date"))
	if err != nil || names == "" {
		return errors.New("the request is not signed")
	}
	again, err := http.NewRequestWithContext(r.Context(), r.Method, "http://"+r.Host+r.URL.EscapedPath(), nil)
	if err != nil {
		return err
	}
	for name := range strings.SplitSeq(names, ";") {
		if name == "content-length" {
			again.ContentLength = r.ContentLength
		} else if v := r.Header.Values(name); name != "host" {
			again.Header[http.CanonicalHeaderKey(name)] = v
		}
	}
	sum := sha256.Sum256(body)
	if err := v4.NewSigner().SignHTTP(r.Context(), c, again, hex.EncodeToString(sum[:]), "lambda", "us-east-1", at); err != nil {
		return err
	}
	if want := again.Header.Get("Authorization"); given != want {
		return fmt.Errorf("signed as %s, want %s", given, want)
	}
	return nil
}
