package storetest

import (
	"testing"

	"windlass/eventstore"
	"windlass/eventstore/event"
)

// likeNames are prefixes of each other, or would be one string if joined.
func likeNames(t *testing.T, d eventstore.Driver) {
	base := newStream().Session
	var streams []eventstore.Stream
	for _, tenant := range []string{"a", "ab", "a.b", "a:", "A"} {
		for _, session := range []string{"", "b", ".b", ":commit", "-", "B"} {
			streams = append(streams, eventstore.Stream{Tenant: tenant + base, Session: base + session})
		}
	}
	want := map[eventstore.Stream]eventstore.Record{}
	for _, s := range streams {
		r := newRecord(s, 1, 1)
		mustSend(t, d, eventstore.Write{Record: r, Claim: claimAt("k", "f", 1)})
		want[s] = r
	}
	for _, s := range streams {
		got, _ := all(t, d, forward(s))
		equal(t, s.String(), []eventstore.Record{want[s]}, got)
		got, _ = all(t, d, eventstore.RecordQuery{Stream: s, From: eventstore.MaxSeq, Descending: true, Limit: 5})
		equal(t, s.String(), []eventstore.Record{want[s]}, got)
	}
}

// Keys join ids with "#": no id may hold one.
func noIDMakesTwoStreamsOne(t *testing.T, d eventstore.Driver) {
	j := eventstore.New(d)
	for _, s := range []eventstore.Stream{
		{Tenant: "a", Session: "b#c"}, {Tenant: "a#b", Session: "c"}, {Tenant: "", Session: "a"}, {Tenant: "a", Session: ""},
		{Tenant: "a", Session: ".."}, {Tenant: "a", Session: "b/c"}, {Tenant: "a", Session: "b#commit"},
	} {
		_, at, err := j.Head(t.Context(), s)
		if eventstore.CodeOf(err) != eventstore.Invalid {
			t.Errorf("head of %v: %v, want %s", s, err, eventstore.Invalid)
		}
		for _, err := range j.Read(t.Context(), s, 0) {
			if eventstore.CodeOf(err) != eventstore.Invalid {
				t.Errorf("read of %v: %v, want %s", s, err, eventstore.Invalid)
			}
		}
		if _, _, err := j.Append(t.Context(), at, eventstore.Draft{Events: []event.Event{{Data: event.OperationStarted{}}}}); eventstore.CodeOf(err) != eventstore.Invalid {
			t.Errorf("append to %v: %v, want %s", s, err, eventstore.Invalid)
		}
	}
}
