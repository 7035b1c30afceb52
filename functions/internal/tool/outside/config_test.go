package outside

import (
	"encoding/json"
	"testing"
	"time"
)

func TestAConfigurationWithASlipOfThePenIsRefused(t *testing.T) {
	var c struct {
		Timeout Duration `json:"timeout"`
	}
	for _, s := range []string{`{"timeuot":"1s"}`, `{"timeout":1}`, `{"timeout":"soon"}`, `{} {}`, `[]`} {
		if err := Read(json.RawMessage(s), &c); err == nil {
			t.Errorf("%s is taken", s)
		}
	}
	if err := Read(nil, &c); err != nil {
		t.Errorf("nothing at all: %v", err)
	}
	if err := Read(json.RawMessage(`{"timeout":"90s"}`), &c); err != nil || time.Duration(c.Timeout) != 90*time.Second {
		t.Errorf("%v, %v", c, err)
	}
}

func TestATimeoutIsBounded(t *testing.T) {
	for d, want := range map[time.Duration]time.Duration{0: DefaultTimeout, time.Second: time.Second, MaxTimeout: MaxTimeout, time.Millisecond: 0, time.Hour: 0, -time.Second: 0} {
		if got, err := Duration(d).Timeout(); got != want || (err == nil) != (want > 0) {
			t.Errorf("%s: %s, %v", d, got, err)
		}
	}
}
