package stepfunctions

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"windlass/localstack/awsjson"
	"windlass/localstack/stepfunctions/asl"
)

func TestBatchKeepsEqualTextsOnce(t *testing.T) {
	big := []byte(`"` + strings.Repeat("x", 10_000) + `"`)
	events := []event{
		{Type: "ExecutionStarted", At: 1, Name: "role", text: big},
		{Type: "PassStateEntered", At: 2, Name: "P", text: bytes.Clone(big)},
		{Type: "PassStateExited", At: 3, Name: "P", text: []byte(`{}`)},
		{Type: "TaskScheduled", At: 4, Resource: "invoke", Timeout: 9, Heartbeat: 3, text: []byte(`{}`)},
		{Type: "TaskFailed", At: 5, Error: "E", Cause: "c"},
	}
	batch, err := encodeBatch(events)
	if err != nil {
		t.Fatal(err)
	}
	if len(batch) > len(big)+1000 {
		t.Errorf("a batch of %d bytes", len(batch))
	}
	got, err := decodeBatch(batch)
	if err != nil || len(got) != len(events) {
		t.Fatal(len(got), err)
	}
	for i := range got {
		if !bytes.Equal(got[i].text, events[i].text) {
			t.Errorf("event %d: text %.40s", i, got[i].text)
		}
		got[i].text, events[i].text, got[i].Payload = nil, nil, 0
		if got[i].Type != events[i].Type || got[i].At != events[i].At || got[i].Cause != events[i].Cause || got[i].Timeout != events[i].Timeout {
			t.Errorf("event %d: %+v", i, got[i])
		}
	}
}

func FuzzDecodeBatch(f *testing.F) {
	batch, _ := encodeBatch([]event{{Type: "A", text: []byte(`1`)}, {Type: "B", text: []byte(`1`)}, {Type: "C", text: []byte(`{}`)}})
	f.Add(batch)
	f.Add([]byte{})
	f.Add([]byte("\x1f" + `{"e":[{"y":"A","p":9}],"s":[-1]}`))
	f.Fuzz(func(t *testing.T, batch []byte) {
		events, err := decodeBatch(batch)
		if err != nil {
			return
		}
		again, err := encodeBatch(events)
		if err != nil {
			t.Fatal(err)
		}
		back, err := decodeBatch(again)
		if err != nil || len(back) != len(events) {
			t.Fatalf("%d events became %d: %v", len(events), len(back), err)
		}
		for i := range back {
			if !bytes.Equal(back[i].text, events[i].text) {
				t.Fatalf("event %d: %q became %q", i, events[i].text, back[i].text)
			}
			e := &events[i]
			e.view(int64(i+1), "r", true)
		}
	})
}

func FuzzReadCursor(f *testing.F) {
	f.Add([]byte("\x10" + `{"Phase":"x"}   ` + `{"a":1}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		if c, err := readCursor(text); err == nil {
			c.earliest()
		}
	})
}

func FuzzTokens(f *testing.F) {
	f.Add(newToken(7, 1))
	f.Add(pageToken("q", []byte("at")))
	f.Add("")
	f.Fuzz(func(t *testing.T, text string) {
		if seq, ok := tokenExecution(text); ok && seq == 0 && len(text) < 10 {
			t.Fatalf("%q is a token", text)
		}
		openPageToken("q", text)
	})
}

func TestTokenNamesItsExecution(t *testing.T) {
	a, b := newToken(7, 1), newToken(7, 1)
	seq, ok := tokenExecution(a)
	if seq != 7 || !ok || a == b {
		t.Errorf("%q, %q: %d, %v", a, b, seq, ok)
	}
}

func TestPageTokenIsForItsQuestionOnly(t *testing.T) {
	token := pageToken("executions m", []byte("here"))
	if at, err := openPageToken("executions m", token); string(at) != "here" || err != nil {
		t.Errorf("%q, %v", at, err)
	}
	var refused *awsjson.Error
	if _, err := openPageToken("executions n", token); !errors.As(err, &refused) || refused.Code != "InvalidToken" {
		t.Errorf("error is %v", err)
	}
}

func TestHistoryMayEndAtTheLimitByItself(t *testing.T) {
	for _, c := range []struct {
		name        string
		first       int64 // id of the transition's first event
		events      int
		ends        bool
		last        int64
		wantFailure bool
	}{
		{"below the limit", 24_990, 9, false, 24_998, false},
		{"up to the last free event", 24_990, 10, false, 24_999, false},
		{"a natural end is the last event", 24_990, 11, true, 25_000, false},
		{"no end in sight", 24_990, 11, false, 25_000, true},
		{"an end too late", 24_990, 12, true, 25_000, true},
		{"nothing but the failure", 25_000, 3, false, 25_000, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := &run{now: time.Unix(0, 0), first: c.first, cur: cursor{NextEvent: c.first}, launch: &invocation{}}
			for range c.events {
				r.add(event{Type: "X"})
			}
			if c.ends {
				r.end = &ending{status: succeeded}
			}
			r.limitHistory()
			if last := r.cur.NextEvent - 1; last != c.last || r.first+int64(len(r.events))-1 != c.last {
				t.Errorf("last event %d of %d", last, len(r.events))
			}
			failedNow := r.end != nil && r.end.status == failed
			if failedNow != c.wantFailure || failedNow && (r.launch != nil || value(r.end.err) != asl.ErrRuntime) {
				t.Errorf("end %+v, launch %v", r.end, r.launch)
			}
		})
	}
}

func TestStatusChangeLeavesOutWhatDoesNotFit(t *testing.T) {
	s := &Service{}
	large := []byte(`"` + strings.Repeat("x", 200<<10) + `"`)
	for _, c := range []struct {
		name          string
		input, output []byte
		in, out       bool
	}{
		{"both small", []byte(`{}`), []byte(`{}`), true, true},
		{"large input", large, []byte(`{}`), true, true},
		{"both large", large, large, false, true},
		{"escaped output too large", []byte(`{}`), []byte(strings.Repeat(`"`, 200<<10)), false, false},
	} {
		d := s.statusChange(&execution{Status: succeeded}, c.input, c.output)
		if (d.Input != nil) != c.in || d.InputDetails.Included != c.in || (d.Output != nil) != c.out || d.OutputDetails.Included != c.out {
			t.Errorf("%s: input %v, output %v", c.name, d.Input != nil, d.Output != nil)
		}
	}
}

func TestARNs(t *testing.T) {
	s := &Service{machinePrefix: "arn:aws:states:us-east-1:000000000000:stateMachine:", executionPrefix: "arn:aws:states:us-east-1:000000000000:execution:"}
	if name, err := s.machineOf(s.machineARN("turn")); name != "turn" || err != nil {
		t.Errorf("%q, %v", name, err)
	}
	machine, name, err := s.executionOf(s.executionARN("turn", "run-1"))
	if diff := cmp.Diff([]string{"turn", "run-1"}, []string{machine, name}); diff != "" || err != nil {
		t.Error(diff, err)
	}
	for _, arn := range []string{"", "turn", s.machineARN("turn") + ":1", s.machineARN(""), strings.Replace(s.machineARN("turn"), "us-east-1", "eu-west-1", 1)} {
		if name, err := s.machineOf(arn); err == nil {
			t.Errorf("%q is machine %q", arn, name)
		}
	}
	for _, arn := range []string{"", s.machineARN("turn"), s.executionPrefix + "turn", s.executionARN("turn", "a:b"), s.executionARN("turn", "")} {
		if _, name, err := s.executionOf(arn); err == nil {
			t.Errorf("%q is execution %q", arn, name)
		}
	}
}
