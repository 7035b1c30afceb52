package asl

import (
	"regexp"
	"slices"
	"time"
)

// Kind is how a task reaches its function.
type Kind int

const (
	Invoke             Kind = iota // arn:aws:states:::lambda:invoke
	InvokeAndWaitToken             // arn:aws:states:::lambda:invoke.waitForTaskToken
	FunctionARN                    // the function's own ARN: input is the payload, the answer is the result
)

const (
	invokeResource    = "arn:aws:states:::lambda:invoke"
	waitTokenResource = invokeResource + ".waitForTaskToken"
)

// Task runs a function.
type Task struct {
	Transition
	Flow
	Resource  string
	Kind      Kind
	Retry     []Retrier
	Catch     []Catcher
	timeout   limit
	heartbeat limit
}

// limit is a number of seconds, fixed or by path; zero is none.
type limit struct {
	field   string
	seconds int
	path    *Path
}

func (t *Task) targets() []target {
	all := t.Transition.targets()
	for _, c := range t.Catch {
		all = append(all, target{"Catch", c.Next})
	}
	return all
}

func readTask(o *object) State {
	t := &Task{
		Transition: o.transition(),
		Resource:   o.requiredText("Resource"),
		Flow: Flow{
			InputPath: o.pathOrNull("InputPath"), OutputPath: o.pathOrNull("OutputPath"), ResultPath: o.resultPath(),
			ResultSelector: o.template("ResultSelector"),
		},
		Retry:     readRetriers(o),
		Catch:     readCatchers(o),
		timeout:   readLimit(o, "TimeoutSeconds"),
		heartbeat: readLimit(o, "HeartbeatSeconds"),
	}
	if t.timeout.seconds > 0 && t.heartbeat.seconds >= t.timeout.seconds {
		o.fail("HeartbeatSeconds", "must be smaller than TimeoutSeconds")
	}
	t.readResource(o)
	return t
}

func readLimit(o *object, name string) limit {
	if o.has(name) && o.has(name+"Path") {
		o.fail(name, "both %s and %sPath are given", name, name)
	}
	return limit{field: name, seconds: o.whole(name, 1, maxSeconds, 0), path: o.path(name + "Path")}
}

var functionARN = regexp.MustCompile(`^arn:aws:lambda:[a-z0-9-]+:[0-9]{12}:function:([A-Za-z0-9_-]{1,64})(:\$LATEST)?$`)

func (t *Task) readResource(o *object) {
	switch {
	case t.Resource == invokeResource:
		t.Kind = Invoke
	case t.Resource == waitTokenResource:
		t.Kind = InvokeAndWaitToken
	case functionARN.MatchString(t.Resource):
		t.Kind = FunctionARN
	case t.Resource != "":
		o.fail("Resource", "resource %.120q is not supported here", t.Resource)
		return
	}
	if t.Kind != FunctionARN {
		checkInvokeParameters(o)
	}
	t.Parameters = o.template("Parameters")
	t.checkToken(o)
}

// checkInvokeParameters refuses what lambda:invoke has and this subset has not.
func checkInvokeParameters(o *object) {
	raw, given := o.members["Parameters"]
	if !given {
		o.fail("Parameters", "FunctionName is required")
		return
	}
	var ignored problems
	p := readObject(o.at+"/Parameters", raw, &ignored)
	if p.has("FunctionName") == p.has("FunctionName.$") {
		o.fail("Parameters", "exactly one of FunctionName and FunctionName.$ is required")
	}
	for name := range p.members {
		if !slices.Contains([]string{"FunctionName", "FunctionName.$", "Payload", "Payload.$"}, name) {
			o.fail("Parameters/"+name, "parameter is not supported here")
		}
	}
	if !p.has("FunctionName") {
		return
	}
	if text, _ := p.text("FunctionName"); FunctionName(text) == "" {
		o.fail("Parameters/FunctionName", "must be a function's name or ARN, unqualified or $LATEST")
	}
}

// checkToken refuses a wait for a token that nobody gets, and a token outside
// such a wait.
func (t *Task) checkToken(o *object) {
	given := t.Parameters != nil && t.Parameters.uses[taskToken]
	if t.Kind == InvokeAndWaitToken && !given {
		o.fail("Parameters", "$$.Task.Token must be passed to the function, or nobody can answer")
	}
	if t.Kind != InvokeAndWaitToken && given {
		o.fail("Parameters", "$$.Task.Token exists only with .waitForTaskToken")
	}
}

var functionNames = []*regexp.Regexp{
	functionARN,
	regexp.MustCompile(`^([A-Za-z0-9_-]{1,64})(:\$LATEST)?$`),
	regexp.MustCompile(`^[0-9]{12}:function:([A-Za-z0-9_-]{1,64})(:\$LATEST)?$`),
}

// FunctionName returns the bare name in a name, partial ARN or ARN; "" if it is
// none of these or is qualified by a version or alias.
func FunctionName(text string) string {
	for _, form := range functionNames {
		if m := form.FindStringSubmatch(text); m != nil {
			return m[1]
		}
	}
	return ""
}

// Limits returns how long one attempt may take and how far apart its heartbeats
// may be; 0 is no limit.
func (t *Task) Limits(input *Value, ctx *Context) (timeout, heartbeat time.Duration, failure *Failure) {
	if timeout, failure = t.timeout.duration(input, ctx); failure != nil {
		return 0, 0, failure
	}
	heartbeat, failure = t.heartbeat.duration(input, ctx)
	return timeout, heartbeat, failure
}

func (l limit) duration(input *Value, ctx *Context) (time.Duration, *Failure) {
	seconds := l.seconds
	if l.path != nil {
		var failure *Failure
		if seconds, failure = secondsAt(l.field+"Path", l.path, 1, input, ctx); failure != nil {
			return 0, failure
		}
	}
	return time.Duration(seconds) * time.Second, nil
}
