// Package architecture holds the import law: imports go one way.
//
//	main → harness → httpapi, wsapi, fanout, loop, execution → session → turn, transcript, view → event
package architecture

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "windlass"

// rule: packages under From may import, of this module, only what is under one
// of May; and nothing under one of Never, whatever module it is of.
type rule struct {
	From  string
	May   []string
	Never []string
	// But are folders of From that the rule leaves out.
	But []string
	Why string
}

var rules = []rule{
	{From: "eventstore/event", Never: []string{"github.com/aws"}, Why: "stored forms depend on nothing"},
	{From: "eventstore", May: []string{"eventstore"}, Why: "the log is a package worth using on its own"},
	{From: "functions/internal/turn", May: []string{"eventstore/event"}, Never: []string{"context", "math/rand", "log", "os", "github.com"}, Why: "what comes next is a pure function of the log"},
	{From: "functions/internal/transcript", May: []string{"eventstore/event"}, Never: []string{"context", "os", "github.com"}, Why: "what the model reads is a pure function of the log"},
	{From: "functions/internal/view", May: []string{"eventstore/event", "functions/internal/index", "functions/internal/transcript", "functions/internal/turn"}, Never: []string{"context", "os", "github.com"}, Why: "what clients see is a pure function of the log"},
	{From: "functions/internal/index", May: []string{"eventstore", "functions/internal/turn"}, Never: []string{"context", "os", "github.com"}, Why: "rows are values"},
	{From: "functions/internal/workspace", May: []string{"eventstore/event"}, Never: []string{"context", "os", "github.com"}, Why: "the tree is a fold"},
	{From: "functions/internal/fault", May: []string{"eventstore"}, Why: "every edge may use the table"},
	{From: "functions/internal/projection", May: []string{"eventstore/event", "functions/internal/transcript"}, Never: []string{"context", "os", "github.com"}, Why: "what a provider is sent is a pure function of the transcript"},
	{From: "functions/internal/price", May: []string{"eventstore/event"}, Never: []string{"context", "os", "github.com"}, Why: "a price is a function of the table"},
	{From: "functions/internal/preview", May: []string{"eventstore", "functions/internal/connection", "functions/internal/fanout", "functions/internal/frame", "functions/internal/fault"}, Why: "what is shown early knows nothing of the turn"},
	{From: "functions/internal/model", May: []string{"eventstore/event", "functions/internal/projection", "functions/internal/model"}, But: []string{"functions/internal/model/modeltest"}, Why: "a provider knows no log and no loop"},
	{From: "functions/internal/tool", May: []string{"eventstore/event", "functions/internal/workspace"}, Why: "a tool knows no log and no loop"},
	{From: "functions/internal/secret", May: []string{}, Why: "where secrets are kept has nothing to do with what they are for"},
	{From: "functions/internal/trace", May: []string{"eventstore", "functions/internal/trace"}, Why: "a trace is a fold of the log"},
	{From: "functions/internal/telemetry", May: []string{"eventstore"}, Why: "metrics are a fold of what is appended"},
	{From: "functions/internal/callback", May: []string{"eventstore", "functions/internal/fault"}, Why: "a URL is a step, signed"},
	{From: "functions/internal/openapi", May: []string{}, Never: []string{"github.com"}, Why: "what it describes cannot make it true"},
	{From: "functions/internal/fold", May: []string{"eventstore", "functions/internal/transcript", "functions/internal/turn", "functions/internal/workspace"}, Never: []string{"github.com"}, Why: "opening a session needs the log and the pure folds"},
	{From: "functions/internal/frame", May: []string{"eventstore/event", "functions/internal/fault", "functions/internal/view"}, Never: []string{"context", "os", "github.com"}, Why: "a frame is a function of its values"},
	{From: "functions/internal/connection", May: []string{"eventstore", "functions/internal/fault"}, Why: "connections know no log"},
	{From: "functions/internal/console", May: []string{}, Never: []string{"github.com"}, Why: "the page is files: what it shows it asks for like anybody"},
	{From: "functions/internal/wsapi", May: []string{"eventstore", "functions/internal"}, Never: []string{"windlass/functions/internal/httpapi", "windlass/functions/internal/loop", "windlass/functions/internal/model", "windlass/functions/internal/tool", "github.com/aws/aws-sdk-go-v2"}, Why: "it translates"},
	{From: "functions/internal/fanout", May: []string{"eventstore", "functions/internal/connection", "functions/internal/fault", "functions/internal/frame"}, Never: []string{"github.com/aws/aws-sdk-go-v2"}, Why: "it knows nothing that a commit does not say"},
	{From: "functions/internal/execution", May: []string{"eventstore", "functions/internal/fold", "functions/internal/index", "functions/internal/turn"}, Why: "wakers start turns, and know nothing of what a turn does"},
	{From: "functions/internal/loop", May: []string{"eventstore", "functions/internal"}, Never: []string{"windlass/functions/internal/httpapi", "windlass/functions/internal/session", "github.com/aws/aws-sdk-go-v2"}, Why: "the loop serves no client and calls no service"},
	{From: "functions/internal/session", May: []string{"eventstore", "functions/internal"}, Never: []string{"windlass/functions/internal/httpapi", "windlass/functions/internal/loop", "windlass/functions/internal/model", "windlass/functions/internal/tool", "net/http", "github.com/aws"}, Why: "a session is the same however it is reached"},
	{From: "functions/internal/httpapi", May: []string{"eventstore", "functions/internal"}, Never: []string{"windlass/functions/internal/loop", "windlass/functions/internal/model", "windlass/functions/internal/tool", "github.com/aws/aws-sdk-go-v2"}, Why: "it translates"},
	{From: "functions/api", May: []string{"functions/harness"}, Why: "a main is a few lines"},
	{From: "functions/drive", May: []string{"functions/harness"}, Why: "a main is a few lines"},
	{From: "functions/dispatch", May: []string{"functions/harness"}, Why: "a main is a few lines"},
	{From: "functions/recover", May: []string{"functions/harness"}, Why: "a main is a few lines"},
	{From: "functions/socket", May: []string{"functions/harness"}, Why: "a main is a few lines"},
	{From: "functions/publish", May: []string{"functions/harness"}, Why: "a main is a few lines"},
	{From: "functions", Never: []string{"windlass/localstack", "windlass/tests"}, But: []string{"functions/internal/model/modeltest"}, Why: "the product does not know where it runs"},
	{From: "localstack", May: []string{"localstack", "functions/harness"}, Why: "the subset knows AWS, not the product"},
	{From: "tests", May: []string{"tests", "functions/harness", "infra/prices/aws"}, Why: "tests of the whole come in by the front door"},
}

