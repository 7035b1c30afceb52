package main

import (
	"os"
	"path/filepath"
)

// The pictures, by the names of their files.
const (
	pictureRounds      = "load-rounds"
	pictureAge         = "load-age"
	pictureConcurrency = "load-concurrency"
	pictureDelivery    = "load-delivery"
)

// charts say what each picture shows; the lines are what was measured.
var charts = map[string]chart{
	pictureRounds:      {title: "What a round costs, by how many its turn has", x: "model calls of the turn", y: "ms a round"},
	pictureAge:         {title: "What an operation costs, by the age of its session", x: "the session's n-th operation", y: "ms an operation"},
	pictureConcurrency: {title: "Throughput, by how many sessions work at once", x: "sessions at once", y: "operations a second", doubling: true},
	pictureDelivery:    {title: "From a write to its event at a follower", x: "percentile", y: "ms", tenfold: true},
}

// pictures draws those that there are lines for.
func (all *results) pictures(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for name, lines := range all.Pictures {
		c := charts[name]
		c.note = all.Machine.Date.Format("2006-01-02") + ", " + all.Machine.CPU
		for _, line := range lines {
			if len(line.Points) > 0 {
				c.lines = append(c.lines, line)
			}
		}
		if len(c.lines) == 0 {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, name+".svg"), c.svg(), 0o644); err != nil {
			return err
		}
	}
	return nil
}
