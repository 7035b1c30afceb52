package outside

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"windlass/functions/internal/tool"
)

const maxConfig = 256 << 10

// Read reads a tool's configuration. A field that is not known is an error, because
// a rule with a slip of the pen in it must not be a wider rule.
func Read(with json.RawMessage, into any) error {
	if len(with) > maxConfig {
		return fmt.Errorf("the configuration has %d bytes, at most %d are allowed", len(with), maxConfig)
	}
	if len(bytes.TrimSpace(with)) == 0 {
		with = json.RawMessage("{}")
	}
	return strict(with, into)
}

func strict(data []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows the configuration")
	}
	return nil
}

// Duration is written as "30s".
type Duration time.Duration

// UnmarshalJSON reads it.
func (d *Duration) UnmarshalJSON(data []byte) error {
	var s string
	if err := json.Unmarshal(data, &s); err != nil {
		return errors.New(`a time is written as "30s"`)
	}
	t, err := time.ParseDuration(s)
	if err != nil {
		return errors.New(`a time is written as "30s"`)
	}
	*d = Duration(t)
	return nil
}

// How long a call may take.
const (
	DefaultTimeout = 30 * time.Second
	// MaxTimeout leaves an invocation time for more than one call.
	MaxTimeout = 5 * time.Minute
)

// Timeout is the time that was configured for a call, or [DefaultTimeout].
func (d Duration) Timeout() (time.Duration, error) {
	t := time.Duration(d)
	if t == 0 {
		return DefaultTimeout, nil
	}
	if t < time.Second || t > MaxTimeout {
		return 0, fmt.Errorf("the timeout is %s; it is from 1s to %s", t, MaxTimeout)
	}
	return t, nil
}

// CheckEffect says what is wrong with a class that was configured.
func CheckEffect(e tool.Effect) error {
	switch e {
	case tool.Read, tool.Idempotent, tool.Once:
		return nil
	}
	return fmt.Errorf("the effect is %q; it is read, idempotent or once", e)
}
