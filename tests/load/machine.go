package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// machine is where, when and by what was measured.
type machine struct {
	CPU   string    `json:"cpu"`
	Cores int       `json:"cores"`
	OS    string    `json:"os"`
	Go    string    `json:"go"`
	Date  time.Time `json:"date"`
	// Busy is the load average at the start: above 0 others had a part of the cores.
	Busy    string `json:"loadAverage,omitempty"`
	Command string `json:"command"`
}

func here(command string) machine {
	return machine{
		CPU: processor(), Cores: runtime.NumCPU(), OS: runtime.GOOS + "/" + runtime.GOARCH, Go: runtime.Version(),
		Date: time.Now().UTC().Truncate(time.Second), Busy: busy(), Command: command,
	}
}

func (m machine) String() string {
	s := fmt.Sprintf("%s, %d cores, %s, %s, %s", m.CPU, m.Cores, m.OS, m.Go, m.Date.Format(time.DateOnly))
	if m.Busy != "" {
		s += ", load average " + m.Busy + " at the start"
	}
	return s + "\n" + m.Command
}

// processor is the model's name, where /proc tells it.
func processor() string {
	b, _ := os.ReadFile("/proc/cpuinfo") // elsewhere than on Linux there is none
	for line := range strings.Lines(string(b)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.Join(strings.Fields(value), " ")
		}
	}
	return "a processor without a name"
}

func busy() string {
	b, _ := os.ReadFile("/proc/loadavg")
	if f := strings.Fields(string(b)); len(f) > 0 {
		return f[0]
	}
	return ""
}

// memory is a field of a process's status that counts kB, in MB.
func memory(pid int, field string) (float64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(status), field+":")
	words := strings.Fields(rest)
	if len(words) == 0 {
		return 0, fmt.Errorf("the status of process %d has no %s", pid, field)
	}
	kb, err := strconv.Atoi(words[0])
	return float64(kb) / 1024, err
}
