// Package web is the tools that send HTTP requests: http_read, http_idempotent and
// http_once, one for each class of repetition that a configuration allows something of.
//
// Its law: a request goes only where a rule of the configuration lets it. The rule is
// looked for again at every redirect, the address is checked where it is dialled
// (package outside), and a secret is put in after the model's part, for the host that
// the call named and for no other. Nothing of a URL's query, a header or a body is
// logged. A private address is reached only by a rule that names its host in full and
// calls it private.
//
// A response, whatever its status, is what a call comes to. A call of the class once
// that may have been received and brought no response is [tool.ErrUnknown]; one that
// was certainly not sent is a failure, and may be made again.
package web
