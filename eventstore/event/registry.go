package event

import (
	"encoding/json"
	"fmt"
)

// known maps each name and version that this build writes to its decoder.
var known = map[string]map[int]func(json.RawMessage) (Payload, error){}

func register[P Payload]() {
	var p P
	if known[p.EventType()] == nil {
		known[p.EventType()] = map[int]func(json.RawMessage) (Payload, error){}
	}
	known[p.EventType()][p.EventVersion()] = func(raw json.RawMessage) (Payload, error) {
		var p P
		if err := json.Unmarshal(raw, &p); err != nil {
			return nil, err
		}
		return p, nil
	}
}

func init() {
	register[SessionOpened]()
	register[SessionRetained]()
	register[SessionDeleted]()
	register[OperationAccepted]()
	register[OperationStarted]()
	register[OperationResumed]()
	register[OperationCompleted]()
	register[OperationFailed]()
	register[OperationCancelRequested]()
	register[OperationCancelled]()
	register[OperationWarned]()
	register[MessageSteered]()
	register[ModelStarted]()
	register[ModelCompleted]()
	register[ModelFailed]()
	register[ToolStarted]()
	register[ToolCompleted]()
	register[ToolFailed]()
	register[ToolUnknown]()
	register[ToolDeferred]()
	register[ToolAnswered]()
	register[ApprovalRequested]()
	register[ApprovalResolved]()
	register[TranscriptCompacted]()
	register[TranscriptRepaired]()
	register[ChildSubmitted]()
	register[ChildSettled]()
	register[ChildAbandoned]()
	register[WorkspaceWritten]()
	register[WorkspaceDeleted]()
}

func decode(name string, version int, raw json.RawMessage) (Payload, error) {
	if len(raw) == 0 {
		return nil, fmt.Errorf("no data")
	}
	if f := known[name][version]; f != nil {
		return f(raw)
	}
	return Unknown{Name: name, Version: version, Raw: raw}, nil
}
