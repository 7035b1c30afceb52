// Package keyed asks a provider whose key is kept elsewhere and may be rotated while the
// process lives.
//
// Its law: the key is looked up for each question, and none is asked before somebody
// asks a question. A question that was refused before a word of the answer came is asked
// once more if meanwhile there is another key: the provider did not take it the first
// time, so nothing is done twice.
package keyed
