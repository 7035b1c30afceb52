package tool

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"
)

// MaxDepth bounds how deep the objects and arrays of a call's arguments are nested.
const MaxDepth = 64

// check says what is wrong with a call's arguments, but for what reading them tells.
// The error is a [Failure] that the model reads.
func (t *Tool) check(arguments string) error {
	if len(arguments) > MaxArguments {
		return failf("invalid_arguments", "the arguments have %d bytes, at most %d are allowed", len(arguments), MaxArguments)
	}
	if err := wellFormed(arguments); err != nil {
		return failf("invalid_arguments", "%v", err)
	}
	v := gjson.Parse(arguments)
	if !v.IsObject() {
		return failf("invalid_arguments", "the arguments are not a JSON object")
	}
	if err := t.resolved.Validate(v.Value()); err != nil {
		return failf("invalid_arguments", "the arguments do not fit %s: %v", t.Name, err)
	}
	return nil
}

// wellFormed refuses what is no JSON, and what JSON's grammar lets pass and readers
// understand differently, or at great cost.
func wellFormed(arguments string) error {
	if !utf8.ValidString(arguments) {
		return errors.New("the arguments are not valid UTF-8")
	}
	if deeper(arguments, MaxDepth) { // before anything follows them down
		return fmt.Errorf("the arguments are nested more than %d deep", MaxDepth)
	}
	if !gjson.Valid(arguments) {
		err := json.Unmarshal([]byte(arguments), new(json.RawMessage)) // it says where
		return fmt.Errorf("the arguments are not JSON: %w", err)
	}
	return unambiguous(gjson.Parse(arguments), strings.Contains(arguments, `\u`))
}

// deeper reports whether objects and arrays are nested more than so deep, in any text.
func deeper(s string, than int) bool {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '"':
			for i++; i < len(s) && s[i] != '"'; i++ {
				if s[i] == '\\' {
					i++
				}
			}
		case '{', '[':
			if depth++; depth > than {
				return true
			}
		case '}', ']':
			depth--
		}
	}
	return false
}

// unambiguous refuses keys that stand twice, numbers that no reader holds and, where
// there are such escapes, halves of a surrogate pair.
func unambiguous(v gjson.Result, escapes bool) (err error) {
	switch {
	case v.IsObject():
		keys := map[string]bool{}
		v.ForEach(func(key, value gjson.Result) bool {
			name := key.String()
			if keys[name] {
				err = fmt.Errorf("the arguments have %.100q twice", name)
				return false
			}
			keys[name] = true
			if escapes && halved(key) {
				err = errHalf
				return false
			}
			err = unambiguous(value, escapes)
			return err == nil
		})
	case v.IsArray():
		v.ForEach(func(_, item gjson.Result) bool {
			err = unambiguous(item, escapes)
			return err == nil
		})
	case v.Type == gjson.Number:
		if _, err := strconv.ParseFloat(v.Raw, 64); err != nil {
			return fmt.Errorf("the arguments have the number %.100s, which is too large", v.Raw)
		}
	case escapes && halved(v):
		return errHalf
	}
	return err
}

var errHalf = errors.New("the arguments have half of a surrogate pair, which is no character")

// halved reports whether a text has half of a surrogate pair: it is read as the
// replacement character, which is not what stands there.
func halved(v gjson.Result) bool {
	const replacement = string(utf8.RuneError)
	return v.Type == gjson.String && strings.Contains(v.Str, replacement) && !strings.Contains(v.Raw, replacement) && !strings.Contains(strings.ToLower(v.Raw), `\ufffd`)
}
