package loop_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"windlass/eventstore/event"
	"windlass/functions/internal/fold"
	"windlass/functions/internal/index"
	"windlass/functions/internal/model"
	"windlass/functions/internal/session"
	"windlass/functions/internal/tool"
)

func TestThePromptOfACompactedTurnIsNotLost(t *testing.T) {
	w := newWorld(t)
	w.service.Agents = catalog(t, "[look]\nlimits: {compactAt: 6000, compactKeep: 2000, allowLoops: true}")
	w.loop.Tools = tool.Set{"look": reader()}
	n, summaries, later := 0, []string{}, ""
	w.loop.Models["scripted"] = &full{say: func(r model.Request) ([]model.Part, event.Tokens, error) {
		if r.Purpose == event.PurposeCompact {
			summaries = append(summaries, requestText(r))
			return []model.Part{{Text: "a summary"}}, event.Tokens{}, nil
		}
		if n++; n <= 40 {
			return lookCalls(3, 300), event.Tokens{}, nil
		}
		later = requestText(r)
		return []model.Part{{Text: "done"}}, event.Tokens{}, nil
	}}
	w.submit(session.Submission{Prompt: "MARKER never touch /etc", OperationID: "op"})
	w.drive("op", 1)
	w.submit(session.Submission{Prompt: "and now?", OperationID: "next"})
	w.drive("next", 1)
	for _, s := range summaries {
		if strings.Contains(s, "MARKER") {
			return
		}
	}
	if !strings.Contains(later, "MARKER") {
		t.Errorf("%d summaries were asked for; the first turn's prompt is in none of them, and the next turn's model is not shown it", len(summaries))
	}
}

func TestFilesThatFailedNeverBrickASession(t *testing.T) {
	w := newWorld(t)
	down, asked := false, 0
	w.loop.Models["scripted"] = &full{say: func(r model.Request) ([]model.Part, event.Tokens, error) {
		if down {
			return nil, event.Tokens{}, &model.Fault{Code: model.Denied, Permanent: true, Message: "no credit"}
		}
		asked++
		return []model.Part{{Text: "ok"}}, event.Tokens{}, nil
	}}
	accept := func(id string, mib int) {
		s, err := fold.Open(t.Context(), w.journal, stream)
		if err != nil {
			t.Fatal(err)
		}
		content, err := w.journal.Keep(t.Context(), stream, id+strings.Repeat("x", mib<<20), "image/png")
		if err != nil {
			t.Fatal(err)
		}
		a, _ := w.service.Agents.Find("demo")
		e := event.Event{At: event.At(time.Now()), Operation: id, Data: event.OperationAccepted{Prompt: event.Text(id), Agent: a,
			Input: []event.File{{Name: "a.png", Type: "image/png", Content: content}}}}
		if _, _, err := w.journal.Append(t.Context(), s.At, index.Draft(stream, &s.State, "", []event.Event{e})); err != nil {
			t.Fatal(err)
		}
	}
	w.submit(session.Submission{Prompt: "hello", OperationID: "zero"})
	w.drive("zero", 1)
	down = true
	accept("a", 17)
	w.drive("a", 1)
	accept("b", 17)
	w.drive("b", 1)
	accept("c", 17)
	w.drive("c", 1)
	down, asked = false, 0
	for i := range 3 {
		id := fmt.Sprint("later-", i)
		w.submit(session.Submission{Prompt: "just say hello", OperationID: id})
		w.drive(id, 1)
		o, _ := w.service.Operation(t.Context(), stream, id)
		if o.Status != "completed" {
			t.Errorf("%s: %s %+v; the model was asked %d times", id, o.Status, o.Error, asked)
		}
	}
}

