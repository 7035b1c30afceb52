package crash

import (
	"math/rand/v2"
	"testing"

	"windlass/tests/client"
	"windlass/tests/embedded"
)

// failures 20: a snapshot as of seq N and what follows N are the whole log, without a
// gap and without a double, however often the process dies between the two.
func TestASnapshotAndWhatFollowsItAreTheWholeLog(t *testing.T) {
	ctx := embedded.Context(t)
	s := embedded.Start(t, synced)
	submit(ctx, t, s, "s", "op", load(40, 3, 10))
	var snapshots []client.Operation
	for n := range 5 {
		progress(ctx, t, s.Client(), "s", 1+n*60+rand.N(60))
		o, err := s.Client().Operation(ctx, "s", "op", 0)
		if err != nil {
			t.Fatal(err)
		}
		s.Kill()
		s.Restart()
		snapshots = append(snapshots, o)
	}
	ends(ctx, t, s, "s", "op")
	whole := log(ctx, t, s, "s")
	for _, o := range snapshots {
		rest, err := s.Client().Events(ctx, "s", o.AsOfSeq)
		if err != nil {
			t.Fatal(err)
		}
		if uint64(len(whole)) != o.AsOfSeq+uint64(len(rest)) {
			t.Fatalf("%d events, and %d after seq %d", len(whole), len(rest), o.AsOfSeq)
		}
		samePrefix(t, rest, whole[o.AsOfSeq:])
		if round := rounds(whole[:o.AsOfSeq]); o.Round != round {
			t.Errorf("as of seq %d the snapshot is in round %d, the log in %d", o.AsOfSeq, o.Round, round)
		}
	}
}

// rounds is the last round that began.
func rounds(events []client.Event) (n int) {
	for _, e := range events {
		if e.Type == "model.started" {
			n = max(n, e.Round)
		}
	}
	return n
}
