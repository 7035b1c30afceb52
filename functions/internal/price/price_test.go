package price_test

import (
	"strings"
	"testing"

	"windlass/eventstore/event"
	"windlass/functions/internal/price"
	"windlass/infra/prices"
)

const table = `
- {model: p/m, input: "3", cached: "0.3", cacheWrite: "3.75", output: "15", upTo: 1000000, source: here, date: 2026-01-01}
- {model: p/m, input: "6", output: "20"}
- {model: p/bounded, input: "1", output: "1", upTo: 10}
- {model: p/free, input: "0", output: "0"}
`

func TestEachTokenIsPaidOnceByItsKind(t *testing.T) {
	prices, err := price.Read([]byte(table))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		model string
		used  event.Tokens
		want  event.USD
	}{
		// 100k fresh at 3, 800k cached at 0.3, 100k written at 3.75, 10k out at 15.
		{"p/m", event.Tokens{InputTokens: 1_000_000, CachedTokens: 800_000, CacheWriteTokens: 100_000, OutputTokens: 10_000, ReasoningTokens: 9_000}, "1.065"},
		{"p/m-20260102", event.Tokens{InputTokens: 1}, "0.000003"},
		{"p/m-2026-01-02", event.Tokens{OutputTokens: 1}, "0.000015"},
		{"p/m", event.Tokens{InputTokens: 2_000_000, CachedTokens: 1_000_000}, "12"}, // the next row, cached as input
		{"p/mini", event.Tokens{InputTokens: 1}, event.UnknownUSD},
		{"p/m-large", event.Tokens{InputTokens: 1}, event.UnknownUSD},
		{"q/m", event.Tokens{InputTokens: 1}, event.UnknownUSD},
		{"p/bounded", event.Tokens{InputTokens: 11}, event.UnknownUSD},
		{"p/m", event.Tokens{}, event.UnknownUSD}, // nobody counted
		{"p/free", event.Tokens{InputTokens: 5, OutputTokens: 5}, "0"},
	} {
		if got := prices.Cost(c.model, c.used); got != c.want {
			t.Errorf("%s %+v: %s, want %s", c.model, c.used, got, c.want)
		}
	}
	if !prices.All([]string{"p/m", "p/free"}) || prices.All([]string{"p/m", "p/other"}) || (price.Table{}).All([]string{"p/m"}) {
		t.Error("All")
	}
}

func TestATableThatIsWrongIsRefused(t *testing.T) {
	for _, bad := range []string{`- {model: p/m, input: "3"}`, `- {model: m, input: "1", output: "1"}`, `- {model: p/m, input: free, output: "1"}`, `- {model: p/m, input: "1", output: "1", outptu: "1"}`, `{}`} {
		if _, err := price.Read([]byte(bad)); err == nil {
			t.Errorf("%s was read", bad)
		}
	}
}

// Each price that is paid has its source and date.
func TestTheTableIsWhole(t *testing.T) {
	if _, err := price.Read(prices.File); err != nil {
		t.Fatal(err)
	}
	rows := strings.Split(string(prices.File), "- model: ")[1:]
	for _, r := range rows {
		if !strings.HasPrefix(r, "scripted/") && (!strings.Contains(r, "source: https://") || !strings.Contains(r, "date: 20")) {
			t.Errorf("no source or date: %s", r)
		}
	}
}
