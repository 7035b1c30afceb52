package projection

// Role says whose a message is.
type Role string

const (
	// User is the person, and the tools: results come in its messages.
	User Role = "user"
	// Assistant is the model.
	Assistant Role = "assistant"
)

// Message is all that one side says in a row. It has at least one part, and the
// next message is the other side's. In a user's message the results come first, in
// the order of their calls, and all of them.
type Message struct {
	Role  Role
	Parts []Part
}

// Part is one of its fields.
type Part struct {
	// Text is never empty, and never blank in an assistant's message.
	Text string
	// File is in a user's message alone.
	File *File
	// Native is what the asked model itself once gave, as its provider wrote it down:
	// reasoning, a signature. It is in an assistant's message alone.
	Native string
	// Call is in an assistant's message alone.
	Call *Call
	// Result is in a user's message alone.
	Result *Result
}

// File is a file that the protocol takes.
type File struct {
	Name string
	// Type is its media type, in lower case and without parameters.
	Type string
	Data string
}

// Call is a tool call of the model.
type Call struct {
	// ID is unique in the request.
	ID, Name string
	// Arguments is a JSON object.
	Arguments string
	// Native belongs to the call, as the asked model once gave it; else empty.
	Native string
}

// Result is what a tool call gave.
type Result struct {
	CallID, Name string
	// Output is never empty. Of a call that failed it is JSON: {"error":{"code","message"}}.
	Output string
	Failed bool
}
