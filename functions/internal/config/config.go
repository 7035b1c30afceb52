package config

import (
	"fmt"
	"strconv"
	"time"
)

// Env returns a variable's value; empty if it is not set.
type Env func(string) string

// Required returns a variable that must be set.
func (e Env) Required(name string) (string, error) {
	if v := e(name); v != "" {
		return v, nil
	}
	return "", fmt.Errorf("%s is not set; template.yaml sets it for every function that needs it", name)
}

// Int returns a whole number from 0 up, or fallback if it is not set.
func (e Env) Int(name string, fallback int) (int, error) {
	v := e(name)
	if v == "" {
		return fallback, nil
	}
	n, err := strconv.Atoi(v)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%s is %q; want a whole number from 0 up", name, v)
	}
	return n, nil
}

// Duration returns a time span such as 110m, of a second or more, or fallback if
// it is not set.
func (e Env) Duration(name string, fallback time.Duration) (time.Duration, error) {
	v := e(name)
	if v == "" {
		return fallback, nil
	}
	d, err := time.ParseDuration(v)
	if err != nil || d < time.Second {
		return 0, fmt.Errorf("%s is %q; want a time span of a second or more, such as 110m", name, v)
	}
	return d, nil
}
