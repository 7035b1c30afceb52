package secret

import (
	"strings"
	"testing"
)

func TestEveryCodeAdvises(t *testing.T) {
	for _, c := range []Code{Denied, NotFound, Malformed, Refused, Unavailable} {
		if s := (&Error{c, Ref{ARN: managed, Service: Manager}, ""}).Error(); !strings.HasPrefix(s, string(c)+": ") || !strings.Contains(s, "; ") {
			t.Errorf("%s: %s", c, s)
		}
	}
}
