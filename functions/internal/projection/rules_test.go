package projection_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"windlass/eventstore/event"
	"windlass/functions/internal/projection"
	"windlass/functions/internal/transcript"
)

const origin = "p/m"

// anything is a transcript that no fold gives: results without calls, calls without
// results, in any order, with text of every kind.
func anything(r *rand.Rand) (items []projection.Item) {
	texts := []string{"", " \n", "a", "a\x00b", "\xf0\x9f", "\xed\xa0\xbd", "{}", `{"a":"\ud83d"}`, `{"{"a":`, "null", "[1]", strings.Repeat("é", 300)}
	text := func() string { return texts[r.IntN(len(texts))] }
	origins := []string{"", origin, "p/other"}
	for n := range r.IntN(30) {
		call := &event.ToolCall{Index: r.IntN(3), CallID: []string{"", "c", "d:1", "é", strings.Repeat("x", 70)}[r.IntN(5)], Name: text()}
		it := transcript.Item{
			Kind: []transcript.Kind{transcript.User, transcript.Text, transcript.Reasoning, transcript.ToolCall, transcript.ToolCall, transcript.ToolResult, transcript.ToolResult,
				transcript.File, transcript.Opaque, transcript.Summary, "newer"}[r.IntN(11)],
			Call: call, Origin: origins[r.IntN(3)],
		}
		p := projection.Item{Item: it, N: n + 1, Body: text()}
		if r.IntN(3) == 0 {
			p.Native = `{"opaque":true}`
		}
		if it.Kind == transcript.ToolResult && r.IntN(3) == 0 {
			p.Item.Error = &event.Error{Code: text(), Message: text()}
		}
		if it.Kind == transcript.User || it.Kind == transcript.File {
			for range r.IntN(3) {
				p.Item.Files = append(p.Item.Files, event.File{Path: text(), Name: text(), Type: []string{"image/png", "text/plain", "", "APPLICATION/PDF; q=1", "\x00"}[r.IntN(5)]})
				p.Files = append(p.Files, text())
			}
		}
		items = append(items, p)
	}
	return items
}

func png(kind string) bool { return kind == "image/png" }

func TestAnyTranscriptKeepsTheRules(t *testing.T) {
	for seed := range uint64(5000) {
		items := anything(rand.New(rand.NewPCG(seed, 5)))
		messages, repairs, err := projection.Project(items, projection.Rules{Origin: origin, File: png})
		if err != nil {
			t.Fatal(err)
		}
		if why := breaks(messages); why != "" {
			t.Fatalf("seed %d: %s\n%+v\n%+v", seed, why, items, messages)
		}
		for _, r := range repairs {
			if r.Item < 1 || r.Item > len(items) {
				t.Fatalf("seed %d: %+v of %d items", seed, r, len(items))
			}
		}
		told := projection.New(projection.Rules{Origin: origin, File: png})
		if err := told.Add(items); err != nil {
			t.Fatal(err)
		}
		if _, again := told.Messages(len(items)); len(again) != 0 {
			t.Fatalf("seed %d: repairs that were told are told again: %+v", seed, again)
		}
	}
}

// breaks says which rule messages break.
func breaks(messages []projection.Message) string {
	var open []projection.Call
	ids := map[string]bool{}
	for i, m := range messages {
		if want := []projection.Role{projection.User, projection.Assistant}[i%2]; m.Role != want || len(m.Parts) == 0 {
			return fmt.Sprintf("message %d is the %s's, with %d parts", i, m.Role, len(m.Parts))
		}
		for j, p := range m.Parts {
			if n := fields(p); n != 1 {
				return fmt.Sprintf("message %d, part %d has %d fields", i, j, n)
			}
			text := p.Text
			switch {
			case p.Result != nil:
				if m.Role != projection.User || len(open) == 0 || open[0].ID != p.Result.CallID || open[0].Name != p.Result.Name || p.Result.Output == "" {
					return fmt.Sprintf("message %d, part %d is not the result that is next", i, j)
				}
				open, text = open[1:], p.Result.Output
			case len(open) > 0 && m.Role == projection.User:
				return fmt.Sprintf("message %d, part %d comes before a result", i, j)
			case p.Call != nil:
				var object map[string]any
				if m.Role != projection.Assistant || ids[p.Call.ID] || p.Call.ID == "" || p.Call.Name == "" || json.Unmarshal([]byte(p.Call.Arguments), &object) != nil || object == nil {
					return fmt.Sprintf("message %d, part %d is no call: %+v", i, j, p.Call)
				}
				ids[p.Call.ID] = true
				open, text = append(open, *p.Call), p.Call.Arguments+p.Call.Name+p.Call.ID
			case p.File != nil && (m.Role != projection.User || p.File.Type != "image/png"):
				return fmt.Sprintf("message %d, part %d is a file that is not taken", i, j)
			case p.Text != "" && m.Role == projection.Assistant && strings.TrimSpace(p.Text) == "":
				return fmt.Sprintf("message %d, part %d is blank", i, j)
			}
			if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
				return fmt.Sprintf("message %d, part %d is not clean: %q", i, j, text)
			}
		}
	}
	if len(open) > 0 {
		return fmt.Sprintf("%d calls have no result", len(open))
	}
	return ""
}

