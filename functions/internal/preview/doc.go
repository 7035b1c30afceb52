// Package preview shows what a model says while it says it: it takes a running
// answer as it arrives, posts it to those who follow the session, and keeps the text
// so far in one row of the live table, so that who comes late, or after the driver was
// killed, sees it too.
//
// Its law: a turn never waits for it, and never hears of it. What goes wrong here is
// dropped. Nothing that it shows counts; the log alone does.
//
// # Who sees what
//
// Each connection has a cursor for each kind of text. What could not be posted comes
// with the next frame, so a client sees a hole only if more was said meanwhile than is
// kept. A connection that a later reading of the subscribers finds begins at what the
// row held when the reading before it began: it subscribed after that reading, and
// reads the row after it has subscribed, so what it read is that or newer. Overlaps
// are the client's to trim, by their offsets: package wsapi's README.md has its rule.
//
// # The row
//
//	pk "preview#{tenant}#{session}"  sk "preview"  {operation, round, attempt, run, place, text, textFrom, reasoning, reasoningFrom}
//
// It is overwritten, never by an older run, attempt or round of the same operation.
// Another operation may always overwrite it: ids have no order, and a reader compares
// it with the head of the log anyway. Of a long text it holds the end, and where that
// begins.
//
// It imports neither the loop nor a model, and decides nothing for them. It deletes no
// connection: a post that finds one gone is told to publish, too, which may.
package preview
