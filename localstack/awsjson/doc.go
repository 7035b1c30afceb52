// Package awsjson is the server side of the AWS JSON protocol (1.0 and 1.1):
// one POST, an X-Amz-Target header that names the operation, a JSON body, coded
// errors. It also has [Transport], by which an SDK client in the same process
// reaches a handler without a socket.
//
// Its law: nothing is ignored. An operation or a field that is not known, and
// one that is known but not modelled, is refused with a code and its name.
//
// It knows no service. It must never import another package of this module.
package awsjson
