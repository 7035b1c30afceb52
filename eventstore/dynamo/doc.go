// Package dynamo is the [eventstore.Driver] over one DynamoDB table with a
// string partition key "pk" and a string sort key "sk". The runtime uses it
// wherever it runs.
//
// # Items
//
// A commit is pk = [eventstore.RecordPartition], sk = [eventstore.SeqKey] of its
// first seq, kind "commit", n, last, id, by, at, wake, settles, summary, body. A claim is
// pk, sk = [eventstore.ClaimKey], kind "claim", data. A row is its own key, kind
// and data. Absent is what is empty: by, wake, settles, summary. These forms are stored
// for years; golden files hold them.
//
// # Delivery
//
// A commit alone is one conditional PutItem. With a claim or rows it is one
// TransactWriteItems in the fixed order claim, commit, rows. Nothing is ever retried here or in the SDK ([Options]): the SDK's
// retry of a stored write whose answer was lost looks like a lost race. Every
// read is strongly consistent.
//
// # Law
//
// It must never import anything of Windlass but eventstore and its events.
package dynamo
