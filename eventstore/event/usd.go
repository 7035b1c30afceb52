package event

import (
	"math/big"
	"strings"
)

// USD is an amount of US dollars: a decimal such as "0.001234", or [UnknownUSD].
// Empty is unknown too: nobody wrote it down.
type USD string

const (
	// UnknownUSD is the amount of what has no known price.
	UnknownUSD USD = "unknown"
	// NoUSD is nothing.
	NoUSD USD = "0"
)

// decimals bound an amount's fraction: a token of a millionth of a dollar per
// million is still one.
const decimals = 12

// Known reports whether it is an amount.
func (u USD) Known() bool { _, ok := u.rat(); return ok }

// Plus sums both exactly; unknown if either is.
func (u USD) Plus(v USD) USD {
	a, known := u.rat()
	b, also := v.rat()
	if !known || !also {
		return UnknownUSD
	}
	return toUSD(a.Add(a, b))
}

// Minus is what is left of an amount, at least the smallest that can be written; empty
// if there is no amount, and all of it if what is taken is not known.
func (u USD) Minus(v USD) USD {
	a, known := u.rat()
	b, also := v.rat()
	switch {
	case !known:
		return ""
	case !also:
		return u
	case a.Cmp(b) <= 0:
		return smallest
	}
	return toUSD(a.Sub(a, b))
}

const smallest USD = "0.000000000001"

// Times is n times the amount divided by d, rounded to 12 decimals.
func (u USD) Times(n, d int64) USD {
	a, known := u.rat()
	if !known || d == 0 {
		return UnknownUSD
	}
	return toUSD(a.Mul(a, big.NewRat(n, d)))
}

// AtLeast reports whether the amount is known and v or more.
func (u USD) AtLeast(v USD) bool {
	a, known := u.rat()
	b, also := v.rat()
	return known && also && a.Cmp(b) >= 0
}

// rat reads digits with at most one point; anything else, such as what a newer
// build may write, is unknown.
func (u USD) rat() (*big.Rat, bool) {
	if u == "" || len(u) > 64 || strings.Trim(string(u), "0123456789.") != "" {
		return nil, false
	}
	return new(big.Rat).SetString(string(u))
}

func toUSD(r *big.Rat) USD {
	s := r.FloatString(decimals)
	return USD(strings.TrimSuffix(strings.TrimRight(s, "0"), "."))
}