func TestASummaryIsMadeOfTheWholeOneBefore(t *testing.T) {
	w := newWorld(t)
	w.service.Agents = catalog(t, "[look]\nlimits: {compactAt: 30000, compactKeep: 5000, allowLoops: true}")
	w.loop.Tools = tool.Set{"look": reader()}
	n, compactions := 0, 0
	w.loop.Models["scripted"] = &full{say: func(r model.Request) ([]model.Part, event.Tokens, error) {
		if r.Purpose == event.PurposeCompact {
			if compactions++; compactions == 2 && !strings.Contains(requestText(r), "the account is 4711") {
				t.Error("the second summary is not made of the whole first one")
			}
			return []model.Part{{Text: strings.Repeat("fact. ", 1700) + "the account is 4711" + strings.Repeat(" fact.", 1700)}}, event.Tokens{}, nil
		}
		if n++; n <= 40 {
			return lookCalls(3, 2000), event.Tokens{}, nil
		}
		return []model.Part{{Text: "done"}}, event.Tokens{}, nil
	}}
	w.submit(session.Submission{Prompt: "go", OperationID: "op"})
	w.drive("op", 1)
	if compactions < 2 {
		t.Fatal(compactions)
	}
}

func TestALargeLastRoundNeverBricksASession(t *testing.T) {
	w := newWorld(t)
	w.service.Agents = catalog(t, "[look]\nlimits: {maxRounds: 1}")
	w.loop.Tools = tool.Set{"look": reader()}
	first, compacts := true, 0
	w.loop.Models["scripted"] = &full{say: func(r model.Request) ([]model.Part, event.Tokens, error) {
		if r.Purpose == event.PurposeCompact {
			compacts++
		}
		if weigh(r) > 128_000*7/2 { // 128k tokens of 3.5 bytes
			return nil, event.Tokens{}, &model.Fault{Code: model.Overflow, Permanent: true, Message: "too long"}
		}
		if r.Purpose == event.PurposeCompact {
			return []model.Part{{Text: "a summary"}}, event.Tokens{}, nil
		}
		if first {
			first = false
			return lookCalls(100, 10_000), event.Tokens{}, nil
		}
		return []model.Part{{Text: "done"}}, event.Tokens{}, nil
	}}
	w.submit(session.Submission{Prompt: "read a hundred files", OperationID: "op"})
	w.drive("op", 1)
	for i := range 3 {
		id := fmt.Sprint("later-", i)
		w.submit(session.Submission{Prompt: "hello", OperationID: id})
		w.drive(id, 1)
		o, _ := w.service.Operation(t.Context(), stream, id)
		if o.Status != "completed" {
			t.Errorf("%s: %s %+v (%d compactions asked)", id, o.Status, o.Error, compacts)
		}
	}
}

func TestWhatAFailedSummaryUsedIsCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.service.Agents = catalog(t, "[look]\nlimits: {compactAt: 6000, compactKeep: 2000, allowLoops: true}")
		w.loop.Tools = tool.Set{"look": reader()}
		n, compacts := 0, 0
		var used event.Tokens
		w.loop.Models["scripted"] = &full{say: func(r model.Request) ([]model.Part, event.Tokens, error) {
			u := event.Tokens{InputTokens: int64(weigh(r)) / 3, OutputTokens: 10}
			if r.Purpose == event.PurposeCompact {
				compacts++
				u = event.Tokens{InputTokens: 6000, OutputTokens: 8000}
				used = used.Plus(u)
				return nil, u, nil // reasoned up to its bound and said nothing
			}
			used = used.Plus(u)
			if n++; n <= 9 {
				return lookCalls(3, 1000), u, nil
			}
			return []model.Part{{Text: "done"}}, u, nil
		}}
		w.submit(session.Submission{Prompt: "go", OperationID: "op"})
		w.drive("op", 1)
		o, _ := w.service.Operation(t.Context(), stream, "op")
		if o.Usage.Tokens != used {
			t.Errorf("%d summaries asked for; counted %+v\n of %+v", compacts, o.Usage.Tokens, used)
		}
	})
}

