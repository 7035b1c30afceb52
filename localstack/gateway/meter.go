package gateway

import (
	"encoding/binary"
	"errors"
)

// errTooLarge is what AWS closes a connection with 1009 for (the note below the
// quotas): a frame over MaxFrame or a message over MaxMessage.
var errTooLarge = errors.New("a frame or message of the client is too large")

// A meter follows the frames (RFC 6455, 5.2) in a client's bytes as they pass,
// and keeps none. A limit is noticed at the header that breaks it.
type meter struct {
	head    [10]byte // of the frame that begins, up to its mask key
	have    int      // bytes in head
	left    int      // bytes of mask key and payload still to come
	message int      // payload of the message so far
}

// pass takes bytes and returns how many are within the limits: all, or those up
// to the header that breaks one. A meter that returned an error is used up.
func (m *meter) pass(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		if m.left > 0 {
			step := min(m.left, len(p)-n)
			m.left -= step
			n += step
			continue
		}
		m.head[m.have] = p[n]
		m.have++
		n++
		if m.have < m.size() {
			continue
		}
		if err := m.frame(); err != nil {
			return n, err
		}
	}
	return n, nil
}

// size is how long the header is without its mask key, as far as is known.
func (m *meter) size() int {
	switch {
	case m.have < 2:
		return 2
	case m.head[1]&0x7f == 126:
		return 4
	case m.head[1]&0x7f == 127:
		return 10
	}
	return 2
}

func (m *meter) frame() error {
	length := uint64(m.head[1] & 0x7f)
	switch length {
	case 126:
		length = uint64(binary.BigEndian.Uint16(m.head[2:]))
	case 127:
		length = binary.BigEndian.Uint64(m.head[2:])
	}
	if length > MaxFrame {
		return errTooLarge
	}
	switch opcode := m.head[0] & 0x0f; {
	case opcode >= 8: // control frames stand between those of a message
	case opcode == 0:
		m.message += int(length)
	default:
		m.message = int(length)
	}
	if m.message > MaxMessage {
		return errTooLarge
	}
	m.have, m.left = 0, int(length)
	if m.head[1]&0x80 != 0 {
		m.left += 4
	}
	return nil
}
