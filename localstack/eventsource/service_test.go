package eventsource

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"windlass/localstack/disk"
)

// stream is a table's stream in memory.
type stream struct {
	mu      sync.Mutex
	records []Record
	changed chan struct{}
}

func newStream() *stream { return &stream{changed: make(chan struct{}, 1)} }

// add appends records, each given as "partition/sort".
func (s *stream) add(items ...string) {
	s.mu.Lock()
	for _, item := range items {
		n := len(s.records) + 1
		pk, sk, _ := cut(item)
		s.records = append(s.records, Record{
			Sequence: fmt.Sprintf("%021d", n), Partition: pk, Item: item, Created: time.Now(),
			Body: fmt.Appendf(nil, `{"eventID":"%d","dynamodb":{"Keys":{"pk":{"S":%q},"sk":{"S":%q}}}}`, n, pk, sk),
		})
	}
	s.mu.Unlock()
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

func cut(item string) (pk, sk string, ok bool) {
	for i := range item {
		if item[i] == '/' {
			return item[:i], item[i+1:], true
		}
	}
	return item, "", false
}

func (s *stream) Records(after string, limit int) ([]Record, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	from, _ := strconv.Atoi(after)
	to := min(from+limit, len(s.records))
	return append([]Record(nil), s.records[from:to]...), nil
}

func (s *stream) Latest() (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.records) == 0 {
		return "", nil
	}
	return s.records[len(s.records)-1].Sequence, nil
}

func (s *stream) Changed() <-chan struct{} { return s.changed }

// rig is a Service over a data directory and a stream that outlive it.
type rig struct {
	*stream
	t       *testing.T
	path    string
	mapping Mapping
	options Options
	db      *disk.DB
	service *Service

	mu    sync.Mutex
	calls [][]string // items of each invocation
	react func(items []string) ([]byte, error, error)
}

func newRig(t *testing.T, m Mapping) *rig {
	r := &rig{t: t, stream: newStream(), path: filepath.Join(t.TempDir(), "data"), mapping: m}
	r.mapping.Name, r.mapping.Function, r.mapping.Stream = "m", "arn:f", r.stream
	r.mapping.StreamARN = "arn:aws:dynamodb:us-east-1:000000000000:table/t/stream/2026-11-30T00:00:00.000"
	if m.MaximumRecordAge == 0 {
		r.mapping.MaximumRecordAge = -1
	}
	r.options = Options{Log: slog.New(slog.DiscardHandler), Invoke: r.invoke}
	return r
}

func (r *rig) invoke(_ context.Context, _ string, event []byte) ([]byte, error, error) {
	var e struct {
		Records []struct {
			DynamoDB struct {
				Keys map[string]map[string]string
			} `json:"dynamodb"`
		}
	}
	if err := json.Unmarshal(event, &e); err != nil {
		r.t.Errorf("%v: %s", err, event)
	}
	var items []string
	for _, rec := range e.Records {
		items = append(items, rec.DynamoDB.Keys["pk"]["S"]+"/"+rec.DynamoDB.Keys["sk"]["S"])
	}
	r.mu.Lock()
	r.calls = append(r.calls, items)
	react := r.react
	r.mu.Unlock()
	if react != nil {
		return react(items)
	}
	return nil, nil, nil
}

func (r *rig) start() {
	r.t.Helper()
	var err error
	if r.db, err = disk.Open(r.path, false); err != nil {
		r.t.Fatal(err)
	}
	r.options.Mappings = []Mapping{r.mapping}
	if r.service, err = Open(r.db, r.options); err != nil {
		r.t.Fatal(err)
	}
	r.service.Start()
}

func (r *rig) stop() {
	r.t.Helper()
	if err := errors.Join(r.service.Close(), r.db.Close()); err != nil {
		r.t.Error(err)
	}
}

// taken returns the invocations so far and forgets them.
func (r *rig) taken() [][]string {
	synctest.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	calls := r.calls
	r.calls = nil
	return calls
}

