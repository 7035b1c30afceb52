package permissions

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// A Call is what a function asked of AWS, or may ask. Resource is in the form of
// the recording: a logical id, and what of it. Key is the kind of a partition,
// such as ticket#; in leave, empty is any.
type Call struct {
	Function string `json:"function"`
	Action   string `json:"action"`
	Resource string `json:"resource"`
	Key      string `json:"key,omitempty"`
}

func (c Call) String() string {
	return strings.TrimSpace(fmt.Sprintf("%s: %s on %s %s", c.Function, c.Action, c.Resource, c.Key))
}

// Allows reports whether leave covers a call.
func (c Call) Allows(made Call) bool {
	return c.Function == made.Function && c.Action == made.Action && c.Resource == made.Resource &&
		(c.Key == "" || c.Key == made.Key)
}

// Read reads a recording, one call a line.
func Read(recording []byte) (calls []Call, err error) {
	lines := bufio.NewScanner(bytes.NewReader(recording))
	for lines.Scan() {
		var c Call
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			return nil, fmt.Errorf("%q: %w", lines.Text(), err)
		}
		calls = append(calls, c)
	}
	return calls, lines.Err()
}
