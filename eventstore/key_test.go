package eventstore_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"windlass/eventstore"
)

func TestIDs(t *testing.T) {
	for id, want := range map[string]bool{
		"a": true, "A-Z_a.z:0": true, "...": true, "-": true, strings.Repeat("x", eventstore.MaxID): true, "01JGK3SR00000000000000000A": true,
		"": false, ".": false, "..": false, strings.Repeat("x", eventstore.MaxID+1): false,
		"a#b": false, "a/b": false, `a\b`: false, "a b": false, "a\x00": false, "é": false, "a\n": false, "%41": false, "\xff": false, "@": false, "[": false, "`": false, "{": false, ";": false,
	} {
		if got := eventstore.ValidID(id); got != want {
			t.Errorf("%q: %v, want %v", id, got, want)
		}
	}
}

// Two valid names never share a partition, and a record's partition tells them.
func FuzzValidIDsMakeKeysThatTellThem(f *testing.F) {
	f.Add("acme", "s-1")
	f.Add("a", "b#c")
	f.Add("a#b", "c")
	f.Add("..", "")
	f.Add("a#commit", "b#claim")
	f.Fuzz(func(t *testing.T, tenant, session string) {
		s := eventstore.Stream{Tenant: tenant, Session: session}
		back, err := eventstore.StreamOf(eventstore.RecordPartition(s))
		if valid := eventstore.ValidID(tenant) && eventstore.ValidID(session); valid != (err == nil) {
			t.Fatalf("%q: ids valid %v, %v", s, valid, err)
		}
		if err == nil && back != s {
			t.Fatalf("%q came back as %q", s, back)
		}
		if err != nil && (back != eventstore.Stream{} || eventstore.CodeOf(err) != eventstore.Invalid) {
			t.Fatalf("%q and %v", back, err)
		}
		if eventstore.ValidID(session) && (strings.ContainsAny(session, "#/\\ \x00") || !utf8.ValidString(session)) {
			t.Fatalf("%q is an id", session)
		}
	})
}

func TestOtherPartitionsAreNoStreams(t *testing.T) {
	for _, p := range []string{"", "#", "#commit", "##commit", "a#commit", "a#b", "a#b#claim", "a#b#c#commit", "a##commit", "#b#commit", "a#b#commit#commit", "a#b#Commit", "../x#b#commit", eventstore.ClaimKey(session, "k").Partition} {
		if s, err := eventstore.StreamOf(p); err == nil || eventstore.CodeOf(err) != eventstore.Invalid {
			t.Errorf("%q: %v, %v, want %s", p, s, err, eventstore.Invalid)
		}
	}
}

func TestKeysOrderAsSeqsDo(t *testing.T) {
	last := ""
	for _, seq := range []uint64{0, 1, 9, 10, 99, 100, 1 << 32, eventstore.MaxSeq - 1, eventstore.MaxSeq} {
		k := eventstore.SeqKey(seq)
		if k <= last || len(k) != 16 {
			t.Errorf("seq %d is %q, after %q", seq, k, last)
		}
		last = k
	}
}

func FuzzDecodeClaimReadsWhatItWrites(f *testing.F) {
	f.Add([]byte(`{"key":"op-1","fingerprint":"f","first":7}`))
	f.Add([]byte(`{"first":-1}`))
	f.Add([]byte(`null`))
	f.Fuzz(func(t *testing.T, in []byte) {
		c, err := eventstore.DecodeClaim(in)
		if err != nil {
			if eventstore.CodeOf(err) != eventstore.Corrupt {
				t.Fatalf("%q: %v", in, err)
			}
			return
		}
		if again, err := eventstore.DecodeClaim(eventstore.EncodeClaim(c)); err != nil || again != c {
			t.Fatalf("%+v came back as %+v, %v", c, again, err)
		}
	})
}