// only: packages that nobody else may name.
var only = map[string][]string{
	"windlass/eventstore/dynamo":                                   {"functions/harness", "eventstore/dynamo"},
	"windlass/eventstore/s3blob":                                   {"functions/harness", "eventstore/s3blob"},
	"windlass/functions/internal/model/openai":                     {"functions/harness/providers"},
	"windlass/functions/internal/model/chat":                       {"functions/harness/providers"},
	"windlass/functions/internal/model/anthropic":                  {"functions/harness/providers"},
	"windlass/functions/internal/model/bedrock":                    {"functions/harness/providers"},
	"windlass/functions/internal/model/keyed":                      {"functions/harness/providers"},
	"windlass/functions/internal/secret":                           {"functions/harness", "functions/internal/secret/store"},
	"windlass/functions/internal/secret/store":                     {"functions/harness/secrets"},
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager":          {"functions/internal/secret/store"},
	"github.com/aws/aws-sdk-go-v2/service/ssm":                     {"functions/internal/secret/store"},
	"github.com/openai/openai-go":                                  {"functions/internal/model/openai", "functions/internal/model/chat"},
	"github.com/anthropics/anthropic-sdk-go":                       {"functions/internal/model/anthropic"},
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime":          {"functions/internal/model/bedrock"},
	"windlass/functions/harness/all":                               {"localstack", "tests"},
	"windlass/functions/harness/providers":                         {"functions/drive", "functions/harness/all"},
	"windlass/functions/harness/tools":                             {"functions/drive", "functions/harness/all"},
	"windlass/functions/harness/secrets":                           {"functions/drive", "functions/dispatch", "functions/harness/all"},
	"windlass/eventstore/memory":                                   {"eventstore/memory"},
	"windlass/functions/harness":                                   {"functions/api", "functions/drive", "functions/dispatch", "functions/recover", "functions/socket", "functions/publish", "functions/harness", "localstack", "infra/keys", "tests"},
	"github.com/awslabs/aws-lambda-go-api-proxy":                   {"functions/internal/httpapi"},
	"github.com/aws/aws-sdk-go-v2/service/apigatewaymanagementapi": {"functions/internal/connection"},
	"github.com/coreos/go-oidc":                                    {"functions/internal/auth"},
	"github.com/go-jose/go-jose":                                   {"functions/internal/auth"},
	"github.com/coder/websocket":                                   {"localstack/gateway", "tests"},
	"go.etcd.io/bbolt":                                             {"localstack"},
	"github.com/aws/aws-sdk-go-v2/config":                          {"functions/harness", "infra/keys", "tests"},
	"github.com/modelcontextprotocol/go-sdk":                       {"functions/internal/tool/mcp"},
	"github.com/aws/aws-sdk-go-v2/service/lambda":                  {"functions/internal/tool/invoke/lambda", "functions/harness/tools"},
}

