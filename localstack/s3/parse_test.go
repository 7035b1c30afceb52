package s3

import (
	"encoding/xml"
	"fmt"
	"math/rand/v2"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"go.etcd.io/bbolt"
)

// FuzzSplitPath: whatever key a client escapes is the key that is stored.
func FuzzSplitPath(f *testing.F) {
	for _, key := range []string{"a/b", "..", "../../etc/passwd", "a//b", "%2F", "a?b#c", " ", "é", "\x00", "+", "/", strings.Repeat("x", 1025)} {
		f.Add(key)
	}
	f.Fuzz(func(t *testing.T, key string) {
		bucket, got, err := splitPath("/files/" + strings.ReplaceAll(url.PathEscape(key), "%2F", "/"))
		if valid := utf8.ValidString(key) && len(key) <= maxKey; valid != (err == nil) {
			t.Fatalf("%q: %v", key, err)
		}
		if err == nil && (bucket != "files" || got != key) {
			t.Fatalf("%q became %q in %q", key, got, bucket)
		}
		_, _, _ = splitPath(key) // must not panic
	})
}

// FuzzParseRange: a part lies in the object, or there is an error.
func FuzzParseRange(f *testing.F) {
	for _, text := range []string{"bytes=0-0", "bytes=5-", "bytes=-5", "bytes=-0", "bytes=9-3", "bytes=", "bytes=-", "bytes=+1-2", "bytes=0-99999999999999999999", "x", "bytes=1-2,3-4"} {
		f.Add(text, int64(10))
	}
	f.Fuzz(func(t *testing.T, text string, total int64) {
		if total < 0 {
			return
		}
		got, err := parseRange(text, total)
		if err == nil && (got.size < 1 || got.from < 0 || got.from > total-got.size) {
			t.Fatalf("%q of %d is %+v", text, total, got)
		}
	})
}

// FuzzParseDelete: keys that are escaped as we escape them come back.
func FuzzParseDelete(f *testing.F) {
	f.Add("<Delete><Object><Key>k</Key></Object></Delete>", "a&b<\r\n>\"'é")
	f.Add("<Delete><!-- --><Quiet>true</Quiet><Object><Key>k<![CDATA[<]]></Key></Object></Delete>", "k")
	f.Add("<Delete><Object><Key>k</Key></Object></Delete><Delete/>", "\x01")
	f.Fuzz(func(t *testing.T, body, key string) {
		if in, err := parseDelete([]byte(body)); err == nil && (len(in.keys) == 0 || len(in.keys) > maxDelete || slices.Contains(in.keys, "")) {
			t.Fatalf("%q gives %q", body, in.keys)
		}
		if checkKey(key) != nil || key == "" {
			return
		}
		var doc document
		doc.begin("Delete", namespace)
		doc.start("Object")
		doc.text("Key", key)
		doc.end("Object")
		doc.end("Delete")
		in, err := parseDelete(doc.Bytes())
		if speakable := !strings.ContainsFunc(key, func(r rune) bool { return r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0xfffe || r == 0xffff }); speakable != (err == nil) {
			t.Fatalf("%q: %v", key, err)
		}
		if err == nil && (len(in.keys) != 1 || in.keys[0] != key) {
			t.Fatalf("%q became %q", key, in.keys)
		}
	})
}

func FuzzToken(f *testing.F) {
	f.Add("a/b", true)
	f.Add("MWthYg", false)
	f.Fuzz(func(t *testing.T, text string, whole bool) {
		if p, ok := parseToken(text); ok && p.token() != text {
			t.Fatalf("token %q is %+v, whose token is %q", text, p, p.token())
		}
		if p := (place{key: text, whole: whole}); checkKey(text) == nil && text != "" {
			if got, ok := parseToken(p.token()); !ok || got != p {
				t.Fatalf("%+v became %+v", p, got)
			}
		}
	})
}

func FuzzEscapeKey(f *testing.F) {
	f.Add("a b/é?&+%")
	f.Fuzz(func(t *testing.T, key string) {
		if got, err := url.QueryUnescape(escapeKey(key)); err != nil || got != key {
			t.Fatalf("%q became %q: %v", key, got, err)
		}
	})
}

// TestPagesAreTheListingCutUp compares pages of random listings with what a
// plain loop over the sorted keys finds.
func TestPagesAreTheListingCutUp(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	db, err := bbolt.Open(filepath.Join(t.TempDir(), "db"), 0o600, &bbolt.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for round := range 300 {
		keys := randomKeys(random)
		l := listing{prefix: []string{"", "a", "a/", "b/a"}[random.IntN(4)], delimiter: []string{"", "/", "a", "//", "\U0010FFFF"}[random.IntN(5)],
			startAfter: []string{"", "a", "a/a", "b"}[random.IntN(4)]}
		want := plainListing(keys, l)
		err := db.Update(func(tx *bbolt.Tx) error {
			objects, err := tx.CreateBucket(fmt.Append(nil, "round", round))
			if err != nil {
				return err
			}
			for _, key := range keys {
				if err := objects.Put([]byte(key), []byte(`{"body":"x"}`)); err != nil {
					return err
				}
			}
			if got := allPages(t, objects, l, 1+random.IntN(4)); !slices.Equal(got, want) {
				t.Errorf("%q of %q (-want +got):\n%s", l.prefix+"|"+l.delimiter+"|"+l.startAfter, keys, cmp.Diff(want, got))
			}
			return nil
		})
		if err != nil || t.Failed() {
			t.Fatal(err)
		}
	}
}

func randomKeys(random *rand.Rand) []string {
	var keys []string
	for range 20 {
		var key strings.Builder
		for range 1 + random.IntN(5) {
			key.WriteString([]string{"a", "b", "/", "\U0010FFFF"}[random.IntN(4)])
		}
		keys = append(keys, key.String())
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

func plainListing(keys []string, l listing) (found []string) {
	for _, key := range keys {
		if !strings.HasPrefix(key, l.prefix) || key <= l.startAfter {
			continue
		}
		if common, rolled := l.rollUp(key); rolled {
			key = common + "..."
		}
		if !slices.Contains(found, key) {
			found = append(found, key)
		}
	}
	return found
}

// allPages follows the tokens to the end.
func allPages(t *testing.T, objects *bbolt.Bucket, l listing, size int) (found []string) {
	for from := (place{key: l.startAfter}); ; {
		p := listing{prefix: l.prefix, delimiter: l.delimiter, from: from, size: size}
		if err := p.walk(objects.Cursor()); err != nil {
			t.Fatal(err)
		}
		var page []string
		for _, e := range p.contents {
			page = append(page, e.key)
		}
		for _, prefix := range p.prefixes {
			page = append(page, prefix+"...")
		}
		slices.Sort(page)
		found = append(found, page...)
		if !p.truncated {
			return found
		}
		next, ok := parseToken(p.next.token())
		if !ok || len(page) != size {
			t.Fatalf("page of %d: %q", size, page)
		}
		from = next
	}
}

func TestErrorsAreXMLWhateverTheyEcho(t *testing.T) {
	var doc document
	doc.begin("Error", "")
	doc.text("Message", strings.ToValidUTF8("a&<>\"\r\n\xff", "\uFFFD"))
	doc.end("Error")
	var got struct{ Message string }
	if err := xml.Unmarshal(doc.Bytes(), &got); err != nil || got.Message != "a&<>\"\r\n\uFFFD" {
		t.Errorf("%q: %v", got.Message, err)
	}
}
