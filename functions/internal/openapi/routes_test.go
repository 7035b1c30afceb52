package openapi_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// patterns are those that package httpapi gives its mux, read from its source.
func patterns(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("../httpapi/*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	var all []string
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if on, ok := call.Fun.(*ast.SelectorExpr); ok && (on.Sel.Name == "Handle" || on.Sel.Name == "HandleFunc") && len(call.Args) == 2 {
				pattern, ok := call.Args[0].(*ast.BasicLit)
				if !ok {
					t.Fatalf("%s: a pattern is not a literal, so this test cannot see it", file)
				}
				text, err := strconv.Unquote(pattern.Value)
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, text)
			}
			return true
		})
	}
	slices.Sort(all)
	return all
}

func TestEveryRouteIsInTheDocumentAndTheReverse(t *testing.T) {
	_, m := model(t)
	documented := map[string]bool{}
	for path, item := range m.Paths.PathItems.FromOldest() {
		for method := range item.GetOperations().FromOldest() {
			documented[strings.ToUpper(method)+" "+path] = true
		}
	}
	served := map[string]bool{}
	for _, p := range patterns(t) {
		p = strings.ReplaceAll(p, "...}", "}")
		served[p] = true
		if !documented[p] {
			t.Errorf("%s is served and not in the document", p)
		}
	}
	if len(served) < 5 {
		t.Fatalf("only %d routes were found: the test looks in the wrong place", len(served))
	}
	for p := range documented {
		// A pattern with GET takes HEAD too.
		if !served[p] && !served[strings.Replace(p, "HEAD ", "GET ", 1)] {
			t.Errorf("%s is in the document and not served", p)
		}
	}
}

// Whoever generates a client names methods after these.
func TestOperationsHaveNamesOfTheirOwn(t *testing.T) {
	_, m := model(t)
	names := map[string]bool{}
	for path, item := range m.Paths.PathItems.FromOldest() {
		for method, op := range item.GetOperations().FromOldest() {
			if op.OperationId == "" || names[op.OperationId] || op.Summary == "" || len(op.Tags) != 1 {
				t.Errorf("%s %s: operationId %q, summary %q, tags %v", method, path, op.OperationId, op.Summary, op.Tags)
			}
			names[op.OperationId] = true
		}
	}
}
