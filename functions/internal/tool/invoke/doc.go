// Package invoke is the tools that call the deployment's own Lambda functions: one
// tool for each function that a configuration names.
//
// Its law: the model sees a tool's name and never a function's; no function is called
// that the configuration does not list; the SDK does not retry, because the class of
// the tool decides who may. A function receives
//
//	{"arguments": {...}, "idempotencyKey": "..."}
//
// where the key is the same for every repetition of a call and for no other call. A
// function of the class idempotent has to remember it; others may.
//
// One that may report later gets a "callbackUrl" too, and returns {"deferred": true}.
//
// What a function returns or throws is what a call comes to. A call of the class once
// that may have reached the function and brought no answer is [tool.ErrUnknown].
package invoke
