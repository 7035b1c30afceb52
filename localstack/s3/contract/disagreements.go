package contract

// disagreements lists, by emulator, the cases that it is known to fail, with
// what it does instead. AWS itself has none.
var disagreements = map[string][]Exception{
	"moto": { // 5.2.5, November 2026, its server with default settings
		{"headers and metadata", "metadata over 2 KB is accepted"},
		{"keys too long", "accepted"},
		{"conditional reads", "If-Unmodified-Since is heard although If-Match holds"},
		{"checksums default", "no CRC64NVME is computed for an object without checksum"},
		{"wrong digests store nothing", "no digest of any kind is verified"},
		{"list pages", "max-keys over 1,000 is neither refused nor lowered"},
		{"list refusals", "a foreign token and an unknown encoding are accepted, a negative max-keys is a server error"},
		{"delete objects", "a key with a line break in it cannot be put"},
		{"copy refusals", "If-None-Match on a copy is ignored"},
		{"buckets", "names that are no names and unknown regions are accepted"},
		{"expected bucket owner", "ignored"},
		{"presigned put refusals", "signatures and signed headers are not verified"},
		{"presigned get", "signatures are not verified"},
		{"presigned expiry", "URLs never expire"},
		{"unsigned requests", "a PUT without signature is accepted"},
		{"transfer-encoding", "a body of unknown length is stored"},
	},
}

// exceptions are those of the endpoint named in WINDLASS_TEST_S3_IS.
func exceptions(emulator string) []Exception { return disagreements[emulator] }
