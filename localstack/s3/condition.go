package s3

import (
	"net/http"
	"strings"
	"time"
)

// condition is what a write demands of the object that it replaces.
type condition struct {
	absent bool
	etag   string // without quotes; "" demands nothing
	key    string
}

// writeCondition knows the two forms that S3 knows for writes.
func (c *call) writeCondition() (condition, error) {
	when := condition{key: c.key}
	if none, given := c.header("If-None-Match"); given {
		if none != "*" {
			return when, unmodelled("If-None-Match with anything but * on a write")
		}
		when.absent = true
	}
	if match, given := c.header("If-Match"); given {
		when.etag = strings.Trim(match, `"`)
		if when.absent || when.etag == "" || strings.ContainsAny(when.etag, `*,"`) {
			return when, unmodelled("If-Match on a write with anything but one ETag alone")
		}
	}
	return when, nil
}

// check is run before a body is read, to save the reading, and again in the
// commit, where it counts.
func (w condition) check(old *object) error {
	switch {
	case w.absent && old != nil:
		return fault("PreconditionFailed").with("Condition", "If-None-Match")
	case w.etag != "" && old == nil:
		return noKey(w.key)
	case w.etag != "" && w.etag != old.MD5:
		return fault("PreconditionFailed").with("Condition", "If-Match")
	}
	return nil
}

// header is one of the headers that may be given once.
func (c *call) header(name string) (string, bool) {
	values, given := c.r.Header[name]
	return strings.TrimSpace(strings.Join(values, ",")), given
}

// readCondition answers 412 as an error and 304 as unchanged, in the order of
// RFC 9110, section 13.2.2: an ETag outranks a date.
func (c *call) readCondition(o *object) (unchanged bool, err error) {
	modified := time.UnixMilli(o.Modified).Truncate(time.Second)
	if match, given := c.header("If-Match"); given {
		if !names(match, o.MD5) {
			return false, fault("PreconditionFailed").with("Condition", "If-Match")
		}
	} else if since, given, err := c.date("If-Unmodified-Since"); err != nil {
		return false, err
	} else if given && modified.After(since) {
		return false, fault("PreconditionFailed").with("Condition", "If-Unmodified-Since")
	}
	if none, given := c.header("If-None-Match"); given {
		return names(none, o.MD5), nil
	}
	since, given, err := c.date("If-Modified-Since")
	return given && !modified.After(since), err
}

// names tells whether a list of ETags has this one.
func names(list, etag string) bool {
	for one := range strings.SplitSeq(list, ",") {
		one = strings.TrimSpace(one)
		if one == "*" || strings.Trim(strings.TrimPrefix(one, "W/"), `"`) == etag {
			return true
		}
	}
	return false
}

func (c *call) date(name string) (time.Time, bool, error) {
	text, given := c.header(name)
	if !given {
		return time.Time{}, false, nil
	}
	at, err := http.ParseTime(text)
	if err != nil {
		return at, true, invalid(name, text, "Not a date of HTTP")
	}
	return at, true, nil
}
