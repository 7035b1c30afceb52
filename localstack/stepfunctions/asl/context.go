package asl

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// Context is the context object of one state of one execution ($$).
type Context struct {
	ExecutionID, ExecutionName, StartTime string
	StateMachineID, StateMachineName      string
	StateName, EnteredTime                string
	RetryCount                            int
	TaskToken                             string     // "" outside a .waitForTaskToken task
	Input                                 func() any // the execution's input, read only when a path names it
}

type contextField string

const (
	executionInput contextField = "Execution.Input"
	taskToken      contextField = "Task.Token"
)

// contextFields are the places that may be named, so that a mistyped one is
// found when the machine is created.
var contextFields = map[contextField]func(*Context) any{
	"Execution.Id":        func(c *Context) any { return c.ExecutionID },
	"Execution.Name":      func(c *Context) any { return c.ExecutionName },
	"Execution.StartTime": func(c *Context) any { return c.StartTime },
	executionInput:        func(c *Context) any { return c.Input() },
	"State.Name":          func(c *Context) any { return c.StateName },
	"State.EnteredTime":   func(c *Context) any { return c.EnteredTime },
	"State.RetryCount":    func(c *Context) any { return json.Number(strconv.Itoa(c.RetryCount)) },
	"StateMachine.Id":     func(c *Context) any { return c.StateMachineID },
	"StateMachine.Name":   func(c *Context) any { return c.StateMachineName },
	taskToken:             func(c *Context) any { return c.TaskToken },
}

// resolveContext checks a $$ path against the fields there are.
func (p *Path) resolveContext() error {
	var names []string
	for _, s := range p.steps[:min(2, len(p.steps))] {
		names = append(names, s.name)
	}
	p.context = contextField(strings.Join(names, "."))
	if _, known := contextFields[p.context]; !known || len(names) < 2 {
		return fmt.Errorf("%q names no field of the context object that is supported here", p.text)
	}
	if len(p.steps) > 2 && p.context != executionInput {
		return fmt.Errorf("%q goes below a field that has nothing below it", p.text)
	}
	return nil
}

func (c *Context) field(f contextField) (any, bool) {
	if f == taskToken && c.TaskToken == "" {
		return nil, false
	}
	return contextFields[f](c), true
}
