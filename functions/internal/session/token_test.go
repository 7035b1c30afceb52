package session

import (
	"strings"
	"testing"
)

// An id that is read is the id of what it stands for: there is one spelling.
func FuzzUploadID(f *testing.F) {
	for _, u := range []uploaded{{emptyHash, 0, ""}, {emptyHash, MaxUpload, "text/plain; charset=utf-8"}, {strings.Repeat("0f", 32), 7, "a/b"}} {
		f.Add(u.id())
	}
	f.Add("u1.")
	f.Add("")
	f.Fuzz(func(t *testing.T, id string) {
		u, err := readUpload(id)
		if err != nil {
			return
		}
		if u.id() != id || u.bytes < 0 || u.bytes > MaxUpload || !validHash(u.sha256) || !validType(u.mediaType) {
			t.Fatalf("%q was read as %+v, whose id is %q", id, u, u.id())
		}
	})
}

// The form is public: an id outlives the build that gave it.
func TestUploadIDsNeverChange(t *testing.T) {
	u := uploaded{emptyHash, 1 << 20, "text/plain"}
	const want = "u1.47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFUAAAAAABAAAHRleHQvcGxhaW4"
	if u.id() != want {
		t.Errorf("%s, want %s", u.id(), want)
	}
}

func FuzzCursor(f *testing.F) {
	s := listOf("acme", "sessions")
	f.Add(s.cursor("key"), "key")
	f.Add("c1.", "")
	f.Fuzz(func(t *testing.T, cursor, key string) {
		if got, err := s.after(cursor); err == nil && cursor != "" && s.cursor(got) != cursor {
			t.Fatalf("%q was read as %q", cursor, got)
		}
		if key == "" || len(key) > 1024 {
			return
		}
		c := s.cursor(key)
		if got, err := s.after(c); err != nil || got != key {
			t.Fatalf("%q came back as %q, %v", key, got, err)
		}
		for _, other := range []scope{listOf("acme", "operations\nsessions"), listOf("beta", "sessions")} {
			if _, err := other.after(c); err == nil {
				t.Fatalf("%q is taken by another list", c)
			}
		}
	})
}
