// Package bedrock asks a model on Amazon Bedrock, over its Converse API: one
// protocol for the models of all makers.
//
// Its law: one call is one request. The SDK's retries are off, and the request
// follows from the transcript alone: what stays the same comes first, and each
// message is written the same in every round. What models differ in is decided by
// the model's id, in one place, [traits]; of a model whose id tells nothing, such as
// an application inference profile, only what every model takes is asked. Reasoning
// goes back only with its proof, byte for byte, to the model that gave it.
//
// What is relied on: an answer ends with messageStop, and its tokens come behind it.
// The SDK takes a connection that breaks within a frame for the end of the stream, so
// frames are watched here. An error names AWS's status and codes, never its text,
// which may quote the prompt.
//
// It must never import the loop, the log or another provider.
package bedrock
