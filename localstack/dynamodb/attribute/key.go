package attribute

// AppendSortKey appends bytes that order as the values do: strings and binary
// by bytes, numbers by value. Both values must be of the same type.
func AppendSortKey(b []byte, v Value) []byte {
	if v.Kind == Number {
		return v.Decimal().appendKey(b)
	}
	return append(b, v.Text...)
}

// Prefixes of number keys.
const (
	negativeKey = 0x7f
	zeroKey     = 0x80
	positiveKey = 0x81
)

// appendKey writes sign, exponent, digits; for negative numbers with all bits
// turned and an end mark above every digit, because -0.1 comes after -0.12.
func (d Decimal) appendKey(b []byte) []byte {
	exponent := byte(d.exponent - minExponent) // 0 to 255
	switch {
	case d.digits == "":
		return append(b, zeroKey)
	case !d.negative:
		return append(append(b, positiveKey, exponent), d.digits...)
	}
	b = append(b, negativeKey, ^exponent)
	for i := range len(d.digits) {
		b = append(b, ^d.digits[i])
	}
	return append(b, 0xff)
}

// ParseSortKey is the inverse of [AppendSortKey].
func ParseSortKey(kind Kind, key []byte) Value {
	v := Value{Kind: kind}
	if kind == Number {
		v.Text = parseKey(key).String()
	} else {
		v.Text = string(key)
	}
	return v
}

func parseKey(key []byte) Decimal {
	if key[0] == zeroKey {
		return Decimal{}
	}
	d := Decimal{negative: key[0] == negativeKey}
	rest := append([]byte(nil), key[1:]...)
	if d.negative {
		rest = rest[:len(rest)-1]
		for i := range rest {
			rest[i] = ^rest[i]
		}
	}
	d.exponent = int(rest[0]) + minExponent
	d.digits = string(rest[1:])
	return d
}
