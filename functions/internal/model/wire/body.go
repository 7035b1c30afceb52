package wire

import (
	"io"
	"sync/atomic"
	"time"
)

// body is an answer that is read: bounded, where io.LimitReader would end, and
// ended where it falls silent.
type body struct {
	io.ReadCloser
	left   int64
	idle   time.Duration
	timer  *time.Timer
	silent atomic.Bool
	cancel func()
}

func watch(b io.ReadCloser, idle time.Duration, cancel func()) io.ReadCloser {
	w := &body{ReadCloser: b, left: maxWire, idle: idle, cancel: cancel}
	w.timer = time.AfterFunc(idle, func() {
		w.silent.Store(true)
		cancel()
	})
	return w
}

func (b *body) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, ErrTooLarge
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	if n > 0 {
		b.timer.Reset(b.idle)
	}
	if err != nil && err != io.EOF && b.silent.Load() {
		err = ErrIdle
	}
	return n, err
}

func (b *body) Close() error {
	b.timer.Stop()
	defer b.cancel()
	return b.ReadCloser.Close()
}
