package main

import (
	"cmp"
	"debug/elf"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"debug/gosym"
)

// shown is how many packages are named.
const shown = 15

// explain names the packages whose code weighs most in an executable. It is what the
// runtime's table of functions says, which is there in a stripped one too: data, and
// types, are not in it.
func explain(out io.Writer, path string) error {
	f, err := elf.Open(path)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	defer f.Close()
	text, table := f.Section(".text"), f.Section(".gopclntab")
	if text == nil || table == nil {
		return fmt.Errorf("%s is no executable of Go's: it has no .text, or no .gopclntab", path)
	}
	b, err := table.Data()
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	symbols, err := gosym.NewTable(nil, gosym.NewLineTable(b, text.Addr))
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	weights := map[string]uint64{}
	for _, fn := range symbols.Funcs {
		weights[packageOf(fn.Name)] += fn.End - fn.Entry
	}
	heaviest := slices.SortedFunc(maps.Keys(weights), func(a, b string) int {
		return cmp.Or(cmp.Compare(weights[b], weights[a]), cmp.Compare(a, b))
	})
	fmt.Fprintln(out, "  the code of its heaviest packages, unzipped:")
	for _, name := range heaviest[:min(shown, len(heaviest))] {
		fmt.Fprintf(out, "  %8.2f MB  %s\n", mb(int64(weights[name])), name)
	}
	return nil
}

// packageOf is the import path in a symbol's name, such as a/b.(*T).M[a/c.D].
func packageOf(symbol string) string {
	for _, generated := range []string{"type:.eq.", "type:.hash.", "go:"} {
		symbol = strings.TrimPrefix(symbol, generated)
	}
	symbol, _, _ = strings.Cut(symbol, "[")
	folder := strings.LastIndexByte(symbol, '/') + 1
	last, _, _ := strings.Cut(symbol[folder:], ".")
	return strings.ReplaceAll(symbol[:folder]+last, "%2e", ".")
}
