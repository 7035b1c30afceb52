package eventbridge

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.etcd.io/bbolt"

	"windlass/localstack/disk"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// bus is a Service over a data directory that outlives it.
type bus struct {
	t    *testing.T
	path string
	opts Options
	db   *disk.DB
	*Service

	mu     sync.Mutex
	events []call
	answer func(n int) (failure, err error)
}

type call struct {
	at       time.Duration // since the first start
	function string
	event    []byte
}

func newBus(t *testing.T, o Options) *bus {
	b := &bus{t: t, path: filepath.Join(t.TempDir(), "data"), opts: o}
	began := time.Now()
	b.opts.Log = slog.New(slog.DiscardHandler)
	b.opts.Invoke = func(_ context.Context, function string, event []byte) (failure, err error) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.events = append(b.events, call{time.Since(began), function, event})
		if b.answer != nil {
			return b.answer(len(b.events))
		}
		return nil, nil
	}
	b.start()
	t.Cleanup(b.stop)
	return b
}

func (b *bus) start() {
	var err error
	if b.db, err = disk.Open(b.path, false); err != nil {
		b.t.Fatal(err)
	}
	if b.Service, err = Open(b.db, b.opts); err != nil {
		b.t.Fatal(err)
	}
	b.Start()
}

func (b *bus) stop() {
	b.Close()
	if err := b.db.Close(); err != nil {
		b.t.Error(err)
	}
}

func (b *bus) put(e Event) {
	b.t.Helper()
	if err := b.db.Update(func(tx *bbolt.Tx) error { return b.Put(tx, e) }); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bus) times() []time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	times := []time.Duration{}
	for _, c := range b.events {
		times = append(times, c.at.Round(time.Second))
	}
	return times
}

var ended = []Rule{{Name: "ended", Target: "recover", Pattern: []byte(`{"source":["aws.states"],"detail":{"status":["FAILED"]}}`)}}

func status(s string) Event {
	return Event{Source: "aws.states", DetailType: "Step Functions Execution Status Change",
		Resources: []string{"arn:aws:states:us-east-1:000000000000:execution:m:x"}, Detail: fmt.Appendf(nil, `{"status":%q}`, s)}
}

func TestOnlyMatchingEventsReachTheirTargetInAWSsEnvelope(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBus(t, Options{Rules: ended, Schedules: []Schedule{{Name: "tick", Minutes: 1, Target: "recover"}}})
		b.put(status("SUCCEEDED"))
		b.put(status("FAILED"))
		time.Sleep(61 * time.Second)
		synctest.Wait()
		if len(b.events) != 2 {
			t.Fatalf("%d events", len(b.events))
		}
		golden(t, "status.json", b.events[0].event)
		golden(t, "scheduled.json", b.events[1].event)
	})
}

var id = regexp.MustCompile(`"id":"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"`)

func golden(t *testing.T, name string, event []byte) {
	t.Helper()
	var got any
	if !id.Match(event) {
		t.Errorf("no id in %s", event)
	}
	event = id.ReplaceAll(event, []byte(`"id":"ID"`))
	if err := json.Unmarshal(event, &got); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("testdata", name)
	if *update {
		text, _ := json.MarshalIndent(json.RawMessage(event), "", "  ")
		if err := os.WriteFile(path, append(text, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var want any
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestAnEventOfATransactionThatFailsIsNeverDelivered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBus(t, Options{Rules: ended})
		func() {
			defer func() { _ = recover() }()
			_ = b.db.Update(func(tx *bbolt.Tx) error {
				if err := b.Put(tx, status("FAILED")); err != nil {
					t.Error(err)
				}
				panic("the transition does not commit")
			})
		}()
		time.Sleep(time.Hour)
		synctest.Wait()
		if len(b.events) != 0 {
			t.Errorf("%d events", len(b.events))
		}
	})
}

func TestAFunctionThatFailsIsTriedThreeTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBus(t, Options{Rules: ended})
		b.answer = func(int) (error, error) { return errors.New("no"), nil }
		b.put(status("FAILED"))
		time.Sleep(time.Hour)
		if diff := cmp.Diff([]time.Duration{0, time.Minute, 3 * time.Minute}, b.times()); diff != "" {
			t.Error(diff)
		}
	})
}

func TestATargetOutOfReachIsTriedForADay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBus(t, Options{Rules: ended})
		b.answer = func(int) (error, error) { return nil, errors.New("throttled") }
		b.put(status("FAILED"))
		time.Sleep(48 * time.Hour)
		times := b.times()
		if n := len(times); n != maxAttempts {
			t.Errorf("%d attempts, the last after %v", n, times[n-1])
		}
		if diff := cmp.Diff([]time.Duration{0, time.Second, 3 * time.Second, 7 * time.Second}, times[:4]); diff != "" {
			t.Error(diff)
		}
	})
}

func TestAnEventSurvivesARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBus(t, Options{Rules: ended})
		b.answer = func(n int) (error, error) {
			if n == 1 {
				return errors.New("no"), nil
			}
			return nil, nil
		}
		b.put(status("FAILED"))
		synctest.Wait()
		b.stop()
		b.start()
		time.Sleep(time.Hour)
		if diff := cmp.Diff([]time.Duration{0, time.Minute}, b.times()); diff != "" {
			t.Error(diff)
		}
		b.stop()
		b.start()
		time.Sleep(time.Hour)
		synctest.Wait()
		if n := len(b.events); n != 2 {
			t.Errorf("%d deliveries: one that succeeded came again", n)
		}
	})
}

func TestAnAttemptInterruptedByTheEndIsMadeAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBus(t, Options{Rules: ended})
		hold := make(chan struct{})
		b.answer = func(n int) (error, error) {
			if n == 1 {
				<-hold
				return errors.New("interrupted"), nil
			}
			return nil, nil
		}
		b.put(status("FAILED"))
		synctest.Wait()
		b.cancel()
		close(hold)
		b.stop()
		b.start()
		synctest.Wait()
		if diff := cmp.Diff([]time.Duration{0, 0}, b.times()); diff != "" {
			t.Error(diff)
		}
	})
}

func TestAScheduleKeepsItsCadenceAndCatchesUpOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBus(t, Options{Schedules: []Schedule{{Name: "tick", Minutes: 2, Target: "recover"}}})
		time.Sleep(5 * time.Minute) // runs after 2 and 4
		b.stop()
		time.Sleep(10 * time.Minute) // 6 to 14 are missed
		b.start()
		time.Sleep(3 * time.Minute)
		m := time.Minute
		if diff := cmp.Diff([]time.Duration{2 * m, 4 * m, 15 * m, 17 * m}, b.times()); diff != "" {
			t.Error(diff)
		}
	})
}

func TestAScheduleThatIsNewCountsFromWhenItWasFirstSeen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBus(t, Options{Minute: time.Second, Schedules: []Schedule{{Name: "hourly", Minutes: 60, Target: "recover"}}})
		for range 3 { // restarts must not put it off
			time.Sleep(19 * time.Second)
			b.stop()
			b.start()
		}
		time.Sleep(10 * time.Second)
		if diff := cmp.Diff([]time.Duration{time.Minute}, b.times()); diff != "" {
			t.Error(diff)
		}
	})
}

func TestAPatternThatIsNotModelledIsRefusedAtOpen(t *testing.T) {
	db, err := disk.Open(filepath.Join(t.TempDir(), "data"), false)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err = Open(db, Options{Rules: []Rule{{Name: "r", Pattern: []byte(`{"a":[{"prefix":"x"}]}`)}}}); err == nil {
		t.Error("accepted")
	}
}
