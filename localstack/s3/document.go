package s3

import (
	"bytes"
	"fmt"
	"net/http"
	"strconv"
	"unicode/utf8"
)

// namespace of S3's answers; errors have none.
const namespace = "http://s3.amazonaws.com/doc/2006-03-01/"

// document is an XML answer that is being written.
type document struct{ bytes.Buffer }

func (d *document) begin(root, space string) {
	d.WriteString("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<" + root)
	if space != "" {
		d.WriteString(` xmlns="` + space + `"`)
	}
	d.WriteByte('>')
}

func (d *document) start(name string) { d.WriteString("<" + name + ">") }
func (d *document) end(name string)   { d.WriteString("</" + name + ">") }

func (d *document) number(name string, n int64) { d.text(name, strconv.FormatInt(n, 10)) }

func (d *document) text(name, value string) {
	d.start(name)
	d.escape(value)
	d.end(name)
}

// escape writes characters that XML 1.0 has no way to say as references all the
// same, as S3 does: a parser fails on them, where a replacement character would
// quietly name another key. Clients ask for encoding-type=url.
func (d *document) escape(s string) {
	from := 0
	for i, r := range s {
		var as string
		switch {
		case r == '&':
			as = "&amp;"
		case r == '<':
			as = "&lt;"
		case r == '>':
			as = "&gt;"
		case r == '"':
			as = "&quot;"
		case r < ' ' || r == 0x7f || r == 0xfffe || r == 0xffff:
			as = fmt.Sprintf("&#x%x;", r)
		default:
			continue
		}
		d.WriteString(s[from:i])
		d.WriteString(as)
		from = i + utf8.RuneLen(r)
	}
	d.WriteString(s[from:])
}

// answer sends the document.
func (d *document) answer(w http.ResponseWriter) error {
	w.Header().Set("Content-Type", "application/xml")
	w.Header().Set("Content-Length", strconv.Itoa(d.Len()))
	_, _ = w.Write(d.Bytes()) // a client that is gone needs no answer
	return nil
}
