package eventstore

import "time"

// Limits of one append, under DynamoDB's own (400 KB an item, 100 actions and
// 4 MB a transaction), with room for keys and attributes. Exceeding one is
// [TooLarge] or [Invalid] before anything is sent.
const (
	// SpillBody is the size, in bytes, over which a commit's events stand apart from
	// its item. It keeps items, pages and stream records small.
	SpillBody = 32 << 10
	// MaxBody bounds a commit's encoded events, in bytes, where they can stand apart;
	// MaxInlineBody where they cannot.
	MaxBody       = 16 << 20
	MaxInlineBody = 360 << 10
	// MaxBlob bounds one value that is written through the Journal, in bytes.
	MaxBlob = 64 << 20
	// MaxSummary bounds a commit's summary, in bytes.
	MaxSummary = 8 << 10
	// MaxRow bounds one row's data, in bytes.
	MaxRow = 64 << 10
	// MaxRows bounds the rows of one commit.
	MaxRows = 20
	// MaxEvents bounds the events of one commit.
	MaxEvents = 5000
	// MaxID bounds tenants, sessions and claimed keys, in bytes.
	MaxID = 128
	// MaxName bounds a driver's name, a fingerprint, a row's kind and each part of
	// its key, in bytes.
	MaxName = 1 << 10
	// MaxSeq is the last seq of a stream: 2^53 - 1.
	MaxSeq = 1<<53 - 1
	// TombstoneLife is how long the commit that closed a stream stays at least, where the
	// backend lets items expire: so long no other stream can have its name.
	TombstoneLife = 366 * 24 * time.Hour
	// PageBytes is about what one read of records holds.
	PageBytes = 1 << 20
)
