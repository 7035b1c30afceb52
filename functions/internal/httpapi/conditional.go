package httpapi

import (
	"net/http"
	"strconv"
	"strings"

	"windlass/functions/internal/session"
)

// expects reports whether If-Match, if it was sent, allows what is there: its
// hash, empty for nothing. Weak validators match nothing (RFC 9110, 13.1.1).
func expects(r *http.Request, sha256 string) bool {
	tags, ok := r.Header["If-Match"]
	return !ok || matches(tags, sha256, false)
}

// listed reports whether the header was sent and names what is there.
func listed(r *http.Request, header, sha256 string) bool {
	tags, ok := r.Header[header]
	return ok && matches(tags, sha256, true)
}

func matches(tags []string, sha256 string, weak bool) bool {
	if sha256 == "" {
		return false
	}
	for tag := range strings.SplitSeq(strings.Join(tags, ","), ",") {
		tag = strings.TrimSpace(tag)
		if weak {
			tag = strings.TrimPrefix(tag, "W/")
		}
		if tag == "*" || tag == etag(sha256) {
			return true
		}
	}
	return false
}

// writePart sends a file, or the one range of it that was asked for. A Range that
// cannot be read or met is ignored, as RFC 9110, 14.2 allows.
func writePart(w http.ResponseWriter, r *http.Request, f session.FileContent) {
	w.Header().Set("Accept-Ranges", "bytes")
	from, to, ok := byteRange(r.Header["Range"], int64(len(f.Data)))
	if r.Method == http.MethodHead {
		ok = false // a Range is for GET alone
	}
	if tag := r.Header.Get("If-Range"); tag != "" && tag != etag(f.SHA256) {
		ok = false
	}
	if !ok {
		w.WriteHeader(http.StatusOK)
		_, _ = w.Write([]byte(f.Data))
		return
	}
	w.Header().Set("Content-Range", "bytes "+strconv.FormatInt(from, 10)+"-"+strconv.FormatInt(to-1, 10)+"/"+strconv.Itoa(len(f.Data)))
	w.WriteHeader(http.StatusPartialContent)
	_, _ = w.Write([]byte(f.Data[from:to]))
}

// byteRange reads bytes=from-last, bytes=from- or bytes=-length.
func byteRange(header []string, size int64) (from, to int64, ok bool) {
	if len(header) != 1 {
		return 0, 0, false
	}
	spec, ok := strings.CutPrefix(header[0], "bytes=")
	first, last, dash := strings.Cut(spec, "-")
	if !ok || !dash {
		return 0, 0, false
	}
	a, errA := strconv.ParseUint(first, 10, 62)
	b, errB := strconv.ParseUint(last, 10, 62)
	switch {
	case first == "" && errB == nil:
		from, to = size-min(int64(b), size), size
	case errA == nil && last == "":
		from, to = int64(a), size
	case errA == nil && errB == nil && a <= b:
		from, to = int64(a), min(int64(b)+1, size)
	}
	return from, to, from < to
}
