package patch_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"windlass/functions/internal/tool/patch"
)

// edit is a line of a diff: op is ' ', '-' or '+'; cut: no newline follows it.
type edit struct {
	op   byte
	text string
	cut  bool
}

func lines(text string) (all []edit) {
	for l := range strings.Lines(text) {
		plain := strings.TrimSuffix(l, "\n")
		all = append(all, edit{' ', plain, plain == l})
	}
	return all
}

// edits turns a into b, keeping a longest common part.
func edits(a, b []edit) (all []edit) {
	common := make([][]int, len(a)+1)
	for i := range common {
		common[i] = make([]int, len(b)+1)
	}
	for i, x := range slices.Backward(a) {
		for j, y := range slices.Backward(b) {
			if common[i][j] = max(common[i+1][j], common[i][j+1]); x == y {
				common[i][j] = common[i+1][j+1] + 1
			}
		}
	}
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			all = append(all, a[i])
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && common[i+1][j] >= common[i][j+1]:
			all = append(all, edit{'-', a[i].text, a[i].cut})
			i++
		default:
			all = append(all, edit{'+', b[j].text, b[j].cut})
			j++
		}
	}
	return all
}

// hunks groups edits with so many lines of context around them: first and last index.
func hunks(all []edit, context int) (groups [][2]int) {
	for i, e := range all {
		if e.op == ' ' {
			continue
		}
		from, to := max(i-context, 0), min(i+context+1, len(all))
		if n := len(groups); n > 0 && from <= groups[n-1][1] {
			groups[n-1][1] = to
			continue
		}
		groups = append(groups, [2]int{from, to})
	}
	return groups
}

// unified is the diff of a and b as git writes it. It gives the counts off by wrong.
func unified(path, a, b string, context, wrong int) string {
	var out strings.Builder
	fmt.Fprintf(&out, "--- a/%s\n+++ b/%s\n", path, path)
	all := edits(lines(a), lines(b))
	for _, g := range hunks(all, context) {
		count := func(es []edit, op byte) (n int) {
			for _, e := range es {
				if e.op == ' ' || e.op == op {
					n++
				}
			}
			return n
		}
		within := all[g[0]:g[1]]
		fmt.Fprintf(&out, "@@ -%d,%d +%d,%d @@\n", count(all[:g[0]], '-')+1, count(within, '-')+wrong, count(all[:g[0]], '+')+1, count(within, '+')+wrong)
		for _, e := range within {
			fmt.Fprintf(&out, "%c%s\n", e.op, e.text)
			if e.cut {
				out.WriteString("\\ No newline at end of file\n")
			}
		}
	}
	return out.String()
}

// begun is the same in the other form, which says nothing of a last newline.
func begun(path, a, b string, context int) string {
	var out strings.Builder
	fmt.Fprintf(&out, "*** Begin Patch\n*** Update File: %s\n", path)
	all := edits(lines(a), lines(b))
	for _, g := range hunks(all, context) {
		out.WriteString("@@\n")
		for _, e := range all[g[0]:g[1]] {
			fmt.Fprintf(&out, "%c%s\n", e.op, e.text)
		}
		if g[1] == len(all) {
			out.WriteString("*** End of File\n")
		}
	}
	return out.String() + "*** End Patch\n"
}

func apply(t testing.TB, text, old string) (string, int, error) {
	t.Helper()
	changes, err := patch.Parse(text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if len(changes) != 1 {
		t.Fatalf("%d changes\n%s", len(changes), text)
	}
	return changes[0].Apply(old)
}

// random is a text of few different lines, so that places repeat, and of lines that
// look like a patch's own.
func random(r *rand.Rand) string {
	words := []string{"", "a", "b", "  a", "a ", "c\r", "\r", "-- x", "++ y", "@@", "\\ z", "*** End", "é", "diff --git"}
	var all []string
	for range r.IntN(14) {
		all = append(all, words[r.IntN(len(words))])
	}
	text := strings.Join(all, "\n")
	if r.IntN(3) > 0 && text != "" {
		text += "\n"
	}
	return text
}

// mutated changes some lines of a text.
func mutated(r *rand.Rand, text string) string {
	var out []string
	for l := range strings.Lines(text) {
		switch r.IntN(6) {
		case 0:
		case 1:
			out = append(out, "new\n", l)
		default:
			out = append(out, l)
		}
	}
	return strings.Join(out, "")
}

// A diff made from a to b and applied to a gives b, byte by byte.
func TestADiffGivesWhatItWasMadeFrom(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		a := random(r)
		b := random(r)
		if r.IntN(2) == 0 {
			b = mutated(r, a)
		}
		if a == b {
			continue
		}
		text := unified("f", a, b, 1+r.IntN(4), 0)
		got, loose, err := apply(t, text, a)
		if err != nil || got != b || loose > 0 {
			t.Fatalf("%q became %q, %v, want %q\n%s", a, got, err, b, text)
		}
	}
}

// The other form may not be able to say which place is meant; it never takes the
// wrong one.
func TestAPatchWithoutLineNumbersIsRightOrRefused(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	fits, unclear := 0, 0
	for range 20_000 {
		a := random(r)
		b := mutated(r, a)
		if a == b || a == "" || b == "" || strings.HasSuffix(a, "\n") != strings.HasSuffix(b, "\n") || strings.HasSuffix(a, "\n\n") || strings.HasSuffix(a, "\n\r\n") {
			continue
		}
		text := begun("f", a, b, 1+r.IntN(4))
		got, _, err := apply(t, text, a)
		if code(err) == patch.Ambiguous || code(err) == patch.NoMatch && strings.Contains(err.Error(), "only new lines") {
			unclear++
			continue
		}
		if err != nil || got != b {
			t.Fatalf("%q became %q, %v, want %q\n%s", a, got, err, b, text)
		}
		fits++
	}
	if fits < 5*unclear || unclear == 0 {
		t.Errorf("%d were carried out, %d refused", fits, unclear)
	}
}

// Models count lines wrongly.
func TestWrongCountsDoNoHarm(t *testing.T) {
	a := "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\n"
	b := "one\n2\nthree\nfour\nfive\nsix\nseven\n8\n8.5\nnine\n"
	for wrong := -9; wrong <= 9; wrong++ {
		text := unified("f", a, b, 1, 0)
		if wrong+3 >= 0 {
			text = unified("f", a, b, 1, wrong)
		}
		if got, _, err := apply(t, text, a); err != nil || got != b {
			t.Errorf("off by %d: %q, %v\n%s", wrong, got, err, text)
		}
	}
}
