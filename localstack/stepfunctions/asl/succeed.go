package asl

// Succeed ends the execution with its output.
type Succeed struct {
	Transition
	Flow
}

func readSucceed(o *object) State {
	return &Succeed{Flow: Flow{InputPath: o.pathOrNull("InputPath"), OutputPath: o.pathOrNull("OutputPath")}}
}
