package preview

import (
	"context"
	"log/slog"
	"time"
)

// Between two writes of the row: a second, and longer for a long text,
// since each write costs what the row weighs.
const (
	writing        = time.Second
	bytesPerSecond = 100 << 10
)

// keep overwrites the row for as long as the text grows.
func (v *Preview) keep() {
	var last string
	for pause := writing; ; {
		row := v.row()
		if place := row.place(); place != last && v.put(row) {
			last = place
			pause = max(writing, time.Duration(row.size())*time.Second/bytesPerSecond)
		}
		if !v.wait(pause) {
			return
		}
	}
}

func (v *Preview) row() Row {
	v.mu.Lock()
	defer v.mu.Unlock()
	return Row{v.step, v.said[text].newest(maxRow), v.said[reasoning].newest(maxRow)}
}

// put ends the preview if another run has taken over: its driver shows what counts.
func (v *Preview) put(r Row) bool {
	ctx, cancel := context.WithTimeout(v.ctx, within)
	defer cancel()
	stored, err := v.rows.Put(ctx, v.stream, r)
	switch {
	case err != nil:
		slog.DebugContext(ctx, "a preview's row was not written", "session", v.stream.Session, "error", err)
		return false
	case !stored:
		v.end()
		return false
	}
	v.posting.Lock()
	defer v.posting.Unlock()
	v.held = [2]int{text: r.Text.End(), reasoning: r.Reasoning.End()}
	return true
}
