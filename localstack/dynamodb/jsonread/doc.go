// Package jsonread is a strict pull reader of JSON text, for requests on the hot
// path and for stored items.
//
// Its law: the caller sees every member by its exact name, so that nothing in a
// request can be ignored by accident, and text that is not valid JSON in valid
// UTF-8 is an error, never a guess. Errors stick: after the first, every method
// returns a zero value and loops end, so callers check once.
//
// It must not import any package of this module.
package jsonread