type imported struct{ file, dir, path string }

// imports lists every import of the module's code that is not a test.
func imports(t *testing.T) []imported {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	var all []imported
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() && path != root && (strings.HasPrefix(name, ".") || name == "testdata") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		for _, i := range f.Imports {
			all = append(all, imported{rel, filepath.ToSlash(filepath.Dir(rel)), strings.Trim(i.Path.Value, `"`)})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func under(path, folder string) bool { return path == folder || strings.HasPrefix(path, folder+"/") }

func TestImportsGoOneWay(t *testing.T) {
	all := imports(t)
	if len(all) < 300 {
		t.Fatalf("only %d imports were found: the test looks in the wrong place", len(all))
	}
	for _, r := range rules {
		for _, i := range all {
			if !under(i.dir, r.From) || slices.ContainsFunc(r.But, func(b string) bool { return under(i.dir, b) }) {
				continue
			}
			ours, isOurs := strings.CutPrefix(i.path, module+"/")
			if isOurs && r.May != nil && !slices.ContainsFunc(r.May, func(m string) bool { return under(ours, m) }) && !under(ours, r.From) {
				t.Errorf("%s imports %s: %s", i.file, i.path, r.Why)
			}
			for _, n := range r.Never {
				if under(i.path, n) {
					t.Errorf("%s imports %s: %s", i.file, i.path, r.Why)
				}
			}
		}
	}
	for path, by := range only {
		for _, i := range all {
			if under(i.path, path) && !slices.ContainsFunc(by, func(b string) bool { return under(i.dir, b) }) {
				t.Errorf("%s imports %s, which only %s may name", i.file, i.path, strings.Join(by, ", "))
			}
		}
	}
}

// pure packages have no clock of their own and start nothing: ids and times
// arrive as values.
var pure = []string{"functions/internal/turn", "functions/internal/transcript", "functions/internal/projection", "functions/internal/price", "functions/internal/view", "functions/internal/index", "functions/internal/frame", "functions/internal/trace"}

func TestPurePackagesHaveNoClockAndNoGoroutines(t *testing.T) {
	for _, dir := range pure {
		files, err := filepath.Glob(filepath.Join("../..", dir, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", dir, len(files), err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(f, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.GoStmt:
					t.Errorf("%s starts a goroutine", file)
				case *ast.SelectorExpr:
					if x, ok := n.X.(*ast.Ident); ok && x.Name == "time" && slices.Contains([]string{"Now", "Since", "Until", "Sleep", "After", "NewTimer", "Tick"}, n.Sel.Name) {
						t.Errorf("%s calls time.%s", file, n.Sel.Name)
					}
				}
				return true
			})
		}
	}
}

func TestEveryPackageSaysWhatItIsFor(t *testing.T) {
	documented := map[string]bool{}
	for _, i := range imports(t) {
		documented[i.dir] = documented[i.dir] || hasDoc(t, i.dir)
	}
	for dir, ok := range documented {
		if !ok {
			t.Errorf("%s has no package comment", dir)
		}
	}
}

func hasDoc(t *testing.T, dir string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("../..", dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.PackageClauseOnly|parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		if f.Doc != nil {
			return true
		}
	}
	return false
}
