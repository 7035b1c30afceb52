package gateway

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"
)

// frame is a client's frame of n zero bytes, masked by zeros.
func frame(first byte, n int) []byte {
	head := []byte{first, 0x80}
	switch {
	case n > 0xffff:
		head[1] |= 127
		head = binary.BigEndian.AppendUint64(head, uint64(n))
	case n > 125:
		head[1] |= 126
		head = binary.BigEndian.AppendUint16(head, uint16(n))
	default:
		head[1] |= byte(n)
	}
	return append(head, make([]byte, 4+n)...)
}

const (
	text, more    = 0x01, 0x00 // opcodes
	fin, ping     = 0x80, 0x89
	wholeMessage  = MaxMessage / MaxFrame
	unmasked, big = 0x00, 0x7f
)

func TestAMeterKeepsTheLimitsOfFramesAndMessages(t *testing.T) {
	full := bytes.Join([][]byte{frame(text, MaxFrame), frame(more, MaxFrame), frame(ping, 125), frame(more, MaxFrame), frame(fin|more, MaxFrame)}, nil)
	for name, c := range map[string]struct {
		stream []byte
		good   int // bytes that pass
	}{
		"small":                {frame(fin|text, 5), 11},
		"empty":                {frame(fin|text, 0), 6},
		"largest frame":        {frame(fin|text, MaxFrame), MaxFrame + 8},
		"frame":                {frame(fin|text, MaxFrame+1), 4},
		"long form":            {frame(fin|text, 1<<16), 10},
		"longest":              {append([]byte{fin | text, 0x80 | big}, bytes.Repeat([]byte{0xff}, 12)...), 10},
		"unmasked frame":       {[]byte{fin | text, unmasked | 126, 0xff, 0xff, 1}, 4},
		"largest message":      {full, len(full)},
		"message by a byte":    {append(full[:len(full)-len(frame(fin|more, MaxFrame))], append(frame(more, MaxFrame), frame(fin|more, 1)...)...), len(full) + 2},
		"two largest messages": {append(full, full...), 2 * len(full)},
		"large control frame":  {frame(ping, MaxFrame+1), 4},
		"header in part":       {[]byte{fin | text}, 1},
	} {
		for _, step := range []int{1, 2, 7, 4096, 1 << 20} {
			good, err := metered(c.stream, step)
			if good != c.good || (err == nil) != (c.good == len(c.stream)) {
				t.Errorf("%s, %d bytes at once: %d of %d pass, want %d: %v", name, step, good, len(c.stream), c.good, err)
			}
		}
	}
}

func metered(stream []byte, step int) (good int, err error) {
	var m meter
	for len(stream) > 0 && err == nil {
		var n int
		n, err = m.pass(stream[:min(step, len(stream))])
		good += n
		stream = stream[n:]
	}
	return good, err
}

// A meter says the same however the bytes arrive, and what a plain reading of the
// whole stream says.
func FuzzMeter(f *testing.F) {
	f.Add(frame(fin|text, 5), 3)
	f.Add(append(frame(text, 300), frame(fin|more, 70_000)...), 7)
	f.Add(bytes.Repeat([]byte{0x00, 0x7e, 0x7f, 0xff}, 9), 1)
	f.Add([]byte{fin | text, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, 4)
	f.Fuzz(func(t *testing.T, stream []byte, step int) {
		if step < 1 {
			step = 1
		}
		good, err := metered(stream, step)
		want, over := plainly(stream)
		if good != want || errors.Is(err, errTooLarge) != over {
			t.Errorf("%d pass with %v, want %d and %v", good, err, want, over)
		}
	})
}

// plainly reads a stream that is there as a whole.
func plainly(s []byte) (good int, over bool) {
	message := uint64(0)
	for at := 0; ; {
		rest := s[at:]
		if len(rest) < 2 {
			return len(s), false
		}
		head, length := 2, uint64(rest[1]&0x7f)
		if length == 126 {
			head = 4
		} else if length == 127 {
			head = 10
		}
		if len(rest) < head {
			return len(s), false
		}
		if head > 2 {
			length = binary.BigEndian.Uint64(append(make([]byte, 10-head), rest[2:head]...))
		}
		if rest[0]&0x0f == 0 {
			message += length
		} else if rest[0]&0x08 == 0 {
			message = length
		}
		if length > MaxFrame || message > MaxMessage {
			return at + head, true
		}
		if rest[1]&0x80 != 0 {
			head += 4
		}
		if uint64(len(rest)) < uint64(head)+length {
			return len(s), false
		}
		at += head + int(length)
	}
}
