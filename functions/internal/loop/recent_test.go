package loop

import (
	"fmt"
	"strings"
	"testing"
)

func TestRecentValuesAreBoundedInBytesAndTheLastUsedStay(t *testing.T) {
	var r recent
	mb := strings.Repeat("x", 1<<20)
	for i := range 200 {
		r.put(fmt.Sprint(i), mb)
		if _, ok := r.get("0"); !ok {
			t.Fatalf("after %d: the one that is used all the time is gone", i)
		}
	}
	total := 0
	for _, text := range r.texts {
		total += len(text)
	}
	if total != r.bytes || total > maxRecent || len(r.order) != len(r.texts) || len(r.texts) != 64 {
		t.Errorf("%d texts of %d bytes, %d counted, %d in order", len(r.texts), total, r.bytes, len(r.order))
	}
	if _, ok := r.get("1"); ok {
		t.Error("one that was not used for long is still there")
	}
	if r.put("huge", strings.Repeat("x", maxRecent+1)); len(r.texts) != 64 {
		t.Error("a value larger than all there is room for was kept")
	}
}
