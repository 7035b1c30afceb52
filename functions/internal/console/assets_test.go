package console

import (
	"path"
	"regexp"
	"strings"
	"testing"
)

// names are where text becomes markup or code, or where the page would reach
// another host. The one exception is SVG's name space, which nobody fetches.
var names = map[string]*regexp.Regexp{
	"markup from text":     regexp.MustCompile(`(?i)innerHTML|outerHTML|insertAdjacentHTML|document\.write|createContextualFragment|DOMParser|srcdoc|setHTML`),
	"code from text":       regexp.MustCompile(`\beval\s*\(|new\s+Function\b|set(?:Timeout|Interval)\(\s*["'` + "`" + `]|javascript:`),
	"a style in the page":  regexp.MustCompile(`(?i)\bstyle\s*=|<style`),
	"an event attribute":   regexp.MustCompile(`(?i)[\s"'](on[a-z]+)\s*=\s*["']`),
	"a script in the page": regexp.MustCompile(`(?i)<script(?:\s+type="module")?>`),
	"another host":         regexp.MustCompile(`\b(?:https?|wss?)://[a-z0-9]|["'(]//[a-z0-9]|@import|\burl\(`),
}

const svgNamespace = "http://www.w3.org/2000/svg"

func TestUntrustedTextStaysText(t *testing.T) {
	for at, a := range assets {
		text := strings.ReplaceAll(string(a.body), svgNamespace, "")
		for what, name := range names {
			if found := name.FindString(text); found != "" {
				t.Errorf("%s holds %q: %s", at, found, what)
			}
		}
	}
}

// A pattern that finds nothing guards nothing.
func TestThePatternsFindWhatTheyAreFor(t *testing.T) {
	for text, what := range map[string]string{
		`e.innerHTML = text`: "markup from text", `document.write(x)`: "markup from text", `eval (x)`: "code from text", `setTimeout("x")`: "code from text",
		`<p style="color: red">`: "a style in the page", `<p onclick="x()">`: "an event attribute", `<script>x()</script>`: "a script in the page",
		`import "https://cdn.example/x.js"`: "another host", `src="//cdn.example/x.js"`: "another host", `url(font.woff2)`: "another host",
	} {
		if !names[what].MatchString(text) {
			t.Errorf("%q is not found as %s", text, what)
		}
	}
}

var (
	imports    = regexp.MustCompile(`(?m)^\s*(?:import|export)\b[^;]*?from\s+"([^"]+)"|^\s*import\s+"([^"]+)"|\bimport\("([^"]+)"\)`)
	references = regexp.MustCompile(`\b(?:src|href)="([^"#]+)"`)
	ids        = regexp.MustCompile(`\bthe\("([^"]+)"\)`)
)

func TestEveryImportResolves(t *testing.T) {
	n := 0
	for at, a := range assets {
		for _, m := range imports.FindAllStringSubmatch(string(a.body), -1) {
			to := m[1] + m[2] + m[3]
			if !strings.HasPrefix(to, "/") {
				to = path.Join(path.Dir(at), to)
			}
			if _, ok := assets[to]; !ok {
				t.Errorf("%s imports %s, which is not served", at, to)
			}
			n++
		}
	}
	if n < 40 {
		t.Errorf("only %d imports were found: the pattern misses them", n)
	}
}

// Elements that modules look up by id stand in the page, and what the page names is
// served. /openapi.json is the API's.
func TestThePageHasWhatItsModulesLookFor(t *testing.T) {
	page := string(assets["/"].body)
	for at, a := range assets {
		for _, m := range ids.FindAllStringSubmatch(string(a.body), -1) {
			if !strings.Contains(page, `id="`+m[1]+`"`) {
				t.Errorf("%s looks for #%s, which the page does not have", at, m[1])
			}
		}
	}
	for _, m := range references.FindAllStringSubmatch(page, -1) {
		if _, ok := assets[m[1]]; !ok && m[1] != "/openapi.json" {
			t.Errorf("the page refers to %s, which is not served", m[1])
		}
	}
}

// What the page loads first is said in it, so that modules do not wait for one another.
func TestEveryModuleIsPreloaded(t *testing.T) {
	page := string(assets["/"].body)
	for at := range assets {
		if path.Ext(at) == ".js" && at != "/console/app.js" && !strings.Contains(page, `<link rel="modulepreload" href="`+at+`">`) {
			t.Errorf("the page does not preload %s", at)
		}
	}
}
