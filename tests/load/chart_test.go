package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
)

// Whatever there is to draw, the picture is XML, and no number in it is none.
func TestPicturesAreWellFormed(t *testing.T) {
	for name, lines := range map[string][]curve{
		"a band":  {{"a <b> & \"c\"", []point{{1, 2, 1, 3}, {2, 3, 2, 5}}}},
		"a point": {{"a", []point{{1, 2, 2, 2}}}},
		"zero":    {{"a", []point{{0, 0, 0, 0}}}},
		"many":    {{"a", make([]point, 30)}, {"b", nil}, {"c", nil}, {"d", nil}, {"e", nil}, {"f", []point{{1, 1, 1, 1}}}},
	} {
		for _, c := range charts {
			if c.doubling && lines[0].Points[0].X == 0 {
				continue // there is no power of two at 0
			}
			c.lines, c.note = lines, "<script>"
			b := c.svg()
			if err := wellFormed(b); err != nil {
				t.Errorf("%s, %s: %v", name, c.title, err)
			}
			if bytes.Contains(b, []byte("NaN")) || bytes.Contains(b, []byte("Inf")) || bytes.Contains(b, []byte("<script")) {
				t.Errorf("%s, %s: %s", name, c.title, b)
			}
		}
	}
}

func wellFormed(b []byte) error {
	d := xml.NewDecoder(bytes.NewReader(b))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

func TestAHigherValueIsHigherUp(t *testing.T) {
	y := linear(10)
	if down(y, 0) != top+height || down(y, 10) != top || math.Abs(down(y, 5)-(top+height/2.0)) > 1e-9 {
		t.Errorf("0, 5 and 10 are at %v, %v and %v", down(y, 0), down(y, 5), down(y, 10))
	}
	c := chart{lines: []curve{{"a", []point{{0, 0, 0, 0}, {10, 10, 10, 10}}}}}
	if s := string(c.svg()); !strings.Contains(s, `<polyline points="64.0,296.0 692.0,56.0"`) {
		t.Errorf("the line is elsewhere: %s", s)
	}
}
