// Package patch reads patches as language models write them, and applies them to
// texts: unified diffs, with or without git's headers, and the form that is set
// between "*** Begin Patch" and "*** End Patch".
//
// Its law: it is pure, and never guesses. A hunk goes where its lines say, first
// byte by byte, then without regard to spaces at a line's end, then at both ends;
// where that is no place or several, it is an error that says what was found. What
// the file has of a hunk's context stays as the file has it. It never imports
// anything of this module.
package patch
