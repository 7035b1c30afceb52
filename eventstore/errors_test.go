package eventstore_test

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"testing"
	"testing/synctest"

	"windlass/eventstore"
	"windlass/eventstore/flaky"
	"windlass/eventstore/memory"
)

// reach has one way to each code through the Journal.
var reach = map[eventstore.Code]func(*testing.T) error{
	eventstore.Invalid: func(t *testing.T) error {
		return attempt(t, memory.New(), eventstore.Position{}, draft(1))
	},
	eventstore.TooLarge: func(t *testing.T) error {
		d := memory.New()
		return attempt(t, d, head(t, d), draft(eventstore.MaxEvents+1))
	},
	eventstore.NotFound: func(t *testing.T) error {
		_, err := eventstore.New(memory.New()).Claim(t.Context(), session, "op-1")
		return err
	},
	eventstore.LostRace: func(t *testing.T) error {
		d := memory.New()
		at := head(t, d)
		commits(t, d, 1)
		return attempt(t, d, at, draft(1))
	},
	eventstore.AlreadyClaimed: func(t *testing.T) error {
		d := memory.New()
		in := draft(1)
		in.Claim = &eventstore.Claim{Key: "op-1"}
		if err := attempt(t, d, head(t, d), in); err != nil {
			t.Fatal(err)
		}
		return attempt(t, d, head(t, d), in)
	},
	eventstore.Throttled: func(t *testing.T) error {
		return refused(t, &failing{err: fails(eventstore.Throttled)})
	},
	eventstore.Unavailable: func(t *testing.T) error {
		return refused(t, flaky.New(memory.New(), flaky.Script{{When: flaky.From(1), Do: flaky.Fail}}))
	},
	eventstore.Corrupt: func(t *testing.T) error {
		_, _, err := eventstore.New(stored{records: []eventstore.Record{{}}}).Head(t.Context(), session)
		return err
	},
	eventstore.Closed: func(t *testing.T) error {
		d := memory.New()
		return attempt(t, d, shut(t, d), draft(1))
	},
	eventstore.Denied: func(t *testing.T) error {
		return refused(t, &failing{err: fails(eventstore.Denied)})
	},
}

func attempt(t *testing.T, d eventstore.Driver, at eventstore.Position, in eventstore.Draft) error {
	_, _, err := eventstore.New(d).Append(t.Context(), at, in)
	return err
}

func refused(t *testing.T, d eventstore.Driver) (err error) {
	synctest.Test(t, func(t *testing.T) { err = attempt(t, d, head(t, memory.New()), draft(1)) })
	return err
}

func TestEveryCodeCanBeReached(t *testing.T) {
	for _, code := range declaredCodes(t) {
		way := reach[code]
		if way == nil {
			t.Errorf("no way to %s is tested", code)
			continue
		}
		err := way(t)
		if err == nil || eventstore.CodeOf(err) != code {
			t.Errorf("%v, want %s", err, code)
		}
		if wrapped := fmt.Errorf("above: %w", err); eventstore.CodeOf(wrapped) != code {
			t.Errorf("wrapped, %s is %s", code, eventstore.CodeOf(wrapped))
		}
	}
}

func declaredCodes(t *testing.T) (codes []eventstore.Code) {
	file, err := parser.ParseFile(token.NewFileSet(), "errors.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if v, ok := n.(*ast.ValueSpec); ok {
			if kind, ok := v.Type.(*ast.Ident); ok && kind.Name == "Code" {
				text, err := strconv.Unquote(v.Values[0].(*ast.BasicLit).Value)
				if err != nil {
					t.Fatal(err)
				}
				codes = append(codes, eventstore.Code(text))
			}
		}
		return true
	})
	if len(codes) == 0 {
		t.Fatal("errors.go declares no code")
	}
	return codes
}

func TestErrorsWithoutACodeAreUnavailable(t *testing.T) {
	for _, err := range []error{errors.New("anything"), context.Canceled, fmt.Errorf("w: %w", context.DeadlineExceeded)} {
		if got := eventstore.CodeOf(err); got != eventstore.Unavailable {
			t.Errorf("%v is %s", err, got)
		}
	}
}
