// Command localstack is the embedded stack: the whole of Windlass in one
// process over one data directory.
//
// It reads template.yaml and serves the product's own handlers, built by
// functions/harness, over a strict and durable subset of AWS. Its law: the
// product cannot tell. The handlers make the same SDK calls, and are called with
// the same events, as on AWS; recovery is the resumed execution, dispatch or
// recover, and never a scan at the start. Calls of this process itself are signed
// only if it is to be known who makes them ([unsigned]); what comes over a socket is
// signed always.
//
// This package only joins parts that do not know each other; each file of it is
// one joint. See README.md for the picture, the settings and what holds after a
// kill.
package main
