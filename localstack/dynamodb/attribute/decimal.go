package attribute

import (
	"errors"
	"math/big"
	"strings"
)

// What a number may be: 38 significant digits, a magnitude from 1E-130 to
// 9.99...E+125, or zero.
const (
	MaxDigits   = 38
	maxExponent = 126  // of 0.ddd * 10^e
	minExponent = -129 // of 0.ddd * 10^e
)

// Why a number is refused, in AWS's words.
var (
	ErrPrecision = errors.New("Attempting to store more than 38 significant digits in a Number")
	ErrOverflow  = errors.New("Number overflow. Attempting to store a number with magnitude larger than supported range")
	ErrUnderflow = errors.New("Number underflow. Attempting to store a number with magnitude smaller than supported range")
	errNumeric   = errors.New("The parameter cannot be converted to a numeric value")
)

// Decimal is an exact number: sign * 0.digits * 10^exponent. Digits neither
// begin nor end with zero; zero has none.
type Decimal struct {
	negative bool
	digits   string
	exponent int
}

// ParseDecimal reads plain and scientific notation.
func ParseDecimal(text string) (Decimal, error) {
	mantissa, exponent, ok := splitExponent(text)
	if !ok {
		return Decimal{}, errNumeric
	}
	var d Decimal
	if mantissa != "" && (mantissa[0] == '-' || mantissa[0] == '+') {
		d.negative = mantissa[0] == '-'
		mantissa = mantissa[1:]
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	if whole == "" && fraction == "" || !allDigits(whole) || !allDigits(fraction) {
		return Decimal{}, errNumeric
	}
	return d.normalize(whole+fraction, len(whole)+exponent)
}

// normalize strips zeros from the digits and checks the limits.
func (d Decimal) normalize(digits string, exponent int) (Decimal, error) {
	kept := strings.TrimLeft(digits, "0")
	d.exponent = exponent - (len(digits) - len(kept))
	d.digits = strings.TrimRight(kept, "0")
	switch {
	case d.digits == "":
		return Decimal{}, nil
	case len(d.digits) > MaxDigits:
		return Decimal{}, ErrPrecision
	case d.exponent > maxExponent:
		return Decimal{}, ErrOverflow
	case d.exponent < minExponent:
		return Decimal{}, ErrUnderflow
	}
	return d, nil
}

func splitExponent(text string) (mantissa string, exponent int, ok bool) {
	i := strings.IndexAny(text, "eE")
	if i < 0 {
		return text, 0, true
	}
	word := text[i+1:]
	negative := strings.HasPrefix(word, "-")
	if negative || strings.HasPrefix(word, "+") {
		word = word[1:]
	}
	if word == "" || !allDigits(word) {
		return "", 0, false
	}
	for _, c := range word {
		exponent = min(exponent*10+int(c-'0'), 1<<30) // far out of range is enough to know
	}
	if negative {
		exponent = -exponent
	}
	return text[:i], exponent, true
}

func allDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

// String is the canonical form: plain notation, as AWS answers.
func (d Decimal) String() string {
	if d.digits == "" {
		return "0"
	}
	var b strings.Builder
	if d.negative {
		b.WriteByte('-')
	}
	switch n := len(d.digits); {
	case d.exponent <= 0:
		b.WriteString("0." + strings.Repeat("0", -d.exponent) + d.digits)
	case d.exponent >= n:
		b.WriteString(d.digits + strings.Repeat("0", d.exponent-n))
	default:
		b.WriteString(d.digits[:d.exponent] + "." + d.digits[d.exponent:])
	}
	return b.String()
}

func (d Decimal) sign() int {
	switch {
	case d.digits == "":
		return 0
	case d.negative:
		return -1
	}
	return 1
}

// Compare orders by value.
func (d Decimal) Compare(o Decimal) int {
	s := d.sign()
	if s != o.sign() {
		return compareInt(s, o.sign())
	}
	if d.exponent != o.exponent {
		return s * compareInt(d.exponent, o.exponent)
	}
	return s * strings.Compare(d.digits, o.digits)
}

func compareInt(a, b int) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// Add returns the exact sum, or the reason why it is not a number here.
func (d Decimal) Add(o Decimal) (Decimal, error) {
	scale := min(d.exponent-len(d.digits), o.exponent-len(o.digits))
	sum := new(big.Int).Add(d.scaled(scale), o.scaled(scale))
	digits := new(big.Int).Abs(sum).String()
	return Decimal{negative: sum.Sign() < 0}.normalize(digits, len(digits)+scale)
}

// Negate returns the number with the other sign.
func (d Decimal) Negate() Decimal {
	d.negative = !d.negative && d.digits != ""
	return d
}

// scaled is the number as an integer times 10^scale.
func (d Decimal) scaled(scale int) *big.Int {
	if d.digits == "" {
		return new(big.Int)
	}
	text := d.digits + strings.Repeat("0", d.exponent-len(d.digits)-scale)
	n, _ := new(big.Int).SetString(text, 10)
	if d.negative {
		n.Neg(n)
	}
	return n
}

// Decimal returns the number of a Number value, which is canonical and so valid.
func (v Value) Decimal() Decimal {
	d, _ := ParseDecimal(v.Text)
	return d
}

// N returns a number value.
func N(d Decimal) Value { return Value{Kind: Number, Text: d.String()} }
