package event

import "testing"

func TestAmountsAreSummedExactlyAndUnknownStaysUnknown(t *testing.T) {
	for _, c := range []struct{ a, b, want USD }{
		{"0.1", "0.2", "0.3"}, {"0", "0", "0"}, {"0.000000000001", "10", "10.000000000001"},
		{"1", "unknown", "unknown"}, {"", "1", "unknown"}, {"1e3", "1", "unknown"}, {"-1", "1", "unknown"}, {"1.2.3", "1", "unknown"},
	} {
		if got := c.a.Plus(c.b); got != c.want {
			t.Errorf("%q + %q = %q, want %q", c.a, c.b, got, c.want)
		}
	}
	if got := USD("0.75").Times(123_456, 1_000_000); got != "0.092592" {
		t.Error(got)
	}
	if !USD("0.5").AtLeast("0.50") || USD("0.49").AtLeast("0.5") || USD("unknown").AtLeast("0") {
		t.Error("AtLeast")
	}
}
