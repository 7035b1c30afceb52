package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
)

// outcomes are a run's, by test: PASS, FAIL or SKIP.
type outcomes map[string]string

var line = regexp.MustCompile(`^--- (PASS|FAIL|SKIP): (\w+)`)

// suite runs the end-to-end tests, all or those named, and shows what they print.
func suite(url string, names ...string) (outcomes, error) {
	args := []string{"test", "-count=1", "-v", "-timeout", "20m", "./tests/e2e"}
	if len(names) > 0 {
		args = append(args, "-run", "^("+strings.Join(names, "|")+")$")
	}
	c := exec.Command("go", args...)
	c.Env = append(os.Environ(), "WINDLASS_TEST_URL="+url)
	var out bytes.Buffer
	c.Stdout, c.Stderr = io.MultiWriter(os.Stdout, &out), os.Stderr
	err := c.Run()
	found := outcomes{}
	for lines := bufio.NewScanner(&out); lines.Scan(); {
		if m := line.FindStringSubmatch(lines.Text()); m != nil {
			found[m[2]] = m[1]
		}
	}
	if len(found) == 0 {
		return nil, errors.Join(errors.New("no test ran"), err)
	}
	return found, nil
}

// judged says of a run what is not as it is known to be.
func judged(found outcomes, lacks map[string]string) (surprises []string) {
	for _, name := range slices.Sorted(maps.Keys(found)) {
		_, lacking := lacks[name]
		switch {
		case found[name] == "FAIL" && !lacking:
			surprises = append(surprises, name+" failed")
		case found[name] == "PASS" && lacking:
			surprises = append(surprises, name+" passed: take it off the list of what the emulator lacks")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(lacks)) {
		if _, ran := found[name]; !ran {
			surprises = append(surprises, name+" did not run: take it off the list")
		}
	}
	return surprises
}

// failed are the tests that failed without being known to.
func (o outcomes) failed(lacks map[string]string) (names []string) {
	for _, name := range slices.Sorted(maps.Keys(o)) {
		if _, lacking := lacks[name]; o[name] == "FAIL" && !lacking {
			names = append(names, name)
		}
	}
	return names
}

// again runs failed tests once more, each by itself: an emulator is slow, and the
// machine may be busy. What passes then is said.
func (o outcomes) again(url string, lacks map[string]string) error {
	names := o.failed(lacks)
	if len(names) == 0 {
		return nil
	}
	second, err := suite(url, names...)
	if err != nil {
		return err
	}
	for name, outcome := range second {
		if outcome == "PASS" {
			fmt.Println(name, "passed at the second attempt")
		}
		o[name] = outcome
	}
	return nil
}

func (o outcomes) summary(lacks map[string]string) {
	n := map[string]int{}
	for _, outcome := range o {
		n[outcome]++
	}
	fmt.Printf("\n%d passed, %d failed, %d skipped. What fails is known:\n", n["PASS"], n["FAIL"], n["SKIP"])
	for _, name := range slices.Sorted(maps.Keys(lacks)) {
		fmt.Printf("  %-45s %s\n", name, lacks[name])
	}
}
