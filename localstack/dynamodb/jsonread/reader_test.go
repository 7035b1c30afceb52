package jsonread

import (
	"encoding/json"
	"testing"
)

// read consumes any value and returns it as encoding/json would.
func read(r *Reader) any {
	switch c := r.peek(); {
	case c == '{':
		m := map[string]any{}
		for name := range r.Object() {
			m[name] = read(r)
		}
		return m
	case c == '[':
		l := []any{}
		for range r.Array() {
			l = append(l, read(r))
		}
		return l
	case c == '"':
		return r.String()
	case c == 'n':
		r.Null()
		return nil
	case c == 't' || c == 'f':
		return r.Bool()
	}
	return float64(r.Int())
}

func TestInvalidTextIsRefused(t *testing.T) {
	for _, text := range []string{``, `{`, `{"a"}`, `{"a":1,}`, `[1,]`, `[1 2]`, `"a`, "\"a\nb\"", `"\x"`, `"\u12"`, `"\u+123"`, `"\ud800"`, `"\ud800\u0041"`,
		"\"\xff\"", `nul`, `tru`, `01`, `-`, `+1`, `1.5`, `1e3`, `1234567890123456789012`, `{} {}`, `{"a":1 "b":2}`, "\x00"} {
		r := New([]byte(text))
		read(r)
		r.End()
		if r.Err() == nil {
			t.Errorf("%q was read", text)
		}
	}
}

func TestDeepNestingIsRefused(t *testing.T) {
	deep := make([]byte, 1<<20)
	for i := range deep {
		deep[i] = '['
	}
	r := New(deep)
	read(r)
	if r.Err() == nil {
		t.Error("a million levels were read")
	}
}

// FuzzReader: what we read, encoding/json reads as the same value.
func FuzzReader(f *testing.F) {
	for _, seed := range []string{`{"a":[1,-2,{"b":"\u00e9\ud83d\ude00\n"}],"c":null,"d":true}`, ` [ ] `, `"\/\b\f\r\t\"\\"`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		r := New(text)
		got := read(r)
		r.End()
		if r.Err() != nil {
			return
		}
		var want any
		if err := json.Unmarshal(text, &want); err != nil {
			t.Fatalf("we read %q, encoding/json says %v", text, err)
		}
		x, _ := json.Marshal(got)
		y, _ := json.Marshal(want)
		if string(x) != string(y) {
			t.Fatalf("%q: %s, want %s", text, x, y)
		}
	})
}

func FuzzAppendString(f *testing.F) {
	f.Add("plain")
	f.Add("a\x00\"\\\n\t\x1f\u2028é")
	f.Fuzz(func(t *testing.T, s string) {
		r := New(AppendString(nil, s))
		got := r.String()
		r.End()
		if r.Err() == nil && got != s {
			t.Fatalf("%q became %q", s, got)
		}
	})
}
