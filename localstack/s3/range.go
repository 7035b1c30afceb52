package s3

import (
	"fmt"
	"strconv"
	"strings"
)

// span is a run of an object's bytes.
type span struct{ from, size int64 }

func (s span) contentRange(total int64) string {
	return fmt.Sprintf("bytes %d-%d/%d", s.from, s.from+s.size-1, total)
}

// parseRange parses the one range of a Range header. S3 ignores what it cannot
// parse and answers the whole object; here that is an error, because whoever
// sent it expects a part.
func parseRange(text string, total int64) (span, error) {
	set, ok := strings.CutPrefix(text, "bytes=")
	if strings.Contains(set, ",") {
		return span{}, unmodelled("more than one range")
	}
	first, last, dash := strings.Cut(strings.TrimSpace(set), "-")
	if !ok || !dash || first == "" && last == "" {
		return span{}, invalid("Range", text, "Not a range of bytes")
	}
	from, okFrom := position(first)
	to, okTo := position(last)
	switch {
	case first != "" && !okFrom, last != "" && !okTo, first != "" && last != "" && to < from:
		return span{}, invalid("Range", text, "Not a range of bytes")
	case first == "": // the last so many bytes
		from, to = max(0, total-to), total-1
	case last == "":
		to = total - 1
	}
	to = min(to, total-1)
	if from >= total || from > to {
		return span{}, fault("InvalidRange").with("RangeRequested", text).with("ActualObjectSize", strconv.FormatInt(total, 10))
	}
	return span{from, to - from + 1}, nil
}

// position parses digits alone: no sign, no spaces.
func position(text string) (int64, bool) {
	n, err := strconv.ParseUint(text, 10, 63)
	return int64(n), err == nil
}
