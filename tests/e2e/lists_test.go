package e2e

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"testing"

	"windlass/tests/client"
)

// Whoever pages while others submit sees each of the older ones once.
func TestListsAreNewestFirstWhileOthersSubmit(t *testing.T) {
	ctx, l := open(t)
	s := session()
	const before = 30
	for i := range before {
		if _, err := l.Submit(ctx, s, client.Submission{Prompt: "hello", OperationID: fmt.Sprintf("a-%02d", i)}); err != nil {
			t.Fatal(err)
		}
	}
	var all sync.WaitGroup
	for w := range 3 {
		all.Go(func() {
			for i := range 10 {
				if _, err := l.Submit(ctx, s, client.Submission{Prompt: "hello", OperationID: fmt.Sprintf("b-%d-%d", w, i)}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range 5 {
		page, err := l.Operations(ctx, s, 4)
		if err != nil {
			t.Fatal(err)
		}
		seen, old := map[string]bool{}, 0
		for i, o := range page {
			if seen[o.OperationID] || i > 0 && o.FirstSeq >= page[i-1].FirstSeq || o.Output != nil {
				t.Errorf("entry %d: %+v", i, o)
			}
			seen[o.OperationID] = true
			if o.OperationID[0] == 'a' {
				old++
			}
		}
		if old != before {
			t.Errorf("%d of %d older operations are listed", old, before)
		}
	}
	all.Wait()
	if page, err := l.Operations(ctx, s, 200); err != nil || len(page) != before+30 {
		t.Errorf("%d operations, %v", len(page), err)
	}
}

func TestTheHeadIsListedAsRunning(t *testing.T) {
	ctx, l := open(t)
	s := session()
	for _, id := range []string{"one", "two"} {
		if _, err := l.Submit(ctx, s, client.Submission{Prompt: `{"rounds":3,"callsPerRound":1,"latencyMs":300}`, OperationID: id, Agent: "stress"}); err != nil {
			t.Fatal(err)
		}
	}
	for running := false; !running; {
		page, err := l.Operations(ctx, s, 50)
		if err != nil || len(page) != 2 || page[0].OperationID != "two" || page[1].Status == "completed" {
			t.Fatalf("%+v, %v", page, err)
		}
		running = page[1].Status == "running" && page[0].Status == "queued"
	}
}

func TestSessionsAreListedNewestFirst(t *testing.T) {
	ctx, l := open(t)
	var want []string
	for range 5 {
		s := session()
		if _, _, err := l.PutFile(ctx, s, "/a", []byte("a"), nil); err != nil {
			t.Fatal(err)
		}
		want = append([]string{s}, want...)
	}
	all, err := l.Sessions(ctx, 2)
	if err != nil || len(all) < 5 {
		t.Fatalf("%v, %v", all, err)
	}
	var got []string
	for _, x := range all[:5] {
		got = append(got, x.SessionID)
	}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestTheTranscriptIsWhatTheModelHasSeen(t *testing.T) {
	ctx, l := open(t)
	s := session()
	if _, err := l.Submit(ctx, s, client.Submission{Prompt: demo, OperationID: "op"}); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Wait(ctx, s, "op"); err != nil {
		t.Fatal(err)
	}
	items, err := l.Transcript(ctx, s, 2)
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for i, it := range items {
		kinds = append(kinds, it.Kind)
		if it.N != uint64(i+1) {
			t.Errorf("item %d is numbered %d", i+1, it.N)
		}
	}
	if want := []string{"user", "tool_call", "tool_result", "tool_call", "tool_result", "text"}; !slices.Equal(kinds, want) {
		t.Fatalf("%v, want %v", kinds, want)
	}
	var prompt string
	if err := json.Unmarshal(items[0].Text, &prompt); err != nil || prompt != demo || items[1].Call == nil || items[2].Output == nil || items[2].Text != nil {
		t.Errorf("%+v", items)
	}
}