func TestARefusedSummaryIsAskedForOnce(t *testing.T) {
	w := newWorld(t)
	w.service.Agents = catalog(t, "[look]\nlimits: {compactAt: 6000, compactKeep: 2000, allowLoops: true}")
	w.loop.Tools = tool.Set{"look": reader()}
	n, compacts := 0, 0
	w.loop.Models["scripted"] = &full{say: func(r model.Request) ([]model.Part, event.Tokens, error) {
		if r.Purpose == event.PurposeCompact {
			compacts++
			return nil, event.Tokens{}, &model.Fault{Code: model.Invalid, Permanent: true, Message: "max_tokens is too large"}
		}
		if n++; n <= 9 {
			return lookCalls(3, 1000), event.Tokens{}, nil
		}
		return []model.Part{{Text: "done"}}, event.Tokens{}, nil
	}}
	w.submit(session.Submission{Prompt: "go", OperationID: "op"})
	w.drive("op", 1)
	if compacts != 1 {
		t.Errorf("asked %d times for what is permanently refused", compacts)
	}
}

func TestASummaryKeepsTheAgentsLimits(t *testing.T) {
	w := newWorld(t)
	w.service.Agents = catalog(t, "[look]\nlimits: {compactAt: 6000, compactKeep: 2000, maxOutputTokens: 1000, allowLoops: true}")
	w.loop.Tools = tool.Set{"look": reader()}
	n := 0
	w.loop.Models["scripted"] = &full{say: func(r model.Request) ([]model.Part, event.Tokens, error) {
		if r.MaxOutputTokens > 1000 { // as vLLM: max_tokens + prompt must fit; as the agent says, 1000 is the model's most
			t.Errorf("asked for %d tokens of output for %q", r.MaxOutputTokens, r.Purpose)
		}
		if r.Purpose == event.PurposeCompact {
			return []model.Part{{Text: "a summary"}}, event.Tokens{}, nil
		}
		if n++; n <= 9 {
			return lookCalls(3, 1000), event.Tokens{}, nil
		}
		return []model.Part{{Text: "done"}}, event.Tokens{}, nil
	}}
	w.submit(session.Submission{Prompt: "go", OperationID: "op"})
	w.drive("op", 1)
}

func TestARefusalIsNoSummary(t *testing.T) {
	for _, stop := range []string{"refusal", "length"} {
		w := newWorld(t)
		w.service.Agents = catalog(t, "[look]\nlimits: {compactAt: 6000, compactKeep: 2000, allowLoops: true}")
		w.loop.Tools = tool.Set{"look": reader()}
		n := 0
		w.loop.Models["scripted"] = &full{say: func(r model.Request) ([]model.Part, event.Tokens, error) {
			if r.Purpose == event.PurposeCompact {
				return []model.Part{{Text: "I can't help with"}, {Stop: stop}}, event.Tokens{}, nil
			}
			if n++; n <= 9 {
				return lookCalls(3, 1000), event.Tokens{}, nil
			}
			return []model.Part{{Text: "done"}}, event.Tokens{}, nil
		}}
		w.submit(session.Submission{Prompt: "go", OperationID: "op"})
		w.drive("op", 1)
		if c := lastOf[event.TranscriptCompacted](w); c.Items > 0 {
			t.Errorf("%s: %d items are replaced by %q", stop, c.Items, c.Summary.Inline())
		}
	}
}

func TestASummaryThatFailedIsTriedAgainWhenItIsNeeded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.service.Agents = catalog(t, "[look]\nlimits: {compactAt: 6000, compactKeep: 2000, allowLoops: true}")
		w.loop.Tools = tool.Set{"look": reader()}
		n, compacts := 0, 0
		w.loop.Models["scripted"] = &full{say: func(r model.Request) ([]model.Part, event.Tokens, error) {
			if r.Purpose == event.PurposeCompact {
				if compacts++; compacts <= 2 {
					return nil, event.Tokens{}, &model.Fault{Code: model.Overloaded, Message: "later"}
				}
				return []model.Part{{Text: "a summary"}}, event.Tokens{}, nil
			}
			if weigh(r) > 17_000 {
				return nil, event.Tokens{}, &model.Fault{Code: model.Overflow, Permanent: true, Message: "too long"}
			}
			if n++; n <= 9 {
				return lookCalls(3, 1000), event.Tokens{}, nil
			}
			return []model.Part{{Text: "done"}}, event.Tokens{}, nil
		}}
		w.submit(session.Submission{Prompt: "go", OperationID: "op"})
		w.drive("op", 1)
		o, _ := w.service.Operation(t.Context(), stream, "op")
		if o.Status != "completed" {
			t.Errorf("%s %+v after %d compactions", o.Status, o.Error, compacts)
		}
	})
}

