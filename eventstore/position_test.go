package eventstore_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windlass/eventstore"
	"windlass/eventstore/flaky"
	"windlass/eventstore/memory"
)

// commits stores one commit for each size and returns their ends.
func commits(t *testing.T, d eventstore.Driver, sizes ...int) (ends []uint64) {
	t.Helper()
	at := head(t, d)
	for _, n := range sizes {
		_, next, err := eventstore.New(d).Append(t.Context(), at, draft(n))
		if err != nil {
			t.Fatal(err)
		}
		at = next
		ends = append(ends, at.Seq())
	}
	return ends
}

func TestEveryPositionIsACommitsEnd(t *testing.T) {
	d := memory.New()
	if at := head(t, d); at.Seq() != 0 {
		t.Errorf("an empty stream's head is at %d", at.Seq())
	}
	ends := commits(t, d, 1, 5, 2, 1, 3)
	if at := head(t, d); at.Seq() != 12 {
		t.Errorf("the head is at %d, want 12", at.Seq())
	}
	for after := range uint64(15) {
		for _, c := range log(t, d, after) {
			if !slices.Contains(ends, c.After().Seq()) {
				t.Errorf("reading after %d gave the position %d", after, c.After().Seq())
			}
		}
	}
}

func TestForgedPositionsAreRefused(t *testing.T) {
	d := memory.New()
	commits(t, d, 3)
	read := log(t, d, 0)[0]
	read.Last, read.Stream.Session = 2, "s-2"
	if at := read.After(); at.Seq() != 3 {
		t.Errorf("a commit that was written to gives the position %d", at.Seq())
	}
	broken := flaky.New(d, flaky.Script{{When: flaky.Every(flaky.Records), Do: flaky.Fail}})
	_, failed, err := eventstore.New(broken, eventstore.WithRetry(eventstore.Retry{})).Head(t.Context(), session)
	if err == nil {
		t.Fatal("the head was read")
	}
	_, nameless, err := eventstore.New(d).Head(t.Context(), eventstore.Stream{Tenant: "a#b", Session: "c"})
	if err == nil {
		t.Fatal("a stream without a name has a head")
	}
	for name, at := range map[string]eventstore.Position{
		"zero":                {},
		"of a made-up commit": eventstore.Commit{Record: eventstore.Record{Stream: session, First: 1, Last: 2}}.After(),
		"of a failed read":    failed,
		"of an invalid name":  nameless,
	} {
		if _, _, err := eventstore.New(d).Append(t.Context(), at, draft(1)); err == nil || eventstore.CodeOf(err) != eventstore.Invalid {
			t.Errorf("%s: %v, want %s", name, err, eventstore.Invalid)
		}
	}
}

// Whoever adds a way to get a position must see to it that it is a commit's end.
func TestPositionsComeFromTheseFunctionsAlone(t *testing.T) {
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, declaration := range file.Decls {
			f, ok := declaration.(*ast.FuncDecl)
			if !ok || !f.Name.IsExported() || f.Type.Results == nil {
				continue
			}
			for _, result := range f.Type.Results.List {
				ast.Inspect(result.Type, func(n ast.Node) bool {
					if id, ok := n.(*ast.Ident); ok && (id.Name == "Position" || id.Name == "Commit") && !slices.Contains(got, f.Name.Name) {
						got = append(got, f.Name.Name)
					}
					return true
				})
			}
		}
	}
	slices.Sort(got)
	if d := cmp.Diff([]string{"After", "Append", "Commit", "Head", "Read", "ReadNext"}, got); d != "" {
		t.Errorf("exported functions that give a position (-want +got):\n%s", d)
	}
}
