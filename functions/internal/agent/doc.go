// Package agent reads agent definitions: instructions, model, tools and limits
// under a name.
//
// Its law: a turn uses the definition that was pinned when its operation was
// accepted, to its end, whatever is deployed meanwhile. So a definition is a
// value with one canonical JSON, known by that JSON's SHA-256.
package agent
