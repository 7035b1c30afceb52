package eventstore_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/oklog/ulid/v2"

	"windlass/eventstore"
	"windlass/eventstore/event"
	"windlass/eventstore/flaky"
	"windlass/eventstore/memory"
)

var session = eventstore.Stream{Tenant: "acme", Session: "s-1"}

// hasty retries at once and gives up only with its context.
var hasty = eventstore.WithRetry(eventstore.Retry{Attempt: time.Minute, Total: time.Minute})

func started(n int) (events []event.Event) {
	for range n {
		events = append(events, event.Event{At: event.At(time.Unix(0, 0)), Operation: "op-1", Data: event.OperationStarted{}})
	}
	return events
}

func draft(n int) eventstore.Draft { return eventstore.Draft{Events: started(n)} }

func head(t *testing.T, d eventstore.Driver) eventstore.Position {
	t.Helper()
	_, at, err := eventstore.New(d).Head(t.Context(), session)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func log(t *testing.T, d eventstore.Driver, after uint64) (log []eventstore.Commit) {
	t.Helper()
	for c, err := range eventstore.New(d).Read(t.Context(), session, after) {
		if err != nil {
			t.Fatal(err)
		}
		log = append(log, c)
	}
	return log
}

func TestAppendReturnsWhatIsRead(t *testing.T) {
	d := memory.New()
	now := time.Date(2026, 1, 2, 3, 4, 5, 678901234, time.FixedZone("", 3600))
	j := eventstore.New(d, eventstore.WithClock(func() time.Time { return now }))
	in := draft(3)
	in.By, in.Wake, in.Summary = "turn-1", true, []byte(`{"a":1}`)
	in.Events[1].Round = 2
	first, at, err := j.Append(t.Context(), head(t, d), draft(2))
	if err != nil {
		t.Fatal(err)
	}
	second, at, err := j.Append(t.Context(), at, in)
	if err != nil {
		t.Fatal(err)
	}
	if in.Events[0].Seq != 0 || in.Events[0].By != "" {
		t.Error("the draft's own events were numbered")
	}
	if first.First != 1 || second.First != 3 || second.Last != 5 || at.Seq() != 5 || second.Events[2].Seq != 5 || second.Events[0].By != "turn-1" {
		t.Errorf("%+v\n%+v\nat %d", first, second, at.Seq())
	}
	if d := cmp.Diff([]eventstore.Commit{first, second}, log(t, d, 0), cmp.AllowUnexported(eventstore.Commit{}, eventstore.Position{})); d != "" {
		t.Errorf("appended and read (-appended +read):\n%s", d)
	}
}

// A rival may have appended at the place, or claimed the key, before the write.
// Whatever becomes of the first three requests, and whenever the late ones land:
// what was refused is not stored, what was acknowledged is, and once.
func TestLostAnswersAreNeverReportedAsNotStored(t *testing.T) {
	faults := []flaky.Fault{flaky.Pass, flaky.Throttle, flaky.Fail, flaky.Lose, flaky.Twice, flaky.Hold}
	for _, claim := range []*eventstore.Claim{nil, {Key: "op-1", Fingerprint: "ours"}} {
		for _, rival := range []string{"no rival", "a rival at the place", "a rival's claim"} {
			for _, a := range faults {
				for _, b := range faults {
					for _, c := range faults {
						name := fmt.Sprintf("claim %v, %s, %s %s %s", claim != nil, rival, a, b, c)
						for landing := range 4 { // before which of our requests the late ones land
							outcome(t, fmt.Sprint(name, ", landing ", landing), claim, rival, landing, a, b, c)
						}
					}
				}
			}
		}
	}
}

func outcome(t *testing.T, name string, claim *eventstore.Claim, rival string, landing int, faults ...flaky.Fault) {
	t.Helper()
	store := memory.New()
	at := head(t, store)
	if rival != "no rival" {
		d := draft(2)
		if rival == "a rival's claim" {
			d.Claim = &eventstore.Claim{Key: "op-1", Fingerprint: "theirs"}
		}
		if _, _, err := eventstore.New(store).Append(t.Context(), at, d); err != nil {
			t.Fatal(err)
		}
	}
	var d *flaky.Driver
	d = flaky.New(lander{store, func() {
		for len(d.Held()) > 0 && len(d.Calls()) > landing {
			_ = d.Land(t.Context())
		}
	}}, flaky.Sequence(faults...))
	id := ulid.Make().String()
	j := eventstore.New(d, hasty, eventstore.WithIDs(func(time.Time) string { return id }))
	in := draft(1)
	in.Claim = claim
	_, _, err := j.Append(t.Context(), at, in)
	for range d.Held() {
		_ = d.Land(t.Context())
	}
	copies := 0
	for _, c := range log(t, store, 0) {
		if c.ID == id {
			copies++
		}
	}
	want := 0
	if err == nil {
		want = 1
	} else if code := eventstore.CodeOf(err); code != eventstore.LostRace && code != eventstore.AlreadyClaimed {
		t.Errorf("%s: %v", name, err)
	}
	if copies != want || (err == nil) != (rival == "no rival") {
		t.Errorf("%s: stored %d times, the answer was %v", name, copies, err)
	}
}

// lander lets late requests arrive just before an append does.
type lander struct {
	*memory.Driver
	land func()
}

func (l lander) Append(ctx context.Context, w eventstore.Write) error {
	l.land()
	return l.Driver.Append(ctx, w)
}

func TestFailedAppendIsNeverReplayedAtAnotherPosition(t *testing.T) {
	store := memory.New()
	d := flaky.New(store, flaky.Sequence(flaky.Lose, flaky.Fail, flaky.Hold, flaky.Throttle, flaky.Pass, flaky.Fail))
	j := eventstore.New(d, hasty)
	at := head(t, store)
	for range 3 { // the second and third lose to the first
		if _, _, err := j.Append(t.Context(), at, draft(1)); err != nil && eventstore.CodeOf(err) != eventstore.LostRace {
			t.Fatal(err)
		}
	}
	places := map[string]uint64{}
	for _, c := range d.Calls() {
		r := c.Write.Record
		if at, seen := places[r.ID]; seen && at != r.First {
			t.Errorf("commit %s was sent for seq %d and for seq %d", r.ID, at, r.First)
		}
		places[r.ID] = r.First
	}
	if len(places) != 3 || len(d.Calls()) < 6 {
		t.Errorf("%d commits in %d calls", len(places), len(d.Calls()))
	}
}

func TestClaimNamesItsEventsSeq(t *testing.T) {
	d := memory.New()
	j := eventstore.New(d)
	_, at, err := j.Append(t.Context(), head(t, d), draft(2))
	if err != nil {
		t.Fatal(err)
	}
	in := draft(3)
	in.Claim = &eventstore.Claim{Key: "op-1", Fingerprint: "f", Event: 1}
	if _, _, err := j.Append(t.Context(), at, in); err != nil {
		t.Fatal(err)
	}
	if in.Claim.First != 0 {
		t.Error("the draft's own claim was written to")
	}
	want := eventstore.Claim{Key: "op-1", Fingerprint: "f", First: 4}
	got, err := j.Claim(t.Context(), session, "op-1")
	if err != nil || got != want {
		t.Errorf("%+v, %v, want %+v", got, err, want)
	}
	var claimed *eventstore.Claimed
	if _, _, err := j.Append(t.Context(), at, in); !errors.As(err, &claimed) || claimed.Existing != want {
		t.Errorf("%v, want claimed at seq 4", err)
	}
}

func TestDraftsBeyondALimitAreRefusedBeforeAnythingIsSent(t *testing.T) {
	row := eventstore.Row{RowKey: eventstore.RowKey{Partition: "p", Sort: "s"}, Kind: "test", Data: []byte("{}")}
	long := strings.Repeat("x", eventstore.MaxName+1)
	with := func(change func(*eventstore.Draft)) eventstore.Draft {
		d := draft(2)
		d.Rows, d.Claim = []eventstore.Row{row}, &eventstore.Claim{Key: "op-1", Fingerprint: "f"}
		change(&d)
		return d
	}
	raw := func(text string) event.Event {
		return event.Event{Data: event.Unknown{Name: "later", Version: 1, Raw: []byte(text)}}
	}
	for name, c := range map[string]struct {
		d    eventstore.Draft
		want eventstore.Code
	}{
		"no event":              {with(func(d *eventstore.Draft) { d.Events = nil }), eventstore.Invalid},
		"no payload":            {with(func(d *eventstore.Draft) { d.Events[0].Data = nil }), eventstore.Invalid},
		"too many events":       {with(func(d *eventstore.Draft) { d.Events = started(eventstore.MaxEvents + 1) }), eventstore.TooLarge},
		"body":                  {with(func(d *eventstore.Draft) { d.Events[0] = raw(`"` + strings.Repeat("x", eventstore.MaxBody) + `"`) }), eventstore.TooLarge},
		"body not UTF-8":        {with(func(d *eventstore.Draft) { d.Events[0] = raw("\"\xff\"") }), eventstore.Invalid},
		"summary":               {with(func(d *eventstore.Draft) { d.Summary = make([]byte, eventstore.MaxSummary+1) }), eventstore.TooLarge},
		"summary not UTF-8":     {with(func(d *eventstore.Draft) { d.Summary = []byte("\xff") }), eventstore.Invalid},
		"by":                    {with(func(d *eventstore.Draft) { d.By = long }), eventstore.TooLarge},
		"by not UTF-8":          {with(func(d *eventstore.Draft) { d.By = "\xff" }), eventstore.Invalid},
		"claim's key":           {with(func(d *eventstore.Draft) { d.Claim.Key = "a#b" }), eventstore.Invalid},
		"claim's event":         {with(func(d *eventstore.Draft) { d.Claim.Event = 2 }), eventstore.Invalid},
		"claim's fingerprint":   {with(func(d *eventstore.Draft) { d.Claim.Fingerprint = long }), eventstore.TooLarge},
		"fingerprint not UTF-8": {with(func(d *eventstore.Draft) { d.Claim.Fingerprint = "\xff" }), eventstore.Invalid},
		"too many rows":         {with(func(d *eventstore.Draft) { d.Rows = make([]eventstore.Row, eventstore.MaxRows+1) }), eventstore.TooLarge},
		"row's data":            {with(func(d *eventstore.Draft) { d.Rows[0].Data = make([]byte, eventstore.MaxRow+1) }), eventstore.TooLarge},
		"row's partition":       {with(func(d *eventstore.Draft) { d.Rows[0].Partition = long }), eventstore.TooLarge},
		"row's sort":            {with(func(d *eventstore.Draft) { d.Rows[0].Sort = long }), eventstore.TooLarge},
		"row without sort":      {with(func(d *eventstore.Draft) { d.Rows[0].Sort = "" }), eventstore.Invalid},
		"row without kind":      {with(func(d *eventstore.Draft) { d.Rows[0].Kind = "" }), eventstore.Invalid},
		"row not UTF-8":         {with(func(d *eventstore.Draft) { d.Rows[0].Data = []byte("\xff") }), eventstore.Invalid},
		"row moved twice":       {with(func(d *eventstore.Draft) { d.Rows = append(d.Rows, row) }), eventstore.Invalid},
		"row over a commit":     {with(func(d *eventstore.Draft) { d.Rows[0].Partition = eventstore.RecordPartition(session) }), eventstore.Invalid},
		"row over a claim":      {with(func(d *eventstore.Draft) { d.Rows[0].RowKey = eventstore.ClaimKey(session, "k") }), eventstore.Invalid},
		"row of kind commit":    {with(func(d *eventstore.Draft) { d.Rows[0].Kind = eventstore.KindCommit }), eventstore.Invalid},
	} {
		d := flaky.New(memory.New(), nil)
		if _, _, err := eventstore.New(d).Append(t.Context(), head(t, memory.New()), c.d); err == nil || eventstore.CodeOf(err) != c.want {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
		if n := len(d.Calls()); n != 0 {
			t.Errorf("%s: %d calls of the driver", name, n)
		}
	}
	d := memory.New()
	if _, _, err := eventstore.New(d).Append(t.Context(), head(t, d), with(func(*eventstore.Draft) {})); err != nil {
		t.Errorf("the draft that the others are made of: %v", err)
	}
}
