// Package console is the web console: one page, its modules and styles, and the
// JavaScript client, for pages of this origin and for Node: the HTTP API lets in no
// other origin's pages.
//
// What stands in assets is served as it is: no build step, and no code but our own.
// The page speaks to the HTTP API and the socket like any client, with a key that
// its user gives it; it holds no data, so it is served without one.
//
// Its law: whatever a model, a tool or a file says is text. The page makes elements
// and sets their text, and its Content-Security-Policy lets in no script, style or
// connection but those that are named. A test walks the assets for anything else.
//
// It imports nothing of this module.
package console
