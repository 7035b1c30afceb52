package expression

// token is a lexical element: its text and where it stands. Kinds: 'w' word,
// '#' and ':' placeholders, 'n' digits, 'o' operator or punctuation, 'e' the
// end, '?' anything else.
type token struct {
	kind       byte
	text       string
	start, end int
}

func (t token) is(op string) bool { return t.kind == 'o' && t.text == op }

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isWord(c byte) bool   { return isLetter(c) || isDigit(c) || c == '_' }

func lex(text string) []token {
	tokens := make([]token, 0, 16)
	for i := 0; ; {
		for i < len(text) && (text[i] == ' ' || text[i] == '\t' || text[i] == '\n' || text[i] == '\r') {
			i++
		}
		if i == len(text) {
			return append(tokens, token{kind: 'e', text: "<EOF>", start: i, end: i})
		}
		t := next(text, i)
		tokens = append(tokens, t)
		i = t.end
	}
}

func next(text string, start int) token {
	c := text[start]
	end := start + 1
	kind := byte('?')
	switch {
	case isLetter(c):
		kind = 'w'
		end = skip(text, end, isWord)
	case isDigit(c):
		kind = 'n'
		end = skip(text, end, isDigit)
	case c == '#' || c == ':':
		if end = skip(text, end, isWord); end > start+1 {
			kind = c
		}
	case c == '<' || c == '>':
		kind = 'o'
		if end < len(text) && (text[end] == '=' || c == '<' && text[end] == '>') {
			end++
		}
	case c == '=' || c == '(' || c == ')' || c == '[' || c == ']' || c == ',' || c == '.' || c == '+' || c == '-':
		kind = 'o'
	default:
		end = skip(text, end, func(c byte) bool { return c >= 0x80 && c < 0xc0 }) // a whole rune
	}
	return token{kind: kind, text: text[start:end], start: start, end: end}
}

func skip(text string, i int, in func(byte) bool) int {
	for i < len(text) && in(text[i]) {
		i++
	}
	return i
}
