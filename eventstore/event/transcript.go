package event

// TranscriptCompacted says that the model is shown a summary in place of the
// conversation's beginning. The log keeps all of it.
type TranscriptCompacted struct {
	// Items is how many of the transcript's items, from the first, the summary stands
	// for. It is never between a call and its result.
	Items   int   `json:"items"`
	Summary Value `json:"summary"`
	// Longest bounds how much of each call's arguments, and of its result, before this
	// event the model is shown, in bytes; 0 for no bound.
	Longest int64 `json:"longest,omitempty"`
	// TokensBefore and TokensAfter are estimates of what the model is shown.
	TokensBefore int64 `json:"tokensBefore"`
	TokensAfter  int64 `json:"tokensAfter"`
	// Model is "provider/name" of the one that wrote the summary.
	Model   string `json:"model"`
	Usage   Tokens `json:"usage"`
	CostUSD USD    `json:"costUsd,omitempty"`
}

// Kinds of Repair.
const (
	// RepairText: text held what not every provider can read; it was replaced.
	RepairText = "text_replaced"
	// RepairArguments: a call's arguments were no JSON object; the model was shown none.
	RepairArguments = "arguments_replaced"
	// RepairResult: a call had no result; the model was shown that it is lost.
	RepairResult = "result_added"
	// RepairOrphan: a result had no call; it was left out.
	RepairOrphan = "result_dropped"
	// RepairFile: a file was of a kind that the provider does not take; its name was
	// shown instead.
	RepairFile = "file_named"
	// RepairInPart: a text was too long for any model; its ends were shown.
	RepairInPart = "shown_in_part"
	// RepairNative: the provider refused its own opaque material; from here it is not
	// given what stands before.
	RepairNative = "native_dropped"
	// RepairFilesRefused: the provider refused the files; from here those that stand
	// before are named, to every model.
	RepairFilesRefused = "files_refused"
)

// TranscriptRepaired says that what a model was shown differs from the log.
type TranscriptRepaired struct {
	// Items is how many of the transcript's items have been looked at.
	Items   int      `json:"items"`
	Repairs []Repair `json:"repairs"`
}

// Repair is one item's.
type Repair struct {
	Kind string `json:"kind"`
	// Item is its place in the transcript, from 1.
	Item int `json:"item"`
}

func (TranscriptCompacted) EventType() string { return "transcript.compacted" }
func (TranscriptCompacted) EventVersion() int { return 1 }
func (TranscriptRepaired) EventType() string  { return "transcript.repaired" }
func (TranscriptRepaired) EventVersion() int  { return 1 }
