// Package index is the rows that commits move along with the log: what lists
// and single look-ups need without folding it.
//
//	{tenant}#{session}#operation  {firstSeq}                   one operation, moved when accepted and when settled
//	{tenant}#session              {openedAt}#{session}         one session, put when it is opened
//	#unsettled#{shard}            {tenant}#{session}#{firstSeq}  one operation that is not settled; recover reads these
//	#expiring#{shard}             {expiresAt}#{tenant}#{session}#{seq}  one session that may be deleted then; recover reads these
//
// Ids hold no "#", so no key can be read in two ways. The unsettled and the
// expiring rows alone begin with no tenant, because recover looks across all of them; no request
// reaches those partitions.
//
// Its law: pure. A row never says more than the commit it was moved by.
package index
