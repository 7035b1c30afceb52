package event

// Parent is the call that a session exists for.
type Parent struct {
	Session   string `json:"session"`
	Operation string `json:"operationId"`
	Round     int    `json:"round"`
	Index     int    `json:"index"`
	// Depth counts the parents above, from 1.
	Depth int `json:"depth"`
}

// ChildSubmitted says that a call is another agent's to carry out, in a session of its
// own. It is in the log before the child is: whoever drives hands it over, as often
// as it takes.
type ChildSubmitted struct {
	Index int `json:"index"`
	// Session and Operation are the child's; they follow from the step, so that it is
	// begun once.
	Session   string `json:"session"`
	Operation string `json:"operationId"`
	Agent     string `json:"agent"`
}

// ChildSettled brings what became of a child. The call's result follows.
type ChildSettled struct {
	Index int `json:"index"`
	// Status is completed, failed or cancelled.
	Status string `json:"status"`
	// Output is of completed, Error of the others.
	Output *Value `json:"output,omitempty"`
	Error  *Error `json:"error,omitempty"`
	Usage  Usage  `json:"usage"`
}

// ChildAbandoned says that the parent has ended before its child: it is to be
// cancelled.
type ChildAbandoned struct {
	Index     int    `json:"index"`
	Session   string `json:"session"`
	Operation string `json:"operationId"`
}

func (ChildSubmitted) EventType() string { return "child.submitted" }
func (ChildSubmitted) EventVersion() int { return 1 }
func (ChildSettled) EventType() string   { return "child.settled" }
func (ChildSettled) EventVersion() int   { return 1 }
func (ChildAbandoned) EventType() string { return "child.abandoned" }
func (ChildAbandoned) EventVersion() int { return 1 }
