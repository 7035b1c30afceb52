package bedrock

import (
	"fmt"
	"strings"

	"windlass/functions/internal/projection"
)

// formats are the files that are shown as such, by their media type. Converse takes
// texts too, but of all documents only a few in a request, and a model whose maker
// knows no documents none; so texts are shown as text.
var formats = map[string]struct {
	format string
	image  bool
}{
	"image/png": {"png", true}, "image/jpeg": {"jpeg", true}, "image/gif": {"gif", true}, "image/webp": {"webp", true},
	"application/pdf": {"pdf", false}, "application/msword": {"doc", false}, "application/vnd.ms-excel": {"xls", false},
	"application/vnd.openxmlformats-officedocument.wordprocessingml.document": {"docx", false},
	"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet":       {"xlsx", false},
}

func takes(mediaType string) bool {
	_, ok := formats[mediaType]
	return ok
}

// Limits of one request, and of one file in bytes. What is above them would be refused
// for ever, so the first are shown.
const (
	maxImages    = 20
	maxDocuments = 5
	maxImage     = 3_750_000
	maxDocument  = 4_500_000
)

type imageBlock struct {
	Image image `json:"image"`
}

type image struct {
	Format string `json:"format"`
	Source source `json:"source"`
}

type documentBlock struct {
	Document document `json:"document"`
}

type document struct {
	Format string `json:"format"`
	Name   string `json:"name"`
	Source source `json:"source"`
}

// source is written as base64.
type source struct {
	Bytes []byte `json:"bytes"`
}

// file shows a file, and adds to shown what the model is told of it. A document has a
// name of its own in the request, of letters and digits, so its true name is told.
func (e *encoder) file(f *projection.File, shown []string) []string {
	how := formats[f.Type]
	switch {
	case how.image && e.images < maxImages && len(f.Data) <= maxImage:
		e.images++
		e.block(imageBlock{image{how.format, source{[]byte(f.Data)}}})
		return append(shown, fmt.Sprintf("image %d is %s", e.images, f.Name))
	case takes(f.Type) && !how.image && e.documents < maxDocuments && len(f.Data) <= maxDocument:
		e.documents++
		name := fmt.Sprintf("document %d", e.documents)
		e.block(documentBlock{document{how.format, name, source{[]byte(f.Data)}}})
		return append(shown, name+" is "+f.Name)
	}
	e.text(fmt.Sprintf("[File %s, %s, %d bytes.] It is too large to be shown, or one too many.", f.Name, f.Type, len(f.Data)))
	return shown
}

// caption stands behind the files of a message: a document wants a text beside it, and
// a mark for the cache may not follow one.
func (e *encoder) caption(shown []string) {
	if len(shown) > 0 {
		e.text("[Files: " + strings.Join(shown, ", ") + ".]")
	}
}
