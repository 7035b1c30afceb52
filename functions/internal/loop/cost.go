package loop

import "time"

// cost is where an invocation's time goes.
type cost struct {
	rounds    int           // that it began
	elsewhere time.Duration // in models, tools and waits
}

// timed does what is not ours: its time is no overhead.
func (d *driver) timed(do func() error) error {
	began := d.Now()
	err := do()
	d.cost.elsewhere += d.Now().Sub(began)
	return err
}

// report says what an invocation that began then cost a round, besides what the round
// was for.
func (d *driver) report(began time.Time) {
	if d.cost.rounds > 0 {
		d.Metrics.Took("RoundOverhead", (d.Now().Sub(began)-d.cost.elsewhere)/time.Duration(d.cost.rounds))
	}
}
