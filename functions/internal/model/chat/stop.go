package chat

import (
	"strings"

	"windlass/functions/internal/model"
	"windlass/functions/internal/model/wire"
)

// stops are the reasons to finish that mean more than an end; servers have many
// names for them. An unknown one is an end.
var stops = map[string]string{
	"length": model.StopLength, "max_tokens": model.StopLength, "max_output_tokens": model.StopLength, "model_length": model.StopLength, "model_context_window_exceeded": model.StopLength,
	"content_filter": model.StopRefusal, "safety": model.StopRefusal, "sensitive": model.StopRefusal, "refusal": model.StopRefusal,
}

// failures are reasons to finish that are none.
var failures = map[string]*model.Fault{
	"error": wire.ErrBrokeOff, "abort": wire.ErrBrokeOff, "network_error": wire.ErrBrokeOff,
	"insufficient_system_resource": {Code: model.Overloaded, Message: "the model provider ran out of resources in the middle of its answer"},
}

// finished is a finish_reason as the tables have it. Servers that have nothing to
// say yet write null, or a text like it.
func finished(reason wire.Text) string {
	s := strings.ToLower(string(reason))
	if s == "null" || s == "none" {
		return ""
	}
	return s
}
