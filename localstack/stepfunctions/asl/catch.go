package asl

import (
	"fmt"
	"slices"
	"strings"
)

// Catcher sends the execution elsewhere after an error.
type Catcher struct {
	ErrorEquals []string
	Next        string
	resultPath  *Path
}

func readCatchers(o *object) []Catcher {
	elements := o.list("Catch")
	catchers := make([]Catcher, 0, len(elements))
	for i, raw := range elements {
		e := readObject(place(o, "Catch", i), raw, o.problems)
		e.text("Comment")
		c := Catcher{
			ErrorEquals: readErrorEquals(e, i == len(elements)-1),
			Next:        e.requiredText("Next"),
			resultPath:  e.resultPath(),
		}
		e.done()
		catchers = append(catchers, c)
	}
	return catchers
}

// MatchCatcher returns the first catcher that covers the error, or nil.
func MatchCatcher(catchers []Catcher, name string) *Catcher {
	i := slices.IndexFunc(catchers, func(c Catcher) bool { return Matches(c.ErrorEquals, name) })
	if i < 0 {
		return nil
	}
	return &catchers[i]
}

// Output is the input of the state that the catcher goes to.
func (c *Catcher) Output(input *Value, caught Failure) (*Value, *Failure) {
	return putResult(c.resultPath, input, TreeValue(map[string]any{"Error": caught.Error, "Cause": caught.Cause}))
}

func place(o *object, field string, i int) string { return fmt.Sprintf("%s/%s/%d", o.at, field, i) }

// readErrorEquals takes the list of names; States.ALL stands alone, at the end.
func readErrorEquals(e *object, last bool) []string {
	names, _ := typed[[]string](e, "ErrorEquals", "an array of strings")
	if len(names) == 0 {
		e.fail("ErrorEquals", "must name at least one error")
	}
	if slices.Contains(names, ErrAll) && (len(names) > 1 || !last) {
		e.fail("ErrorEquals", "States.ALL must appear alone, and in the last element")
	}
	for _, name := range names {
		if strings.HasPrefix(name, "States.") && !slices.Contains(knownErrors, name) {
			e.fail("ErrorEquals", "%.80q is not an error name of the language", name)
		}
	}
	return names
}

// knownErrors may be named; the prefix States. is reserved to the language.
var knownErrors = []string{
	ErrAll, ErrRuntime, ErrTimeout, ErrHeartbeatTimeout, ErrTaskFailed, ErrDataLimitExceeded,
	ErrNoChoiceMatched, ErrResultPathMatchFailure, "States.ParameterPathFailure", "States.Permissions",
	"States.BranchFailed", "States.IntrinsicFailure", "States.ExceedToleratedFailureThreshold",
	"States.ItemReaderFailed", "States.ResultWriterFailed", "States.Http.Socket",
}
