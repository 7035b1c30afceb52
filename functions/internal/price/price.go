package price

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"

	"windlass/eventstore/event"
)

// Row is a model's price, in US dollars per million tokens.
type Row struct {
	// Model is "provider/name"; a date behind the name is the same model.
	Model string `yaml:"model"`
	// Cached and CacheWrite are those of Input if they are left out.
	Input      event.USD `yaml:"input"`
	Cached     event.USD `yaml:"cached"`
	CacheWrite event.USD `yaml:"cacheWrite"`
	Output     event.USD `yaml:"output"`
	// UpTo is the longest input for which the row is right; 0 for any.
	UpTo int64 `yaml:"upTo"`
	// Source is where it was read, at Date.
	Source string `yaml:"source"`
	Date   string `yaml:"date"`
}

// Table is rows; of those of one model the shorter inputs' come first. The zero
// Table knows no price.
type Table struct{ rows []Row }

// Read reads a table.
func Read(b []byte) (Table, error) {
	d := yaml.NewDecoder(bytes.NewReader(b))
	d.KnownFields(true)
	var rows []Row
	if err := d.Decode(&rows); err != nil {
		return Table{}, fmt.Errorf("price: %w", err)
	}
	for i := range rows {
		r := &rows[i]
		if r.Cached == "" {
			r.Cached = r.Input
		}
		if r.CacheWrite == "" {
			r.CacheWrite = r.Input
		}
		for _, usd := range []event.USD{r.Input, r.Cached, r.CacheWrite, r.Output} {
			if !usd.Known() {
				return Table{}, fmt.Errorf("price: %s: %q is no decimal of US dollars", r.Model, usd)
			}
		}
		if provider, name, _ := strings.Cut(r.Model, "/"); provider == "" || name == "" {
			return Table{}, fmt.Errorf("price: %q is no model; it is written as provider/name", r.Model)
		}
	}
	return Table{rows}, nil
}

// Cost is what a call of a model cost.
func (t Table) Cost(model string, used event.Tokens) event.USD {
	r, ok := t.find(model, used.InputTokens)
	if !ok || used == (event.Tokens{}) {
		return event.UnknownUSD
	}
	const million = 1_000_000
	fresh := max(used.InputTokens-used.CachedTokens-used.CacheWriteTokens, 0)
	return r.Input.Times(fresh, million).
		Plus(r.Cached.Times(used.CachedTokens, million)).
		Plus(r.CacheWrite.Times(used.CacheWriteTokens, million)).
		Plus(r.Output.Times(used.OutputTokens, million))
}

// All reports whether each model has a price.
func (t Table) All(models []string) bool {
	for _, m := range models {
		if _, ok := t.find(m, 0); !ok {
			return false
		}
	}
	return true
}

func (t Table) find(model string, input int64) (Row, bool) {
	for _, r := range t.rows {
		if same(model, r.Model) && (r.UpTo == 0 || input <= r.UpTo) {
			return r, true
		}
	}
	return Row{}, false
}

var dated = regexp.MustCompile(`^-20\d\d-?[01]\d-?[0-3]\d$`)

// same: providers append a date to a model's name.
func same(model, listed string) bool {
	rest, ok := strings.CutPrefix(model, listed)
	return ok && (rest == "" || dated.MatchString(rest))
}
