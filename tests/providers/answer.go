package providers

// Answer is what a server says to one request.
type Answer struct {
	Parts []Part
	// Stop is end, tools, length, refusal or pause; empty for end, or for tools if there are
	// calls.
	Stop  string
	Usage Usage

	// Hold, if given, is called before each piece that is sent: it may wait. False drops
	// the connection.
	Hold func(piece int) bool
	// Drop ends the connection after the parts, without an end of the answer.
	Drop bool
	// Broken is the code of an error inside the stream, after the parts.
	Broken string

	// Status is that of an error in place of an answer, if not 0; Code and Message say
	// which; RetryAfter is the header.
	Status                    int
	Code, Message, RetryAfter string
}

// Part is one piece of an answer.
type Part struct {
	// Text and Reasoning are sent in several deltas.
	Text, Reasoning string
	// Signature is the provider's opaque proof of the reasoning; with no reasoning it is
	// redacted, or encrypted, altogether.
	Signature string
	Call      *Call
}

// Call is a tool call; Arguments are sent as they are.
type Call struct{ ID, Name, Arguments string }

// Usage counts tokens. Input holds the cached and the written ones, Output the
// reasoning's.
type Usage struct{ Input, Output, Cached, CacheWrite, Reasoning int64 }

func (a Answer) stop() string {
	if a.Stop != "" {
		return a.Stop
	}
	for _, p := range a.Parts {
		if p.Call != nil {
			return "tools"
		}
	}
	return "end"
}

// pieces cuts a text into deltas, of a few bytes each, at the ends of characters.
func pieces(s string) (all []string) {
	const size = 7
	begin := 0
	for i := range s {
		if i-begin >= size {
			all, begin = append(all, s[begin:i]), i
		}
	}
	if begin < len(s) {
		all = append(all, s[begin:])
	}
	return all
}
