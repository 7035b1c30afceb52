package bedrock_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windlass/functions/internal/model"
	"windlass/functions/internal/projection"
)

func TestFilesAreShown(t *testing.T) {
	f := over(t, canned(ended)).Rules().File
	for kind, want := range map[string]string{
		"image/png": "image png", "image/jpeg": "image jpeg", "image/gif": "image gif", "image/webp": "image webp",
		"application/pdf": "document pdf", "application/msword": "document doc", "application/vnd.ms-excel": "document xls",
		"application/vnd.openxmlformats-officedocument.wordprocessingml.document": "document docx",
		"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet":       "document xlsx",
		"text/csv": "", "text/plain": "", "text/html": "", "text/markdown": "", "image/tiff": "", "image/svg+xml": "", "video/mp4": "", "": "",
	} {
		if f(kind) != (want != "") {
			t.Errorf("%s: taken: %t", kind, f(kind))
		}
		if want == "" {
			continue
		}
		var q struct {
			Messages []struct {
				Content []map[string]struct{ Format, Name string }
			}
		}
		body := send(t, model.Request{Model: "m", Messages: []projection.Message{user(shows("a", kind, "data"))}})
		_ = json.Unmarshal([]byte(strings.ReplaceAll(body, `"text":"`, `"Text":"`)), &q) // texts are none of these
		for block, f := range q.Messages[0].Content[0] {
			if got := block + " " + f.Format; got != want {
				t.Errorf("%s: %s", kind, got)
			}
		}
	}
}

// TestFilesThatAreTooManyAreNamed: a request that has them would be refused for ever.
func TestFilesThatAreTooManyAreNamed(t *testing.T) {
	var parts []projection.Part
	for i := range 22 {
		parts = append(parts, shows(fmt.Sprint("/", i, ".png"), "image/png", "data"))
	}
	for i := range 6 {
		parts = append(parts, shows(fmt.Sprint("/", i, ".pdf"), "application/pdf", "data"))
	}
	parts = append(parts, shows("/large.png", "image/png", strings.Repeat("a", 3_750_001)))
	body := send(t, model.Request{Model: "m", Messages: []projection.Message{user(parts[:25]...), assistant(says("Yes.")), user(parts[25:]...)}})
	if n := strings.Count(body, `{"image":`); n != 20 {
		t.Errorf("%d images", n)
	}
	var names []string
	for i := range 7 {
		if name := fmt.Sprintf(`"name":"document %d"`, i); strings.Count(body, name) == 1 {
			names = append(names, name)
		}
	}
	if len(names) != 5 || strings.Count(body, `{"document":`) != 5 {
		t.Errorf("documents %v in %.4000s", names, body)
	}
	for _, name := range []string{"/20.png", "/21.png", "/5.pdf", "/large.png"} {
		if !strings.Contains(body, `{"text":"[File `+name) {
			t.Errorf("%s is not named", name)
		}
	}
}

func TestEveryKeyHasAName(t *testing.T) {
	for in, want := range map[string]string{
		`{"b":1,"a":[ 1.10 , 12345678901234567890 ]}`: `{"b":1,"a":[1.10,12345678901234567890]}`,
		`{"a":"\"\":"}`:                        `{"a":"\"\":"}`,
		`{"":1}`:                               `{"_":1}`,
		`{"" : 1.10, "_":2, "__":1e400}`:       `{"_":2,"__":1e400,"___":1.10}`,
		`{"b":[{"":{"":"<"}}],"a":"","":null}`: `{"_":null,"a":"","b":[{"_":{"_":"<"}}]}`,
	} {
		body := send(t, model.Request{Model: "m", Messages: []projection.Message{user(says("a")), assistant(calls("x", in)), user(result("x", "r", false))}})
		_, got, _ := strings.Cut(body, `"input":`)
		if got, _, _ = strings.Cut(got, `}}]},{"role":"user"`); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

// TestReasoningGoesBackAsItCame through an answer, its log and a request.
func TestReasoningGoesBackAsItCame(t *testing.T) {
	a, _, err := hear(t, canned(thought(0, "I <look> & \u2028")+proof(0, "c2ln+/==")+closes(0)+said(1, "So: ")+closes(1)+sealed(2, "c2VhbGVk")+closes(2)+proof(3, "YWdhaW4")+closes(3)+opens(4, "x", "read")+closes(4)+ended))
	if err != nil {
		t.Fatal(err)
	}
	m := assistant()
	for _, it := range a.Items {
		if it.Native != nil {
			m.Parts = append(m.Parts, projection.Part{Native: it.Native.Inline()})
		}
	}
	m.Parts = append(m.Parts, calls("x", "{}"))
	var q struct {
		Messages []struct{ Content []json.RawMessage }
	}
	body := send(t, model.Request{Model: "anthropic.claude-sonnet-5", Messages: append(slices.Clone(hello), m, user(result("x", "r", false)))})
	if err := json.Unmarshal([]byte(body), &q); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range q.Messages[1].Content {
		got = append(got, string(c))
	}
	want := []string{
		`{"reasoningContent":{"reasoningText":{"text":"I <look> & \u2028","signature":"c2ln+/=="}}}`, `{"text":"So: "}`, `{"reasoningContent":{"redactedContent":"c2VhbGVk"}}`,
		`{"reasoningContent":{"reasoningText":{"text":"","signature":"YWdhaW4"}}}`, `{"toolUse":{"toolUseId":"x","name":"read","input":{}}}`,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}
