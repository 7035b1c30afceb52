package trace_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"windlass/eventstore/event"
	"windlass/functions/internal/trace"
)

// at is an instant: so many seconds into the tests' day.
func at(seconds int) event.Time {
	return event.At(time.Date(2026, 1, 1, 0, 0, seconds, 0, time.UTC))
}

// log numbers payloads of operation a, a second apart; a number among them is the round
// from there.
func log(all ...any) (events []event.Event) {
	round := 0
	for _, one := range all {
		switch d := one.(type) {
		case int:
			round = d
		case event.Payload:
			n := len(events) + 1
			events = append(events, event.Event{Seq: uint64(n), At: at(n), Operation: "a", Round: round, Data: d})
		}
	}
	return events
}

// sound fails unless the spans are one operation's: the first above all, each below
// another one, each id once, and no time before its parent's beginning.
func sound(t *testing.T, spans []trace.Span) {
	t.Helper()
	seen := map[string]trace.Span{}
	for i, s := range spans {
		above, ok := seen[s.ParentSpanID]
		switch _, twice := seen[s.SpanID]; {
		case twice:
			t.Errorf("span %d %s: its id %s is another one's", i, s.Name, s.SpanID)
		case i > 0 && !ok:
			t.Errorf("span %d %s: nothing is above it", i, s.Name)
		case i > 0 && s.Start.Before(above.Start):
			t.Errorf("span %d %s begins before %s", i, s.Name, above.Name)
		case s.TraceID != spans[0].TraceID || len(s.TraceID) != 32 || len(s.SpanID) != 16:
			t.Errorf("span %d %s is %s of trace %s", i, s.Name, s.SpanID, s.TraceID)
		case s.End.Before(s.Start) || s.Start.IsZero():
			t.Errorf("span %d %s is from %s to %s", i, s.Name, s.Start, s.End)
		case len(s.Marks) > trace.MaxMarks || len(s.Name) > 150 || s.Name == "":
			t.Errorf("span %d %q has %d marks", i, s.Name, len(s.Marks))
		}
		seen[s.SpanID] = s
	}
	if len(spans) > trace.MaxSpans {
		t.Errorf("%d spans", len(spans))
	}
}

// transcripts are the logs that package turn's transcripts give, by file.
func transcripts(t *testing.T) map[string][]event.Event {
	t.Helper()
	files, err := filepath.Glob("../turn/testdata/*.txt")
	if err != nil || len(files) < 50 {
		t.Fatalf("%d transcripts, %v", len(files), err)
	}
	logs := map[string][]event.Event{}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for lines := bufio.NewScanner(strings.NewReader(string(b))); lines.Scan(); {
			if e, ok := logged(t, lines.Text()); ok {
				logs[filepath.Base(file)] = append(logs[filepath.Base(file)], e)
			}
		}
	}
	return logs
}

// logged reads "  SEQ TYPE [OPERATION] [rROUND] DATA".
func logged(t *testing.T, line string) (e event.Event, ok bool) {
	t.Helper()
	words, data, found := strings.Cut(strings.TrimPrefix(line, "  "), " {")
	of := strings.Fields(words)
	if !found || !strings.HasPrefix(line, "  ") || len(of) < 2 || !strings.Contains(of[1], ".") {
		return e, false
	}
	var seq, round int
	if _, err := fmt.Sscan(of[0], &seq); err != nil {
		return e, false
	}
	operation := ""
	for _, w := range of[2:] {
		if n, err := fmt.Sscanf(w, "r%d", &round); n != 1 || err != nil {
			operation = w
		}
	}
	b, err := json.Marshal(map[string]any{"seq": seq, "type": of[1], "v": 1, "at": at(seq), "operationId": operation, "round": round, "data": json.RawMessage("{" + data)})
	if err == nil {
		err = json.Unmarshal(b, &e)
	}
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return e, true
}

// show tells spans in text, each below its parent.
func show(spans []trace.Span) string {
	depth, zero := map[string]int{}, at(0)
	var b strings.Builder
	for _, s := range spans {
		depth[s.SpanID] = depth[s.ParentSpanID] + 1
		fmt.Fprintf(&b, "%s%s %g-%g", strings.Repeat("  ", depth[s.SpanID]-1), s.Name, s.Start.Sub(zero.Time).Seconds(), s.End.Sub(zero.Time).Seconds())
		if s.Error != "" {
			fmt.Fprintf(&b, " error=%s", s.Error)
		}
		for _, m := range s.Marks {
			fmt.Fprintf(&b, " %s@%g", m.Name, m.At.Sub(zero.Time).Seconds())
		}
		b.WriteString("\n")
	}
	return b.String()
}
