package tool

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// MaxDepth bounds how deep the objects and arrays of a call's arguments are nested.
const MaxDepth = 64

// Check says what is wrong with a call's arguments; nil if nothing is. The error is a
// [Failure] that the model reads.
func (t *Tool) Check(arguments string) error {
	if len(arguments) > MaxArguments {
		return failf("invalid_arguments", "the arguments have %d bytes, at most %d are allowed", len(arguments), MaxArguments)
	}
	if err := wellFormed(arguments); err != nil {
		return failf("invalid_arguments", "%v", err)
	}
	var v any
	if err := json.Unmarshal([]byte(arguments), &v); err != nil {
		return failf("invalid_arguments", "the arguments are not JSON: %v", err)
	}
	if _, ok := v.(map[string]any); !ok {
		return failf("invalid_arguments", "the arguments are not a JSON object")
	}
	if err := t.resolved.Validate(v); err != nil {
		return failf("invalid_arguments", "the arguments do not fit %s: %v", t.Name, err)
	}
	// The schema's integer may be written as 1e3, or have too many digits.
	err, wrong := t.fits(json.RawMessage(arguments)), (*json.UnmarshalTypeError)(nil)
	if errors.As(err, &wrong) {
		return failf("invalid_arguments", "the arguments do not fit %s: %s cannot be %s", t.Name, wrong.Field, wrong.Value)
	}
	if err != nil {
		return failf("invalid_arguments", "the arguments do not fit %s: %v", t.Name, err)
	}
	return nil
}

// wellFormed refuses what JSON's grammar lets pass and readers understand
// differently, or at great cost.
func wellFormed(arguments string) error {
	if !utf8.ValidString(arguments) {
		return errors.New("the arguments are not valid UTF-8")
	}
	d := json.NewDecoder(strings.NewReader(arguments))
	d.UseNumber()
	var open nesting
	for n := 0; ; n++ {
		token, err := d.Token()
		switch {
		case errors.Is(err, io.EOF) && n > 0 && len(open) == 0:
			return nil
		case err != nil:
			return fmt.Errorf("the arguments are not JSON: %w", err)
		case n > 0 && len(open) == 0:
			return errors.New("something follows the JSON object in the arguments")
		}
		if err := open.take(token); err != nil {
			return err
		}
		if text, ok := token.(string); ok && strings.Contains(text, replacement) && !strings.Contains(arguments, replacement) && !strings.Contains(strings.ToLower(arguments), `\ufffd`) {
			return errors.New("the arguments have half of a surrogate pair, which is no character")
		}
	}
}

// replacement is what a half of a surrogate pair is read as.
const replacement = string(utf8.RuneError)

// nesting are the objects and arrays that are open.
type nesting []*container

type container struct {
	keys  map[string]bool // nil for an array
	value bool            // a key's value comes next
}

func (n *nesting) take(token json.Token) error {
	if token == json.Delim('}') || token == json.Delim(']') {
		*n = (*n)[:len(*n)-1]
		return nil
	}
	if len(*n) > 0 {
		if err := (*n)[len(*n)-1].take(token); err != nil {
			return err
		}
	}
	switch token {
	case json.Delim('{'):
		*n = append(*n, &container{keys: map[string]bool{}})
	case json.Delim('['):
		*n = append(*n, &container{})
	}
	if len(*n) > MaxDepth {
		return fmt.Errorf("the arguments are nested more than %d deep", MaxDepth)
	}
	return nil
}

// take notes a key, or a value.
func (c *container) take(token json.Token) error {
	if c.value = c.keys != nil && !c.value; !c.value {
		return nil
	}
	key, _ := token.(string)
	if c.keys[key] {
		return fmt.Errorf("the arguments have %.100q twice", key)
	}
	c.keys[key] = true
	return nil
}