// Instructions of 4,000 tokens, where 6,000 are too many.
func TestLongInstructionsDoNotMeanASummaryInEveryRound(t *testing.T) {
	w := newWorld(t)
	w.service.Agents = catalog(t, "[look]\ninstructions: "+strings.Repeat("x", 12_000)+"\nlimits: {compactAt: 6000, compactKeep: 2000, allowLoops: true}")
	w.loop.Tools = tool.Set{"look": reader()}
	n, compacts := 0, 0
	w.loop.Models["scripted"] = &full{say: func(r model.Request) ([]model.Part, event.Tokens, error) {
		u := event.Tokens{InputTokens: int64(len(r.Instructions)+weigh(r)) / 3, OutputTokens: 10}
		if r.Purpose == event.PurposeCompact {
			compacts++
			return []model.Part{{Text: "a summary"}}, u, nil
		}
		if n++; n <= 30 {
			return lookCalls(3, 500), u, nil
		}
		return []model.Part{{Text: "done"}}, u, nil
	}}
	w.submit(session.Submission{Prompt: "go", OperationID: "op"})
	w.drive("op", 1)
	if compacts > 10 {
		t.Errorf("%d summaries in %d rounds", compacts, n)
	}
}

// A prompt of 300 KB, 86,000 tokens in truth, and a model that reads 128,000.
func TestATurnWithALongPromptIsCompacted(t *testing.T) {
	w := newWorld(t)
	w.service.Agents = catalog(t, "[look]\nlimits: {allowLoops: true}")
	w.loop.Tools = tool.Set{"look": reader()}
	n, compacts, most := 0, 0, 0
	w.loop.Models["scripted"] = &full{say: func(r model.Request) ([]model.Part, event.Tokens, error) {
		u := event.Tokens{InputTokens: int64(weigh(r)) * 2 / 7, OutputTokens: 10}
		if weigh(r) > 128_000*7/2 {
			return nil, event.Tokens{}, &model.Fault{Code: model.Overflow, Permanent: true, Message: "too long"}
		}
		most = max(most, weigh(r))
		if r.Purpose == event.PurposeCompact {
			compacts++
			return []model.Part{{Text: strings.Repeat("a summary. ", 2000)}}, u, nil
		}
		if n++; n <= 60 {
			return lookCalls(3, 1900), u, nil
		}
		return []model.Part{{Text: "done"}}, u, nil
	}}
	w.submit(session.Submission{Prompt: strings.Repeat("prompt ", 300_000/7), OperationID: "op"})
	w.drive("op", 1)
	o, _ := w.service.Operation(t.Context(), stream, "op")
	if o.Status != "completed" {
		t.Errorf("%s in round %d: %+v; %d summaries", o.Status, n, o.Error, compacts)
	}
}

func TestTheTurnAfterACompactedOneBeginsWithWhatItWasShown(t *testing.T) {
	w := newWorld(t)
	w.service.Agents = catalog(t, "[look]\nlimits: {compactAt: 6000, compactKeep: 2000, allowLoops: true}")
	w.loop.Tools = tool.Set{"look": reader()}
	n := 0
	var last, first string
	w.loop.Models["scripted"] = &full{say: func(r model.Request) ([]model.Part, event.Tokens, error) {
		if r.Purpose == event.PurposeCompact {
			return []model.Part{{Text: "a summary"}}, event.Tokens{}, nil
		}
		if n++; n <= 20 {
			return lookCalls(3, 300), event.Tokens{}, nil
		}
		if n == 21 {
			last = requestText(r)
		} else {
			first = requestText(r)
		}
		return []model.Part{{Text: "done"}}, event.Tokens{}, nil
	}}
	w.submit(session.Submission{Prompt: "MARKER never touch /etc", OperationID: "op"})
	w.drive("op", 1)
	w.submit(session.Submission{Prompt: "and now?", OperationID: "next"})
	w.drive("next", 1)
	if !strings.HasPrefix(first, last) {
		t.Errorf("%.200q\n%.200q", last, first)
	}
}
