package projection

import "windlass/functions/internal/transcript"

// Item is an entry of a transcript with its values at hand.
type Item struct {
	transcript.Item
	// N is its place in the transcript, from 1.
	N int
	// Body is its text; of a call the arguments, of a result the output.
	Body string
	// InPart: the body is longer, and shown in part.
	InPart bool
	// Native is what its own model gave beside.
	Native string
	// Files are the contents of its files, in their order.
	Files []string
}

// size is what the item weighs, in bytes.
func (it Item) size() (n int64) {
	n = int64(len(it.Body) + len(it.Native))
	for _, f := range it.Files {
		n += int64(len(f))
	}
	return n
}
