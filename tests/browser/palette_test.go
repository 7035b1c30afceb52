package browser

import (
	"cmp"
	"image"
	"image/color"
	"maps"
	"slices"
)

// commonest is a palette of a picture's n commonest colours. Neighbours in colour
// are counted as one, so that shades of a rare colour do not lose to shades of a
// common one.
func commonest(full *image.RGBA, n int) color.Palette {
	type cell struct{ r, g, b uint8 }
	counts, first := map[cell]int{}, map[cell]map[color.RGBA]int{}
	for i := 0; i < len(full.Pix); i += 4 {
		c := color.RGBA{full.Pix[i], full.Pix[i+1], full.Pix[i+2], 255}
		at := cell{c.R >> 3, c.G >> 3, c.B >> 3}
		counts[at]++
		if first[at] == nil {
			first[at] = map[color.RGBA]int{}
		}
		first[at][c]++
	}
	cells := slices.SortedFunc(maps.Keys(counts), func(a, b cell) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a.r, b.r), cmp.Compare(a.g, b.g), cmp.Compare(a.b, b.b))
	})
	var all color.Palette
	for _, at := range cells[:min(n, len(cells))] {
		all = append(all, top(first[at]))
	}
	return all
}

func top(counts map[color.RGBA]int) color.RGBA {
	return slices.SortedFunc(maps.Keys(counts), func(a, b color.RGBA) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a.R, b.R), cmp.Compare(a.G, b.G), cmp.Compare(a.B, b.B))
	})[0]
}
