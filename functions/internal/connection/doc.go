// Package connection is what is known about WebSocket connections, and the way to
// them.
//
// # Rows
//
// [Table] keeps them in the live table:
//
//	pk "ticket#{hex SHA-256}"             sk "ticket"                               {tenant, key, until?, session?, expiresAt}
//	pk "connection#{id}"                  sk "connection"                           {tenant, key, session?, openedAt, closesAt, subscriptions}
//	pk "connection#{id}"                  sk "subscription#{session}#{operation}"   {tenant, session, operation?}
//	pk "subscribers#{tenant}#{session}"   sk "{connection}#{operation}"             {connection, operation?, key, closesAt}
//
// Every row has its kind and expires, the second after which DynamoDB may delete
// it. It may do so days later, so a row past that second counts as gone.
//
// # Law
//
// A subscription is two rows that come and go in one transaction with the count in
// the connection's row. So none is added to a connection that is gone, none is
// counted twice, and what belongs to a connection is found from its own partition.
// A row that is left behind all the same, because a query saw half of a
// transaction, is harmless: a post to it is answered [ErrGone], and [Table.Forget]
// may be called any number of times.
//
// # Delivery
//
// [Posts] sends each frame once, and never again: the client owns its cursor and
// asks for what it missed.
//
// It must never import the log's drivers, nor decide what a frame says.
package connection
