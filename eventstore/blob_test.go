package eventstore_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windlass/eventstore"
	"windlass/eventstore/event"
	"windlass/eventstore/memory"
)

// counted counts puts, and can lose blobs.
type counted struct {
	*memory.Blobs
	puts int
	lost bool
}

func (c *counted) PutBlob(ctx context.Context, k eventstore.BlobKey, mediaType string, data []byte) error {
	c.puts++
	return c.Blobs.PutBlob(ctx, k, mediaType, data)
}

func (c *counted) GetBlob(ctx context.Context, k eventstore.BlobKey, offset, n int64) ([]byte, error) {
	if c.lost {
		return nil, eventstore.Errorf(eventstore.NotFound, "get blob", "lost")
	}
	return c.Blobs.GetBlob(ctx, k, offset, n)
}

func withBlobs() (*eventstore.Journal, *counted, *memory.Driver) {
	d, b := memory.New(), &counted{Blobs: memory.NewBlobs()}
	return eventstore.New(d, eventstore.WithBlobs(b)), b, d
}

func TestValueStandsApartByItsSizeAlone(t *testing.T) {
	j, b, _ := withBlobs()
	for _, n := range []int{0, 1, event.MaxInline, event.MaxInline + 1, 1 << 20} {
		data := strings.Repeat("x", n)
		v, err := j.Keep(t.Context(), session, data, "text/plain")
		if err != nil {
			t.Fatal(err)
		}
		ref, apart := v.Ref()
		if apart != (n > event.MaxInline) || v.Len() != int64(n) || apart && (ref.Bytes != int64(n) || ref.Type != "text/plain" || len(ref.SHA256) != 64) {
			t.Errorf("%d bytes: %+v, apart %v", n, ref, apart)
		}
		if got, err := j.Load(t.Context(), session, v); err != nil || got != data {
			t.Errorf("%d bytes: %d came back, %v", n, len(got), err)
		}
		for _, r := range [][3]int64{{0, 10, 10}, {int64(n) - 3, 10, 3}, {int64(n), 5, 0}, {int64(n) + 9, 5, 0}, {-4, 2, 2}, {1, -1, 0}} {
			want := min(max(r[2], 0), int64(n))
			if got, err := j.LoadRange(t.Context(), session, v, r[0], r[1]); err != nil || int64(len(got)) != want && n > 9 {
				t.Errorf("%d bytes, range %v: %d, %v", n, r, len(got), err)
			}
		}
	}
	if b.puts != 2 {
		t.Errorf("%d puts, want 2", b.puts)
	}
}

func TestWithoutAPlaceForThemLargeValuesAreRefused(t *testing.T) {
	j := eventstore.New(memory.New())
	if _, err := j.Keep(t.Context(), session, strings.Repeat("x", event.MaxInline+1), "text/plain"); eventstore.CodeOf(err) != eventstore.TooLarge {
		t.Errorf("%v, want %s", err, eventstore.TooLarge)
	}
	v := event.ByRef(event.Ref{SHA256: strings.Repeat("0", 64), Bytes: 9})
	if _, err := j.Load(t.Context(), session, v); eventstore.CodeOf(err) != eventstore.Invalid {
		t.Errorf("%v, want %s", err, eventstore.Invalid)
	}
}

// bulky is a draft whose events are small and whose body is not.
func bulky(n int) eventstore.Draft {
	d := draft(n)
	for i := range d.Events {
		d.Events[i] = event.Event{At: d.Events[i].At, Operation: "op", Round: 1, Data: event.ToolCompleted{Index: i, Output: event.Text(strings.Repeat("y", 4000))}}
	}
	return d
}

func TestLargeBodyStandsApartAndReadersDoNotSeeIt(t *testing.T) {
	j, b, driver := withBlobs()
	_, at, err := j.Head(t.Context(), session)
	if err != nil {
		t.Fatal(err)
	}
	want, at, err := j.Append(t.Context(), at, bulky(100))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := j.Append(t.Context(), at, bulky(2)); err != nil {
		t.Fatal(err)
	}
	if b.puts != 1 {
		t.Errorf("%d bodies stand apart, want the first alone", b.puts)
	}
	page, _, err := driver.Records(t.Context(), eventstore.RecordQuery{Stream: session, From: 1, Limit: 10})
	if err != nil || len(page) != 2 || len(page[0].Body) > 300 || !strings.HasPrefix(string(page[0].Body), `{"ref":{`) {
		t.Fatalf("%d records, the first body %.100s, %v", len(page), page[0].Body, err)
	}
	seqs := 0
	for c, err := range j.Read(t.Context(), session, 0) {
		if err != nil {
			t.Fatal(err)
		}
		if c.First == 1 {
			if d := cmp.Diff(want.Events, c.Events, cmp.Comparer(event.Value.Equal)); d != "" {
				t.Errorf("events (-appended +read):\n%s", d)
			}
		}
		seqs += len(c.Events)
	}
	if seqs != 102 {
		t.Errorf("%d events", seqs)
	}
}

func TestLostBodyIsCorrupt(t *testing.T) {
	j, b, _ := withBlobs()
	_, at, err := j.Head(t.Context(), session)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := j.Append(t.Context(), at, bulky(100)); err != nil {
		t.Fatal(err)
	}
	b.lost = true
	for _, err := range j.Read(t.Context(), session, 0) {
		if eventstore.CodeOf(err) != eventstore.Corrupt {
			t.Errorf("%v, want %s", err, eventstore.Corrupt)
		}
		return
	}
	t.Error("nothing was read")
}
