package scripted_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"windlass/eventstore/event"
	"windlass/functions/internal/model"
	"windlass/functions/internal/model/scripted"
	"windlass/functions/internal/projection"

	"github.com/google/go-cmp/cmp"
)

func TestDemoUnderstandsTheWaysToAskIt(t *testing.T) {
	for prompt, c := range map[string]struct {
		path     string
		readBack bool
	}{
		"write a short README to /codex/result.txt and read it back":         {"/codex/result.txt", true},
		"Write a short README to /codex/result.txt, and read it back.":       {"/codex/result.txt", true},
		"write a short README to /codex/result.txt":                          {"/codex/result.txt", false},
		"write a short README to /codex/result.txt.":                         {"/codex/result.txt", false},
		"write a poem to poem.md!":                                           {"/poem.md", false},
		"  WRITE a poem\n to `poem.md`\nAND read\tit back ...\n":             {"/poem.md", true},
		`write a poem to "/poem.md" and read it back`:                        {"/poem.md", true},
		"write a poem to '/poem.md'.":                                        {"/poem.md", false},
		"write a letter to mother to /letter.txt and read it back":           {"/letter.txt", true},
		"write what is on your mind\nand more\nto /é/🦀.txt and read it back": {"/é/🦀.txt", true},
	} {
		answers, files, err := play(t, "demo", prompt)
		if err != nil {
			t.Errorf("%q: %v", prompt, err)
			continue
		}
		f, ok := files.Read(c.path)
		if !ok || f.Bytes == 0 {
			t.Errorf("%q: no file %s; there is %v", prompt, c.path, files.List(""))
			continue
		}
		last := answers[len(answers)-1].text
		if want := map[bool]int{true: 3, false: 2}[c.readBack]; len(answers) != want || !strings.Contains(last, f.Path[1:]) {
			t.Errorf("%q: %d rounds, want %d; the last says %q", prompt, len(answers), want, last)
		}
		if c.readBack != strings.Contains(last, f.Content.Inline()) {
			t.Errorf("%q: read back is %t; the last says %q", prompt, c.readBack, last)
		}
	}
}

func TestDemoSaysWhatItIsToAnythingElse(t *testing.T) {
	for _, prompt := range []string{"hello", "write", "write to /a", "write a poem", "please write a poem to /a and read it back", "write a poem to /a and mail it", "read /a", "\x00", "write a poem to /a b and read it back"} {
		answers, files, err := play(t, "demo", prompt)
		if err != nil || len(answers) != 1 || !strings.Contains(answers[0].text, "demo agent") || len(files.List("")) != 0 {
			t.Errorf("%q: %d answers, %v", prompt, len(answers), err)
		}
	}
}

func TestDemoTellsWhyItCouldNot(t *testing.T) {
	answers, _, err := play(t, "demo", "write a poem to ../secret and read it back")
	if err != nil || len(answers) != 2 || !strings.Contains(answers[1].text, "invalid_path") {
		t.Errorf("%+v, %v", answers, err)
	}
}

func TestAScriptAnswersTheNewestPrompt(t *testing.T) {
	_, files, err := play(t, "demo", "write a poem to /old", "write a poem to /new")
	if _, old := files.Read("/old"); old || err != nil {
		t.Errorf("the old prompt was carried out, %v", err)
	}
	if _, ok := files.Read("/new"); !ok {
		t.Error("the new prompt was not carried out")
	}
}

func TestTheSameRequestHasTheSameAnswer(t *testing.T) {
	for name, prompt := range map[string]string{"demo": "write a poem to /a and read it back", "stress": `{"rounds":3,"callsPerRound":4,"toolBytes":9,"answerBytes":5,"reasoningBytes":7}`} {
		a, _, errA := play(t, name, prompt)
		b, _, errB := play(t, name, prompt)
		if errA != nil || errB != nil || len(a) != len(b) {
			t.Fatalf("%s: %v, %v", name, errA, errB)
		}
		for i := range a {
			if a[i].text != b[i].text || a[i].end != b[i].end || len(a[i].calls) != len(b[i].calls) {
				t.Errorf("%s, round %d: %+v is not %+v", name, i+1, a[i], b[i])
			}
		}
	}
}

func TestAModelThatIsNotThereIsAPermanentError(t *testing.T) {
	_, _, err := play(t, "gpt", "hello")
	if f := fault(t, err); f.Code != model.Denied || !f.Permanent || !strings.Contains(f.Message, "gpt") {
		t.Errorf("%+v", f)
	}
}

func TestLatencyIsTakenAndEndsWithItsContext(t *testing.T) {
	request := ask(`{"answerBytes":3,"latencyMs":60000}`)
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		if _, _, err := model.Ask(t.Context(), scripted.Provider{}, request, nil); err != nil || time.Since(began) != time.Minute {
			t.Errorf("%v after %s, want an answer after a minute", err, time.Since(began))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began = time.Now()
		_, _, err := model.Ask(ctx, scripted.Provider{}, request, nil)
		if f := fault(t, err); f.Code != "timeout" || time.Since(began) != time.Second {
			t.Errorf("%+v after %s, want a timeout after a second", f, time.Since(began))
		}
	})
}

func ask(prompt string) model.Request {
	return model.Request{Model: "stress", Messages: []projection.Message{{Role: projection.User, Parts: []projection.Part{{Text: prompt}}}}}
}

// Streaming is tried with it.
func TestTextComesInPiecesIfItIsOrdered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		var pieces []string
		a, _, err := model.Ask(t.Context(), scripted.Provider{}, ask(`{"answerBytes":10,"chunkBytes":4,"chunkMs":100}`), func(p model.Part) {
			if p.Text != "" {
				pieces = append(pieces, fmt.Sprintf("%s %q", time.Since(began), p.Text))
			}
		})
		if d := cmp.Diff([]string{`0s "roun"`, `100ms "d 1 "`, `200ms "of"`}, pieces); d != "" || err != nil || a.Items[0].Text.Inline() != "round 1 of" {
			t.Errorf("%v, %+v, pieces (-want +got):\n%s", err, a, d)
		}
	})
}

func TestAScriptSummarises(t *testing.T) {
	r := ask("PERSON: hello")
	r.Purpose = event.PurposeCompact
	a, _, err := model.Ask(t.Context(), scripted.Provider{}, r, nil)
	if err != nil || len(a.Items) != 1 || !strings.Contains(a.Items[0].Text.Inline(), "summary of 13 bytes") {
		t.Errorf("%+v, %v", a, err)
	}
}
