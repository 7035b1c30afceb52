package eventsource

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// poison makes every batch that holds an item fail.
func poison(item string) func([]string) ([]byte, error, error) {
	return func(items []string) ([]byte, error, error) {
		if slices.Contains(items, item) {
			return nil, errors.New("poisoned"), nil
		}
		return nil, nil, nil
	}
}

func TestAFailingBatchIsTriedAsOftenAsAllowedAndThenNoted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, Mapping{MaximumRetries: 2, FailureQueue: "q"})
		r.react = poison("a/1")
		r.add("a/1")
		r.start()
		time.Sleep(time.Hour)
		r.want([]string{"a/1"}, []string{"a/1"}, []string{"a/1"})
		notes, err := r.service.Failures("q")
		if err != nil || len(notes) != 1 {
			t.Fatalf("%d notes, %v", len(notes), err)
		}
		golden(t, "failure.json", notes[0])
		r.stop()
		r.start()
		r.want() // the checkpoint has passed it
		r.stop()
	})
}

func TestBisectionFindsThePoisonedRecord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, Mapping{Bisect: true, MaximumRetries: 1, FailureQueue: "q", BatchSize: 4})
		r.react = poison("a/3")
		r.add("a/1", "a/2", "a/3", "a/4")
		r.start()
		time.Sleep(time.Hour)
		calls := r.taken()
		if n := len(slices.DeleteFunc(slices.Clone(calls), func(c []string) bool { return !slices.Equal(c, []string{"a/3"}) })); n != 2 {
			t.Errorf("a/3 alone %d times, want 2: %v", n, calls)
		}
		if last := calls[len(calls)-1]; !slices.Equal(last, []string{"a/4"}) {
			t.Errorf("a/4 was not delivered: %v", calls)
		}
		if notes, _ := r.service.Failures("q"); len(notes) != 1 {
			t.Errorf("%d notes", len(notes))
		}
		r.stop()
	})
}

func TestPartialFailuresSettleWhatStandsBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, Mapping{PartialFailures: true, MaximumRetries: 5})
		failed := false
		r.react = func(items []string) ([]byte, error, error) {
			if !failed && len(items) == 3 {
				failed = true
				return fmt.Appendf(nil, `{"batchItemFailures":[{"itemIdentifier":"%021d"},{"itemIdentifier":"%021d"}]}`, 3, 2), nil, nil
			}
			return []byte(`{"batchItemFailures":[]}`), nil, nil
		}
		r.add("a/1", "a/2", "a/3")
		r.start()
		time.Sleep(time.Minute)
		r.want([]string{"a/1", "a/2", "a/3"}, []string{"a/2", "a/3"})
		r.stop()
	})
}

func TestPartialFailuresAreReadByAWSsRules(t *testing.T) {
	entries := []*entry{{record: &Record{Sequence: "1"}}, {record: &Record{Sequence: "2"}}}
	for answer, want := range map[string]int{
		``:                           2,
		`null`:                       2,
		`{}`:                         2,
		`{"batchItemFailures":[]}`:   2,
		`{"batchItemFailures":null}`: 2,
		`{"batchItemFailures":[{"itemIdentifier":"2"}]}`: 1,
		`{"batchItemFailures":[{"itemIdentifier":"1"}]}`: 0,
		`{"batchItemFailures":[{"itemIdentifier":"3"}]}`: 0,
		`{"batchItemFailures":[{"itemIdentifier":""}]}`:  0,
		`{"batchItemFailures":[{}]}`:                     0,
		`{"batchItemFailures":[{"itemIdentifier":2}]}`:   0,
		`[`: 0,
	} {
		got, err := firstFailure([]byte(answer), entries)
		if got != want || (err == nil) != (want == 2) {
			t.Errorf("%s: %d, %v; want %d", answer, got, err, want)
		}
	}
}

func TestAThrottledFunctionCostsNoAttemptAndAgeEndsIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, Mapping{MaximumRetries: 0, MaximumRecordAge: time.Hour, FailureQueue: "q"})
		r.react = func([]string) ([]byte, error, error) { return nil, nil, errors.New("throttled") }
		r.add("a/1")
		r.start()
		time.Sleep(2 * time.Hour)
		if n := len(r.taken()); n < 100 {
			t.Errorf("%d attempts in an hour", n)
		}
		notes, _ := r.service.Failures("q")
		if len(notes) != 1 || !regexp.MustCompile(`RecordAgeExceeded`).Match(notes[0]) {
			t.Errorf("notes %s", notes)
		}
		r.stop()
	})
}

func TestRedeliverDeliversEveryBatchTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, Mapping{})
		r.options.Redeliver = true
		r.add("a/1")
		r.start()
		r.want([]string{"a/1"}, []string{"a/1"})
		r.stop()
	})
}

func TestShuffleKeepsEachItemsOrder(t *testing.T) {
	moved := false
	for seed := range uint64(20) {
		var records []Record
		for i := range 30 {
			records = append(records, Record{Sequence: fmt.Sprintf("%02d", i), Item: fmt.Sprint(i % 7)})
		}
		shuffle(records, rand.New(rand.NewPCG(seed, 1)).Shuffle)
		last := map[string]string{}
		for i, r := range records {
			if r.Sequence <= last[r.Item] {
				t.Fatalf("seed %d: %s after %s", seed, r.Sequence, last[r.Item])
			}
			last[r.Item] = r.Sequence
			moved = moved || r.Sequence != fmt.Sprintf("%02d", i)
		}
	}
	if !moved {
		t.Error("nothing moved")
	}
}

func TestAnEventIsTheRecordsAsTheyCame(t *testing.T) {
	got := string(render([]*entry{{body: []byte(`{"a":1}`)}, {body: []byte(`{"b":2}`)}}))
	if want := `{"Records":[{"a":1},{"b":2}]}`; got != want {
		t.Errorf("got %s", got)
	}
}

var requestID = regexp.MustCompile(`"requestId":"\w+"`)

func golden(t *testing.T, name string, text []byte) {
	t.Helper()
	text = requestID.ReplaceAll(text, []byte(`"requestId":"ID"`))
	path := filepath.Join("testdata", name)
	if *update {
		indented, _ := json.MarshalIndent(json.RawMessage(text), "", "  ")
		if err := os.WriteFile(path, append(indented, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var want, got any
	if err := errors.Join(json.Unmarshal(file, &want), json.Unmarshal(text, &got)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func FuzzPartialFailures(f *testing.F) {
	for _, a := range []string{`{"batchItemFailures":[{"itemIdentifier":"2"}]}`, `null`, `[]`, ` `} {
		f.Add(a)
	}
	entries := []*entry{{record: &Record{Sequence: "1"}}, {record: &Record{Sequence: "2"}}}
	f.Fuzz(func(t *testing.T, answer string) {
		n, err := firstFailure([]byte(answer), entries)
		if n < 0 || n > len(entries) || (err == nil) != (n == len(entries)) {
			t.Errorf("%d, %v", n, err)
		}
	})
}
