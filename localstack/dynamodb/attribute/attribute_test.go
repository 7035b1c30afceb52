package attribute

import (
	"bytes"
	"errors"
	"math/big"
	"strings"
	"testing"

	"windlass/localstack/dynamodb/jsonread"
)

func mustDecimal(t *testing.T, text string) Decimal {
	t.Helper()
	d, err := ParseDecimal(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return d
}

func TestNumbersAreCanonical(t *testing.T) {
	for text, want := range map[string]string{
		"0": "0", "-0": "0", "0.000": "0", "0e999": "0", "007": "7", "+7": "7", "1.50": "1.5", "100": "100", "1E2": "100", "1e-3": "0.001",
		"-12.340": "-12.34", ".5": "0.5", "5.": "5", strings.Repeat("9", 38): strings.Repeat("9", 38),
		"1E125": "1" + strings.Repeat("0", 125), "1E-130": "0." + strings.Repeat("0", 129) + "1",
	} {
		if got := mustDecimal(t, text).String(); got != want {
			t.Errorf("%s is %s, want %s", text, got, want)
		}
	}
}

func TestNumbersOutOfRangeAreRefused(t *testing.T) {
	for text, want := range map[string]error{
		"": errNumeric, ".": errNumeric, "-": errNumeric, "abc": errNumeric, "1e": errNumeric, "0x1": errNumeric, " 1": errNumeric, "1 ": errNumeric, "NaN": errNumeric,
		"Infinity": errNumeric, "1.2.3": errNumeric, "--1": errNumeric, "1e1.5": errNumeric,
		strings.Repeat("9", 39): ErrPrecision, "1E126": ErrOverflow, "-1E126": ErrOverflow, "1E-131": ErrUnderflow,
		"1e999999999999999999999": ErrOverflow, "1e-99999999999999999999": ErrUnderflow,
	} {
		if _, err := ParseDecimal(text); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", text, err, want)
		}
	}
}

func TestSumsAreExact(t *testing.T) {
	for _, c := range [][3]string{
		{"0.1", "0.2", "0.3"}, {"9007199254740993", "1", "9007199254740994"}, {"1", "-1", "0"}, {"-5", "2.5", "-2.5"},
		{"99999999999999999999999999999999999999", "1", "100000000000000000000000000000000000000"}, {"0", "0", "0"},
	} {
		got, err := mustDecimal(t, c[0]).Add(mustDecimal(t, c[1]))
		if err != nil || got.String() != c[2] {
			t.Errorf("%s + %s = %s (%v), want %s", c[0], c[1], got, err, c[2])
		}
	}
	if _, err := mustDecimal(t, "1E125").Add(mustDecimal(t, "1")); !errors.Is(err, ErrPrecision) {
		t.Errorf("a sum of 126 digits: %v", err)
	}
}

// FuzzDecimal: canonical text is stable, order and key order are those of
// math/big.
func FuzzDecimal(f *testing.F) {
	for _, s := range []string{"0", "-1", "1.5", "-0.12", "-0.1", "1E125", "1e-130", "123456789.987654321"} {
		f.Add(s, "1")
		f.Add("-0.5", s)
	}
	f.Fuzz(func(t *testing.T, x, y string) {
		a, errA := ParseDecimal(x)
		b, errB := ParseDecimal(y)
		if errA != nil || errB != nil {
			return
		}
		if again, err := ParseDecimal(a.String()); err != nil || again != a {
			t.Fatalf("%q: %v reads back as %v (%v)", x, a, again, err)
		}
		if back := parseKey(a.appendKey(nil)); back != a {
			t.Fatalf("the key of %s reads back as %s", a, back)
		}
		ratA, _ := new(big.Rat).SetString(a.String())
		ratB, _ := new(big.Rat).SetString(b.String())
		if want := ratA.Cmp(ratB); a.Compare(b) != want || bytes.Compare(a.appendKey(nil), b.appendKey(nil)) != want {
			t.Fatalf("%s and %s: order %d, want %d; keys %x %x", a, b, a.Compare(b), want, a.appendKey(nil), b.appendKey(nil))
		}
		if sum, err := a.Add(b); err == nil {
			got, _ := new(big.Rat).SetString(sum.String())
			if got.Cmp(new(big.Rat).Add(ratA, ratB)) != 0 {
				t.Fatalf("%s + %s = %s", a, b, sum)
			}
		}
	})
}

func TestInvalidValuesAreRefused(t *testing.T) {
	deep := strings.Repeat(`{"L":[`, 33) + strings.Repeat(`]}`, 33)
	for _, text := range []string{
		`{}`, `{"S":"a","N":"1"}`, `{"X":"a"}`, `{"S":1}`, `{"N":1}`, `{"N":"x"}`, `{"B":"*"}`, `{"B":"YQ"}`, `{"BOOL":"true"}`, `{"NULL":false}`, `{"SS":[]}`, `{"NS":[]}`,
		`{"BS":[]}`, `{"SS":["a","a"]}`, `{"NS":["1","1.0"]}`, `{"SS":[1]}`, `{"L":{}}`, `{"M":[]}`, `{"M":{"a":{"S":"1"},"a":{"S":"2"}}}`, `null`, `"a"`, deep,
	} {
		r := jsonread.New([]byte(text))
		ReadValue(r)
		r.End()
		if r.Err() == nil {
			t.Errorf("%.80s was read", text)
		}
	}
}

func TestSizeRule(t *testing.T) {
	for text, want := range map[string]int{
		`{"ab":{"S":"é"}}`: 4, `{"a":{"N":"0"}}`: 2, `{"a":{"N":"123"}}`: 4, `{"a":{"N":"-123"}}`: 5, `{"a":{"B":"YWJj"}}`: 4,
		`{"a":{"BOOL":false}}`: 2, `{"a":{"NULL":true}}`: 2, `{"a":{"L":[{"S":"x"}]}}`: 6, `{"a":{"M":{"k":{"S":"x"}}}}`: 7, `{"a":{"SS":["x","yz"]}}`: 4,
	} {
		it, err := ParseItem([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if got := it.Size(); got != want {
			t.Errorf("%s has %d bytes, want %d", text, got, want)
		}
	}
}

func TestItemCopiesOnChange(t *testing.T) {
	it := Item{{"b", S("1")}, {"d", S("2")}}
	changed := it.With("a", S("0")).With("b", S("9")).With("c", S("3")).Without("d").Without("zz")
	if got := string(AppendItem(nil, changed)); got != `{"a":{"S":"0"},"b":{"S":"9"},"c":{"S":"3"}}` {
		t.Errorf("changed: %s", got)
	}
	if got := string(AppendItem(nil, it)); got != `{"b":{"S":"1"},"d":{"S":"2"}}` {
		t.Errorf("the original became %s", got)
	}
}

// FuzzItem: what decodes encodes to one canonical text, of the same value.
func FuzzItem(f *testing.F) {
	f.Add([]byte(`{"b":{"S":"x"},"a":{"NS":["2","1.0"]},"m":{"M":{"l":{"L":[{"BOOL":true},{"NULL":true},{"B":"AA=="}]}}}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		it, err := ParseItem(text)
		if err != nil {
			return
		}
		first := AppendItem(nil, it)
		again, err := ParseItem(first)
		if err != nil {
			t.Fatalf("%q does not read back: %v", first, err)
		}
		if !EqualItems(it, again) || !bytes.Equal(first, AppendItem(nil, again)) || it.Size() != again.Size() {
			t.Fatalf("%q changed on the way to %q", text, first)
		}
	})
}
