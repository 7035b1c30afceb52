package bedrock

import (
	"regexp"
	"strconv"
	"strings"
)

// traits are what a model takes that not every model does. One that does not take
// it refuses the whole request.
type traits struct {
	// caches: marks for the cache in the system prompt and behind what a user says;
	// cachesTools: behind tools and their results too.
	caches, cachesTools bool
	// status: a tool's result may say that it is an error's.
	status bool
	// budget: thinking is a number of tokens; adaptive: an effort.
	budget, adaptive bool
	// shows: thinking comes without its text, unless that is asked for.
	shows bool
	// stoppable: it may have to be told not to think; thinks: it does by itself.
	stoppable, thinks bool
}

var (
	claude = regexp.MustCompile(`claude-(?:([a-z]+)-)?(\d{1,2})(?:-(\d{1,2}))?(?:-|:|$)`)
	nova   = regexp.MustCompile(`\bnova-(2-)?(micro|lite|pro|premier)\b`)
)

// traitsOf reads the id of a model or of an inference profile, or an ARN of either.
func traitsOf(id string) traits {
	id = strings.ToLower(id)
	if m := claude.FindStringSubmatch(id); m != nil {
		return claudeTraits(id, m[1], version(m[2], m[3]))
	}
	// Nova refuses marks in its tools, and in a message that holds results.
	return traits{caches: nova.MatchString(id), status: nova.MatchString(id)}
}

// version is 405 for 4.5.
func version(major, minor string) int {
	a, _ := strconv.Atoi(major) // digits, or nothing
	b, _ := strconv.Atoi(minor)
	return 100*a + b
}

func claudeTraits(id, name string, v int) traits {
	caches := v > 305 || strings.Contains(id, "claude-3-5-haiku")
	return traits{
		caches: caches, cachesTools: caches, status: v >= 300,
		budget: v >= 307 && v < 406, adaptive: v >= 406, shows: v >= 407,
		stoppable: v >= 500 && name != "fable" && name != "mythos", // those always think, and refuse to be told
		thinks:    v >= 500 && (name == "opus" || name == "sonnet"),
	}
}
