package event

// WorkspaceWritten puts a file into the session's workspace, or replaces it.
// It stands in the same commit as its writer's result, or before it.
type WorkspaceWritten struct {
	// Path begins with "/".
	Path string `json:"path"`
	// SHA256 is the content's, in lower-case hex.
	SHA256 string `json:"sha256"`
	Bytes  int64  `json:"bytes"`
	// ContentType is the media type, such as "text/plain; charset=utf-8".
	ContentType string `json:"contentType"`
	Content     Value  `json:"content"`
}

// WorkspaceDeleted takes a file out of the session's workspace. What it held
// stays in the log.
type WorkspaceDeleted struct {
	Path string `json:"path"`
}

func (WorkspaceWritten) EventType() string { return "workspace.written" }
func (WorkspaceWritten) EventVersion() int { return 1 }
func (WorkspaceDeleted) EventType() string { return "workspace.deleted" }
func (WorkspaceDeleted) EventVersion() int { return 1 }