func (r *rig) want(calls ...[]string) {
	r.t.Helper()
	if diff := cmp.Diff(calls, r.taken()); diff != "" {
		r.t.Error(diff)
	}
}

func TestRecordsAreDeliveredInBatchesOnceAndResumedAfterARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, Mapping{BatchSize: 2})
		r.add("a/1", "a/2", "a/3")
		r.start()
		synctest.Wait()
		calls := r.taken()
		var all []string
		for _, c := range calls {
			if len(c) > 2 {
				t.Errorf("a batch of %d", len(c))
			}
			all = append(all, c...)
		}
		if diff := cmp.Diff([]string{"a/1", "a/2", "a/3"}, all); diff != "" {
			t.Error(diff)
		}
		r.stop()
		r.add("a/4")
		r.start()
		r.want([]string{"a/4"})
		r.add("a/5") // woken, while it waits
		r.want([]string{"a/5"})
		r.stop()
	})
}

func TestABatchUnderWayAtTheEndIsDeliveredAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, Mapping{})
		hold := make(chan struct{})
		r.react = func([]string) ([]byte, error, error) { <-hold; return nil, nil, nil }
		r.start()
		r.add("a/1")
		synctest.Wait()
		r.service.cancel()
		close(hold)
		r.stop()
		r.start()
		r.want([]string{"a/1"}, []string{"a/1"})
		r.stop()
	})
}

func TestLatestMeansLatestWhenTheMappingWasMade(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, Mapping{FromLatest: true})
		r.add("a/1")
		r.start()
		r.stop()
		r.add("a/2")
		r.start()
		r.want([]string{"a/2"})
		r.stop()
	})
}

func TestOnlyWhatAFilterWantsIsDelivered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, Mapping{Filters: []string{`{"dynamodb":{"Keys":{"sk":{"S":["2"]}}}}`, `{"dynamodb":{"Keys":{"sk":{"S":["4"]}}}}`}})
		r.add("a/1", "a/2", "a/3", "a/4", "a/5")
		r.start()
		var all []string
		for _, c := range r.taken() {
			all = append(all, c...)
		}
		if diff := cmp.Diff([]string{"a/2", "a/4"}, all); diff != "" {
			t.Error(diff)
		}
		r.stop()
	})
}

func TestAFilterThatIsNotModelledIsRefusedAtOpen(t *testing.T) {
	r := newRig(t, Mapping{Filters: []string{`{"eventName":[{"prefix":"I"}]}`}})
	db, err := disk.Open(r.path, false)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err = Open(db, Options{Mappings: []Mapping{r.mapping}}); err == nil {
		t.Error("accepted")
	}
}

// A poisoned record holds up its own key alone, and at most as often as allowed.
func TestDifferentKeysRunSideBySideAndOneKeyInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, Mapping{Parallelization: 10, BatchSize: 1, MaximumRetries: -1})
		hold := make(chan struct{})
		r.react = func(items []string) ([]byte, error, error) {
			if items[0] == "a/1" {
				<-hold
			}
			return nil, nil, nil
		}
		r.start()
		r.add("a/1", "a/2", "b/1", "b/2")
		got := r.taken()
		if len(got) != 3 {
			t.Errorf("while a/1 runs: %v", got)
		}
		close(hold)
		r.want([]string{"a/2"})
		r.stop()
	})
}

// The checkpoint never passes a record that is under way, whatever overtakes it.
func TestWhatOvertookIsDeliveredAgainAfterAKill(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, Mapping{Parallelization: 10})
		hold := make(chan struct{})
		r.react = func(items []string) ([]byte, error, error) {
			if items[0] == "a/1" {
				<-hold
			}
			return nil, nil, nil
		}
		r.start()
		r.add("a/1", "b/1")
		if got := r.taken(); len(got) != 2 {
			t.Errorf("first: %v", got)
		}
		r.service.cancel()
		close(hold)
		r.stop()
		r.start()
		if got := r.taken(); len(got) != 2 {
			t.Errorf("after the restart: %v", got)
		}
		r.stop()
	})
}