func fields(p projection.Part) (n int) {
	for _, given := range []bool{p.Text != "", p.File != nil, p.Native != "", p.Call != nil, p.Result != nil} {
		if given {
			n++
		}
	}
	return n
}

func TestWhatIsMissingIsAddedAndWhatHasNoPlaceIsLeftOut(t *testing.T) {
	messages, repairs := project(t, numbered(
		said(transcript.User, "go"), result(0, "of nothing"),
		called(0, "a", "f", "{}"), called(1, "b", "f", "{}"), called(2, "c", "f", "{}"), result(1, "one"), result(1, "again"),
		said(transcript.User, "and?"),
	)...)
	var got []string
	for _, p := range messages[2].Parts {
		if p.Result != nil {
			got = append(got, p.Result.Output)
		} else {
			got = append(got, p.Text)
		}
	}
	const lost = `{"error":{"code":"lost","message":"the result of this call is not known"}}`
	if d := cmp.Diff([]string{lost, "one", lost, "and?"}, got); d != "" {
		t.Errorf("results (-want +got):\n%s", d)
	}
	want := []event.Repair{{Kind: event.RepairOrphan, Item: 2}, {Kind: event.RepairResult, Item: 3}, {Kind: event.RepairOrphan, Item: 7}, {Kind: event.RepairResult, Item: 5}}
	if d := cmp.Diff(want, repairs); d != "" {
		t.Errorf("repairs (-want +got):\n%s", d)
	}
}

func TestOpaqueMaterialIsGivenToItsOwnModelAlone(t *testing.T) {
	thought := said(transcript.Reasoning, "hm")
	thought.Native, thought.Item.Origin = `{"sig":1}`, origin
	redacted := said(transcript.Opaque, "")
	redacted.Native, redacted.Item.Origin = `{"red":1}`, origin
	signed := called(0, "own-id", "f", "{}")
	signed.Native, signed.Item.Origin = `{"call":1}`, origin
	items := numbered(said(transcript.User, "go"), thought, redacted, signed, result(0, "x"))
	for model, want := range map[string][]string{origin: {`{"sig":1}`, `{"red":1}`, `own-id {"call":1}`}, "p/other": {"c00000004 "}} {
		messages, _, err := projection.Project(items, projection.Rules{Origin: model})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, p := range messages[1].Parts {
			if p.Call != nil {
				got = append(got, p.Call.ID+" "+p.Call.Native)
			} else {
				got = append(got, p.Native)
			}
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", model, d)
		}
	}
}

func TestFilesAreShownAsFarAsTheProtocolTakesThem(t *testing.T) {
	it := said(transcript.User, "what are these?")
	it.Item.Files = []event.File{
		{Path: "/a.png", Type: "IMAGE/PNG", Content: event.Text("png")}, {Path: "/b.txt", Type: "text/plain; charset=utf-8", Content: event.Text("text")},
		{Name: "c.bin", Type: "application/octet-stream", Content: event.Text("\x00\x01")}, {Path: "/d.txt", Type: "text/plain", Content: event.Text("\xff")},
	}
	it.Files = []string{"png", "text", "\x00\x01", "\xff"}
	messages, repairs, err := projection.Project(numbered(it), projection.Rules{File: png})
	if err != nil {
		t.Fatal(err)
	}
	want := []projection.Part{
		{Text: "what are these?"}, {File: &projection.File{Name: "/a.png", Type: "image/png", Data: "png"}}, {Text: "File /b.txt (text/plain):\ntext"},
		{Text: "[File c.bin, application/octet-stream, 2 bytes.] This model cannot be shown it."}, {Text: "[File /d.txt, text/plain, 1 bytes.] This model cannot be shown it."},
	}
	if d := cmp.Diff(want, messages[0].Parts); d != "" {
		t.Error(d)
	}
	if len(repairs) != 2 || repairs[0].Kind != event.RepairFile {
		t.Errorf("%+v", repairs)
	}
}

// A conversation that is retold has no roles, calls or files to be refused.
func TestARetoldConversationIsOneText(t *testing.T) {
	for seed := range uint64(500) {
		messages := projection.Retell(anything(rand.New(rand.NewPCG(seed, 9))), 3)
		if why := breaks(messages); why != "" || len(messages) != 1 || len(messages[0].Parts) != 1 {
			t.Fatalf("seed %d: %s, %+v", seed, why, messages)
		}
	}
}

// 100,000 tokens of transcript: 150 rounds of a call and two kilobytes.
func BenchmarkProject(b *testing.B) {
	var items []projection.Item
	items = append(items, said(transcript.User, "go"))
	for range 150 {
		items = append(items, called(0, "c", "workspace_read", `{"path":"/a"}`), result(0, strings.Repeat("0123456789abcdef", 125)))
	}
	items = numbered(items...)
	b.ReportAllocs()
	b.SetBytes(300_000)
	for b.Loop() {
		if _, _, err := projection.Project(items, projection.Rules{}); err != nil {
			b.Fatal(err)
		}
	}
}
