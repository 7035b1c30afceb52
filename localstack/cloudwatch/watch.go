package cloudwatch

import (
	"log/slog"
	"time"
)

// Watch keeps the state of alarms.
type Watch struct {
	Metrics *Metrics
	Alarms  []Alarm
	Log     *slog.Logger

	states map[string]State
}

// Look evaluates all alarms at a time, and tells of each that has changed. It is for one
// goroutine.
func (w *Watch) Look(now time.Time) (changed map[string]State) {
	if w.states == nil {
		w.states = map[string]State{}
	}
	changed = map[string]State{}
	for _, a := range w.Alarms {
		before, known := w.states[a.Name]
		state := w.Metrics.State(a, now)
		w.states[a.Name] = state
		if before == state || !known && state != Alarming {
			continue
		}
		changed[a.Name] = state
		if state == Alarming {
			w.Log.Warn("alarm", "alarm", a.Name, "state", state, "description", a.Description)
		} else {
			w.Log.Info("alarm", "alarm", a.Name, "state", state)
		}
	}
	return changed
}
