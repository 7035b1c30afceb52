package main

import (
	"bytes"
	"fmt"
	"html"
	"math"
	"strings"
)

// A chart is a picture with lines of medians, and the range around each.
type chart struct {
	title, x, y, note string
	// doubling: the x axis counts in powers of two. tenfold: the y axis in powers of ten.
	doubling, tenfold bool
	lines             []curve
}

// The size of a picture, and of the part that has the lines, in pixels.
const (
	pageWidth, pageHeight = 720, 360
	left, top             = 64, 56
	width                 = pageWidth - left - 28
	height                = pageHeight - top - 64
)

const font = `font-family="ui-sans-serif,system-ui,Segoe UI,Helvetica,Arial,sans-serif"`

var colours = []string{"#3b82f6", "#10b981", "#f59e0b", "#8b5cf6", "#ef4444"}

// svg draws it. Text is escaped; a processor may be called anything.
func (c chart) svg() []byte {
	var b bytes.Buffer
	x, y := c.axes()
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" aria-label="%s">`+"\n", pageWidth, pageHeight, html.EscapeString(c.title))
	fmt.Fprintf(&b, `<rect x="0.5" y="0.5" width="%d" height="%d" rx="10" fill="#ffffff" stroke="#e5e7eb"/>`+"\n", pageWidth-1, pageHeight-1)
	write(&b, 20, 30, 15, "start", "#111827", c.title)
	write(&b, pageWidth-20, 30, 11, "end", "#6b7280", c.note)
	c.grid(&b, x, y)
	for i, line := range c.lines {
		colour := colours[i%len(colours)]
		c.line(&b, x, y, line, colour)
		write(&b, float64(left+12), float64(top+16+16*i), 12, "start", colour, line.Name)
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// axes hold all points and their ranges.
func (c chart) axes() (x, y axis) {
	least, most := math.Inf(1), 0.0
	first, last := math.Inf(1), 0.0
	for _, line := range c.lines {
		for _, p := range line.Points {
			least, most = min(least, p.Min), max(most, p.Max)
			first, last = min(first, p.X), max(last, p.X)
		}
	}
	x, y = linear(last), linear(most)
	if c.doubling {
		x = powers(2, first, last)
	}
	if c.tenfold {
		y = powers(10, max(least, 1e-3), max(most, 1e-3))
	}
	return x, y
}

func (c chart) grid(b *bytes.Buffer, x, y axis) {
	for _, v := range y.ticks {
		at := down(y, v)
		fmt.Fprintf(b, `<line x1="%d" y1="%.1f" x2="%d" y2="%.1f" stroke="#e5e7eb"/>`+"\n", left, at, left+width, at)
		write(b, left-8, at+4, 11, "end", "#6b7280", label(v))
	}
	for _, v := range x.ticks {
		write(b, across(x, v), top+height+18, 11, "middle", "#6b7280", label(v))
	}
	write(b, left, top-8, 11, "start", "#6b7280", c.y)
	write(b, left+width/2, top+height+42, 12, "middle", "#374151", c.x)
}

// line draws the range as a band, the medians over it, and a dot for each if they are
// few.
func (c chart) line(b *bytes.Buffer, x, y axis, line curve, colour string) {
	var band, back, middle []string
	for i, p := range line.Points {
		q := line.Points[len(line.Points)-1-i]
		band = append(band, pair(across(x, p.X), down(y, p.Max)))
		back = append(back, pair(across(x, q.X), down(y, q.Min)))
		middle = append(middle, pair(across(x, p.X), down(y, p.Median)))
	}
	fmt.Fprintf(b, `<polygon points="%s" fill="%s" fill-opacity="0.14"/>`+"\n", strings.Join(append(band, back...), " "), colour)
	fmt.Fprintf(b, `<polyline points="%s" fill="none" stroke="%s" stroke-width="2" stroke-linejoin="round"/>`+"\n", strings.Join(middle, " "), colour)
	if len(line.Points) > 20 {
		return
	}
	for _, p := range line.Points {
		fmt.Fprintf(b, `<circle cx="%.1f" cy="%.1f" r="3" fill="%s"/>`+"\n", across(x, p.X), down(y, p.Median), colour)
	}
}

func across(a axis, v float64) float64 { return left + width*a.at(v) }
func down(a axis, v float64) float64   { return top + height*(1-a.at(v)) }
func pair(x, y float64) string         { return fmt.Sprintf("%.1f,%.1f", x, y) }

func write(b *bytes.Buffer, x, y float64, size int, anchor, colour, text string) {
	fmt.Fprintf(b, `<text x="%.1f" y="%.1f" font-size="%d" fill="%s" text-anchor="%s" %s>%s</text>`+"\n", x, y, size, colour, anchor, font, html.EscapeString(text))
}
