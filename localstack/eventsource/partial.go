package eventsource

import (
	"bytes"
	"encoding/json"
)

// A partialError is why a batch that the function answered is not settled.
type partialError string

func (e partialError) Error() string { return string(e) }

// firstFailure reads a function's partial failures by AWS's rules: no answer and
// an empty list are success; what is malformed, or names no record of the batch,
// fails the whole batch; of several the first counts, in the order of delivery.
func firstFailure(result []byte, entries []*entry) (int, error) {
	if len(bytes.TrimSpace(result)) == 0 {
		return len(entries), nil
	}
	var answer struct {
		Failures []struct {
			Identifier *string `json:"itemIdentifier"`
		} `json:"batchItemFailures"`
	}
	if err := json.Unmarshal(result, &answer); err != nil {
		return 0, err
	}
	place := map[string]int{}
	for i, e := range entries {
		place[e.record.Sequence] = i
	}
	first := len(entries)
	for _, f := range answer.Failures {
		if f.Identifier == nil {
			return 0, partialError("a failure without itemIdentifier")
		}
		i, ok := place[*f.Identifier]
		if !ok {
			return 0, partialError("itemIdentifier " + *f.Identifier + " is not of this batch")
		}
		first = min(first, i)
	}
	if first == len(entries) {
		return first, nil
	}
	return first, partialError("the function reported a failure")
}
