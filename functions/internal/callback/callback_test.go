package callback

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"windlass/eventstore"
	"windlass/functions/internal/fault"
)

// row is a table with room for one.
type row struct {
	mu   sync.Mutex
	item map[string]types.AttributeValue
	err  error
	// before is called in front of a write.
	before func()
}

func (r *row) GetItem(context.Context, *dynamodb.GetItemInput, ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return &dynamodb.GetItemOutput{Item: r.item}, r.err
}

func (r *row) PutItem(_ context.Context, in *dynamodb.PutItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error) {
	if r.before != nil {
		r.before()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.item != nil {
		return nil, &types.ConditionalCheckFailedException{}
	}
	r.item = in.Item
	return &dynamodb.PutItemOutput{}, r.err
}

var step = Step{eventstore.Stream{Tenant: "acme", Session: "s.1"}, "op:1", 3, 17}

func token(t *testing.T, u *URLs, s Step) string {
	t.Helper()
	url, err := u.URL(t.Context(), s)
	its, ok := strings.CutPrefix(url, "https://api.example"+Path)
	if err != nil || !ok {
		t.Fatalf("%s, %v", url, err)
	}
	return its
}

func TestAURLNamesItsStepInEveryProcess(t *testing.T) {
	kept := &row{}
	one, two := &URLs{Client: kept, API: "https://api.example/"}, &URLs{Client: kept, API: "https://api.example"}
	its := token(t, one, step)
	if got, err := two.Step(t.Context(), its); err != nil || got != step {
		t.Errorf("%+v, %v", got, err)
	}
	if again := token(t, two, step); again != its {
		t.Errorf("%s, then %s", its, again)
	}
}

func TestTwoThatMakeTheSecretAtOnceAgree(t *testing.T) {
	kept := &row{}
	one, two := &URLs{Client: kept, API: "https://api.example"}, &URLs{Client: kept, API: "https://api.example"}
	var its string
	kept.before = func() { // two comes in between one's look and its write
		kept.before = nil
		its = token(t, two, step)
	}
	if mine := token(t, one, step); mine != its {
		t.Errorf("%s and %s", mine, its)
	}
}

func TestWhatWasChangedIsRefused(t *testing.T) {
	u := &URLs{Client: &row{}, API: "https://api.example"}
	its, other := token(t, u, step), token(t, u, Step{step.Stream, "op:2", 3, 17})
	stranger := token(t, &URLs{Client: &row{}, API: "https://api.example"}, step)
	named, sum, _ := strings.Cut(its, ".")
	otherNamed, _, _ := strings.Cut(other, ".")
	for _, bad := range []string{
		"", ".", named, named + ".", "." + sum, otherNamed + "." + sum, stranger, its + "A", its + "=", "A" + its, strings.ToUpper(its), its + "." + sum, strings.Repeat("A", 5000),
	} {
		if got, err := u.Step(t.Context(), bad); fault.Of(err).Code != fault.NotFound || err == nil || got != (Step{}) {
			t.Errorf("%.40q: %+v, %v", bad, got, err)
		}
	}
}

func TestAnOutageIsNotARefusal(t *testing.T) {
	kept := &row{err: errors.New("connection refused")}
	u := &URLs{Client: kept, API: "https://api.example"}
	for range 2 {
		if _, err := u.Step(t.Context(), "a.b"); err == nil || fault.Of(err).Code != fault.Unavailable || strings.Contains(fault.Of(err).Message, "refused") {
			t.Errorf("%v", err)
		}
	}
	kept.err = nil
	if _, err := u.URL(t.Context(), step); err != nil {
		t.Errorf("an outage was kept: %v", err)
	}
}

func FuzzToken(f *testing.F) {
	key := make([]byte, secretBytes)
	f.Add(sign(key, step))
	f.Add("e30.AAAA")
	f.Fuzz(func(t *testing.T, token string) {
		if s, err := read(key, token); err == nil && sign(key, s) != token {
			t.Errorf("%q is taken for %+v, whose token is another", token, s)
		}
	})
}
