package anthropic

import (
	"slices"
	"strconv"
	"strings"

	"windlass/functions/internal/model"
	"windlass/functions/internal/projection"
)

// version is a Claude model's, such as 4.6; the zero one is of a model that is none.
type version struct{ major, minor int }

// newest is taken for a Claude whose name has no version.
var newest = version{99, 0}

func (v version) before(major, minor int) bool {
	return v.major < major || v.major == major && v.minor < minor
}

// claude reads the version from a name: gateways and clouds put things before and
// behind it, older names have the version before the family, and dates are none.
func claude(name string) version {
	_, rest, found := strings.Cut(strings.ToLower(name), "claude")
	if !found {
		return version{}
	}
	var numbers []int
	for _, word := range strings.FieldsFunc(rest, func(r rune) bool { return strings.ContainsRune("-._@:/", r) }) {
		n, err := strconv.Atoi(word)
		if err == nil && len(word) <= 2 && len(numbers) < 2 {
			numbers = append(numbers, n)
		} else if len(numbers) > 0 {
			break
		}
	}
	switch len(numbers) {
	case 0:
		return newest
	case 1:
		return version{numbers[0], 0}
	}
	return version{numbers[0], numbers[1]}
}

// longestAnswer is max_tokens where the caller names none. The API wants it, and
// refuses more than the model's own limit, which its table of models gives: 128,000
// from 4.6 on, 64,000 for 4.5, 32,000 for the smallest of 4, 8,192 for 3.5, 4,096
// before. Half of the largest leaves room in a window of 200,000. For a model that is
// no Claude it is what clients of this API commonly ask for.
func longestAnswer(v version) int {
	switch {
	case v == version{}:
		return 32_000
	case v.before(3, 5):
		return 4_096
	case v.before(3, 7):
		return 8_192
	case v.before(4, 5):
		return 32_000
	}
	return 64_000
}

// thinking is how the model is told to think. Adaptive models choose the amount;
// those before 4.6 want a budget, in tokens.
type thinking struct {
	Type    string `json:"type"`
	Budget  int    `json:"budget_tokens,omitempty"`
	Display string `json:"display,omitempty"`
}

type outputConfig struct {
	Effort string `json:"effort"`
}

// budgets are for models that want one. The API's least is 1024.
var budgets = map[string]int{model.EffortLow: 2_048, model.EffortMedium: 8_192, model.EffortHigh: 24_576}

const leastBudget = 1024

// think turns an effort into settings.
//
//   - Nothing asked: nothing said, so the model does as its maker made it.
//   - Claude from 4.6: adaptive, and how much. The newest show nothing of it unless
//     asked for a summary.
//   - Claude from 5 with none: these think by default, and half of them refuse to be
//     told not to. All take the lowest effort.
//   - Claude 3.7 to 4.5, and what is no Claude: a budget; see [budget].
//   - Claude before 3.7 cannot.
func think(r model.Request, v version, most int) (*thinking, *outputConfig) {
	_, asked := budgets[r.Effort]
	switch {
	case r.Effort == model.EffortNone && !v.before(5, 0):
		return nil, &outputConfig{model.EffortLow}
	case !v.before(4, 6) && asked:
		return &thinking{Type: "adaptive", Display: "summarized"}, &outputConfig{r.Effort}
	case !v.before(4, 6) || v != version{} && v.before(3, 7):
		return nil, nil
	}
	n := budget(r, most)
	if n == 0 {
		return nil, nil
	}
	return &thinking{Type: "enabled", Budget: n}, nil
}

// budget is at most half of the answer, and 0 for no thinking. These models refuse to
// begin with it, or to leave it off, in the middle of an answer.
func budget(r model.Request, most int) int {
	n := budgets[r.Effort]
	if begun, thought := underWay(r.Messages); begun && !thought {
		return 0
	} else if thought {
		n = max(n, leastBudget)
	}
	if n = min(n, most/2); n < leastBudget {
		return 0
	}
	return n
}

// underWay: the request goes on with an answer, and that begins with thinking which
// is given back. All rounds of calls are one answer to the API, from the last message
// that has no result on.
func underWay(messages []projection.Message) (begun, thought bool) {
	var first projection.Message
	for _, m := range slices.Backward(messages) {
		if m.Role == projection.User && m.Parts[0].Result == nil {
			break
		}
		if m.Role == projection.Assistant {
			first, begun = m, true
		}
	}
	if !begun {
		return false, false
	}
	_, kind := given(first.Parts[0].Native)
	return true, isThinking(kind)
}

func isThinking(kind string) bool { return kind == "thinking" || kind == "redacted_thinking" }
