package transcript

import (
	"strings"

	"windlass/eventstore/event"
)

// The estimator: a token is three bytes. English is four to five a token, code and
// JSON about three and a half, other scripts two to three: an estimate that is too
// high compacts early, one that is too low is refused by the provider.
const (
	bytesPerToken = 3
	perItem       = 6
	// perImage is what providers count at most for a picture that they scale down.
	perImage = 1600
)

// EstimateTokens is how many tokens so many bytes of text are.
func EstimateTokens(bytes int64) int64 { return (bytes + bytesPerToken - 1) / bytesPerToken }

// tokens estimates an item that is shown as far as longest; 0 is its own bound.
// Reasoning counts by what is given back of it.
func (it Item) tokens(longest int64) int64 {
	if longest == 0 || longest > it.longest() {
		longest = it.longest()
	}
	bytes := min(it.Output.Len(), longest)
	if it.Kind == ToolCall && it.Call != nil {
		bytes = min(it.Call.Arguments.Len(), longest)
	}
	if it.Kind == ToolCall && it.Call != nil {
		bytes += int64(len(it.Call.Name))
	}
	if it.Kind != Reasoning {
		bytes += min(it.Text.Len(), longest)
	}
	if it.Error != nil {
		bytes += int64(len(it.Error.Code) + len(it.Error.Message))
	}
	if it.Native != nil {
		bytes += it.Native.Len()
	}
	n := perItem + EstimateTokens(bytes)
	if it.Kind == User {
		for _, f := range it.Files {
			n += fileTokens(f)
		}
	}
	return n
}

func fileTokens(f event.File) int64 {
	if strings.HasPrefix(f.Type, "image/") && !strings.HasPrefix(f.Type, "image/svg") {
		return perImage
	}
	return EstimateTokens(f.Content.Len())
}
