package openapi_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"windlass/functions/internal/fault"
)

func TestEveryCodeIsInTheDocumentAndTheReverse(t *testing.T) {
	_, m := model(t)
	var documented []string
	for _, n := range schema(t, m, "Code").Enum {
		documented = append(documented, n.Value)
	}
	for code := range fault.Table {
		if !slices.Contains(documented, string(code)) {
			t.Errorf("%s is a code and not in the document", code)
		}
	}
	for _, code := range documented {
		if _, ok := fault.Table[fault.Code(code)]; !ok {
			t.Errorf("%s is in the document and no code", code)
		}
	}
}

// A client that knows the status knows which codes there are, and the reverse.
func TestEveryCodeFitsItsStatusAlone(t *testing.T) {
	_, m := model(t)
	statuses := map[int]bool{}
	for _, class := range fault.Table {
		statuses[class.Status] = true
	}
	for code, class := range fault.Table {
		text := fmt.Sprintf(`{"type":"about:blank","title":%q,"status":%d,"detail":"do this","code":%q,"retryable":%t,"traceId":"1-a"}`, class.Title, class.Status, code, class.Retryable)
		for status := range statuses {
			err := fits(schema(t, m, "Problem"+strconv.Itoa(status)), text)
			if (err == nil) != (status == class.Status) {
				t.Errorf("%s as %d: %v", code, status, err)
			}
		}
	}
}

// An answer is documented under the status that its problem has.
func TestEveryProblemStandsUnderItsStatus(t *testing.T) {
	_, m := model(t)
	for path, item := range m.Paths.PathItems.FromOldest() {
		for method, op := range item.GetOperations().FromOldest() {
			for status, r := range op.Responses.Codes.FromOldest() {
				if r.Content == nil {
					continue
				}
				media := r.Content.GetOrZero("application/problem+json")
				if media == nil {
					continue
				}
				for _, part := range append(media.Schema.Schema().AllOf, media.Schema) {
					if name := part.GetReference(); strings.Contains(name, "/Problem") && !strings.HasSuffix(name, "/Problem"+status) && !strings.HasSuffix(name, "/Problem") {
						t.Errorf("%s %s: %s under %s", method, path, name, status)
					}
				}
			}
		}
	}
}
