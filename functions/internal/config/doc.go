// Package config reads a function's settings from its environment, as
// template.yaml sets them. A missing or malformed one is an error at start, never
// a default in the middle of a turn.
package config
