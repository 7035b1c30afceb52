package event

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"unicode/utf8"
)

// MaxInline is the size, in bytes, over which a value always stands apart.
const MaxInline = 16 << 10

// Value is a text, or bytes, of any size: a prompt, a tool's output, a file.
//
// JSON is one of three: a string (valid UTF-8); {"base64": "…"} (other bytes);
// {"ref": {"sha256","bytes","type"}} (stored apart). Which of the three is
// decided by the value alone, so the same turn leaves the same events.
type Value struct {
	data string
	ref  *Ref
}

// Ref names bytes that are stored apart, by content. It is never a URL.
type Ref struct {
	SHA256 string `json:"sha256"`
	Bytes  int64  `json:"bytes"`
	Type   string `json:"type"`
}

// Text makes an inline value. Bytes that are not UTF-8 are kept as they are.
func Text(s string) Value { return Value{data: s} }

// ByRef makes a value that stands elsewhere.
func ByRef(r Ref) Value { return Value{ref: &r} }

// Ref is the reference, if the value stands elsewhere.
func (v Value) Ref() (Ref, bool) {
	if v.ref == nil {
		return Ref{}, false
	}
	return *v.ref, true
}

// Inline is the value itself; empty if it stands elsewhere.
func (v Value) Inline() string { return v.data }

// Len is the value's length in bytes, wherever it stands.
func (v Value) Len() int64 {
	if v.ref != nil {
		return v.ref.Bytes
	}
	return int64(len(v.data))
}

// SHA256 is the hash of the bytes in lower-case hex, wherever they stand.
func (v Value) SHA256() string {
	if v.ref != nil {
		return v.ref.SHA256
	}
	sum := sha256.Sum256([]byte(v.data))
	return hex.EncodeToString(sum[:])
}

// Equal reports whether both are written the same.
func (v Value) Equal(w Value) bool {
	if (v.ref == nil) != (w.ref == nil) {
		return false
	}
	if v.ref != nil {
		return *v.ref == *w.ref
	}
	return v.data == w.data
}

type valueObject struct {
	Base64 *[]byte `json:"base64,omitempty"`
	Ref    *Ref    `json:"ref,omitempty"`
}

func (v Value) MarshalJSON() ([]byte, error) {
	switch {
	case v.ref != nil:
		return encode(valueObject{Ref: v.ref})
	case !utf8.ValidString(v.data):
		b := []byte(v.data)
		return encode(valueObject{Base64: &b})
	}
	return encode(v.data)
}

func (v *Value) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		*v = Value{}
		if n := len(b) - 1; n > 0 && b[n] == '"' && bytes.IndexByte(b, '\\') < 0 && utf8.Valid(b) { // as it stands; whoever calls has read that it is one string
			v.data = string(b[1:n])
			return nil
		}
		return json.Unmarshal(b, &v.data)
	}
	var o valueObject
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(&o); err != nil {
		return err
	}
	switch {
	case o.Ref != nil && o.Base64 == nil:
		*v = ByRef(*o.Ref)
	case o.Base64 != nil && o.Ref == nil:
		*v = Value{data: string(*o.Base64)}
	default:
		return errors.New(`value: want a string, {"base64"} or {"ref"}`)
	}
	return nil
}
