package workspace

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// MaxGlob bounds a glob, in bytes.
const MaxGlob = 1024

// Glob is a pattern over paths. "*" stands for any characters of a segment, "?" for
// one, "**" for any number of segments, "[a-z]" and "[!a-z]" for one of a set and
// one of the others, "{a,b}" for either; "\" takes the next character as it is. A
// pattern with no "/" is matched with the name alone, in whatever folder; any other
// with the whole path. A match takes time linear in the path.
type Glob struct {
	whole *regexp.Regexp
	name  bool // of the last segment
}

// ParseGlob reads a pattern, or says what is wrong with it.
func ParseGlob(pattern string) (*Glob, error) {
	switch {
	case pattern == "":
		return nil, fmt.Errorf("the glob is empty")
	case len(pattern) > MaxGlob:
		return nil, fmt.Errorf("the glob has %d bytes, at most %d are allowed", len(pattern), MaxGlob)
	case !utf8.ValidString(pattern):
		return nil, fmt.Errorf("the glob is not valid UTF-8")
	}
	pattern = norm.NFC.String(pattern) // as paths are
	g := &Glob{name: !strings.Contains(pattern, "/")}
	p := globParser{rest: pattern}
	if !g.name {
		p.rest = "/" + strings.TrimPrefix(pattern, "/")
	}
	if err := p.parse(); err != nil {
		return nil, err
	}
	var err error
	if g.whole, err = regexp.Compile(`\A(?s:` + p.out.String() + `)\z`); err != nil {
		return nil, fmt.Errorf("the glob is too complicated: %w", err)
	}
	return g, nil
}

// Match reports whether a path is among those the glob stands for.
func (g *Glob) Match(path string) bool {
	if g.name {
		path = path[strings.LastIndexByte(path, '/')+1:]
	}
	return g.whole.MatchString(path)
}

// globParser writes the regular expression that a glob stands for.
type globParser struct {
	rest string
	out  strings.Builder
	open int // braces
}

func (p *globParser) parse() error {
	for p.rest != "" {
		if err := p.next(); err != nil {
			return err
		}
	}
	if p.open > 0 {
		return fmt.Errorf(`the glob has a "{" with no "}"`)
	}
	return nil
}

// globWords are a glob's wildcards, and what they are as regular expressions.
var globWords = []struct{ glob, regexp string }{
	{"/**/", `/(?:.*/)?`}, // also no folder
	{"**", `.*`}, {"*", `[^/]*`}, {"?", `[^/]`},
}

func (p *globParser) next() error {
	for _, w := range globWords {
		if rest, ok := strings.CutPrefix(p.rest, w.glob); ok {
			if p.rest = rest; w.glob == "/**/" && strings.HasPrefix(rest, "**/") {
				p.rest = "/" + rest // the next one says it all
				return nil
			}
			p.out.WriteString(w.regexp)
			return nil
		}
	}
	r, width := utf8.DecodeRuneInString(p.rest)
	p.rest = p.rest[width:]
	switch {
	case r == '[':
		return p.set()
	case r == '{':
		p.open++
		p.out.WriteString("(?:")
	case r == '}' && p.open > 0:
		p.open--
		p.out.WriteString(")")
	case r == ',' && p.open > 0:
		p.out.WriteString("|")
	case r == '\\' && p.rest == "":
		return fmt.Errorf(`the glob ends with "\"`)
	case r == '\\':
		p.literal()
	default:
		p.out.WriteString(regexp.QuoteMeta(string(r)))
	}
	return nil
}

func (p *globParser) literal() {
	_, width := utf8.DecodeRuneInString(p.rest)
	p.out.WriteString(regexp.QuoteMeta(p.rest[:width]))
	p.rest = p.rest[width:]
}

// set reads what follows "[". No set holds "/".
func (p *globParser) set() error {
	body, not := strings.CutPrefix(p.rest, "!")
	end := strings.IndexByte(body[min(1, len(body)):], ']') + 1 // "[]a]" holds "]"
	if end <= 0 || strings.Contains(body[:end], "/") {
		return fmt.Errorf(`the glob has a "[" with no "]", or with "/" in it`)
	}
	p.rest = body[end+1:]
	p.out.WriteString("[")
	if not {
		p.out.WriteString("^/")
	}
	for set := []rune(body[:end]); len(set) > 0; {
		n, low, high := 1, set[0], set[0]
		if len(set) > 2 && set[1] == '-' {
			n, high = 3, set[2]
		}
		if low > high {
			return fmt.Errorf("the glob has a range from %q to %q, which holds nothing", low, high)
		}
		if set = set[n:]; low < '/' && high > '/' {
			fmt.Fprintf(&p.out, `\x{%x}-.0-\x{%x}`, low, high)
			continue
		}
		fmt.Fprintf(&p.out, `\x{%x}-\x{%x}`, low, high)
	}
	p.out.WriteString("]")
	return nil
}
