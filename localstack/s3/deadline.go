package s3

import (
	"io"
	"net/http"
	"time"
)

// stall is how long a client may send or take nothing. The listener's own limit
// is for whole requests, and short: a large body may take longer than that.
const stall = time.Minute

// stride is how much is moved under one deadline.
const stride = 4 << 20

// patience gives the client another while to send. Where there is no connection
// there is no deadline to move.
func (c *call) patience() {
	_ = http.NewResponseController(c.w).SetReadDeadline(time.Now().Add(stall))
}

// patientReader moves the read deadline as a body comes in.
type patientReader struct {
	io.Reader
	c    *call
	left int
}

func (p *patientReader) Read(b []byte) (int, error) {
	if p.left <= 0 {
		p.c.patience()
		p.left = stride
	}
	n, err := p.Reader.Read(b)
	p.left -= n
	return n, err
}

// send writes n bytes of r, moving the write deadline. The next request on the
// connection must not inherit it.
func (c *call) send(r io.Reader, n int64) error {
	control := http.NewResponseController(c.w)
	defer func() { _ = control.SetWriteDeadline(time.Time{}) }()
	for n > 0 {
		_ = control.SetWriteDeadline(time.Now().Add(stall))
		moved, err := io.CopyN(c.w, r, min(n, stride))
		if n -= moved; err != nil {
			return err
		}
	}
	return nil
}
