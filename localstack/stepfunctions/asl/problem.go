package asl

import (
	"fmt"
	"strings"
)

// Problem codes, as AWS names them.
const (
	invalidJSON             = "INVALID_JSON_DESCRIPTION"
	schemaFailed            = "SCHEMA_VALIDATION_FAILED"
	missingTransitionTarget = "MISSING_TRANSITION_TARGET"
)

// maxProblems bounds the message of a definition that is wrong throughout.
const maxProblems = 10

// Problem is one thing that is wrong with a definition: what, and where as a
// slash-separated place in the document.
type Problem struct {
	Code, What, At string
}

// DefinitionError lists what is wrong with a definition.
type DefinitionError struct {
	Problems []Problem
}

func (e *DefinitionError) Error() string {
	texts := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		texts[i] = fmt.Sprintf("%s: %s at %s", p.Code, p.What, p.At)
	}
	return "Invalid State Machine Definition: '" + strings.Join(texts, ", ") + "'"
}

type problems []Problem

func (p *problems) add(code, at, format string, args ...any) {
	if len(*p) < maxProblems {
		*p = append(*p, Problem{Code: code, What: fmt.Sprintf(format, args...), At: at})
	}
}
