package contract

// disagreements lists, by emulator, the cases that it is known to fail, with
// what it does instead. AWS itself has none.
var disagreements = map[string][]Exception{
	"moto": { // 5.x, November 2026
		{"types round-trip", "numbers are stored as they were spelt"},
		{"transaction limits", "an empty transaction is accepted"},
		{"transaction reasons in order", "an impossible update is a ValidationException instead of a reason"},
		{"transaction reads", "the projection of a Get in a transaction is ignored"},
		{"token repeated", "a repeated token applies the transaction again"},
		{"token with other parameters", "tokens are not compared"},
		{"query ranges", "a sort key of the wrong type is a server error"},
		{"query pages", "no last key when the limit is reached at the end; a limit of 0 is a server error"},
		{"page of 1 MB", "sizes count the JSON around the values"},
		{"item of 400 KB", "sizes count the JSON around the values"},
		{"transaction of 4 MB", "not enforced"},
		{"keys", "a key of the wrong type is accepted by GetItem"},
		{"expressions refused", "syntax errors are server errors; unused names, empty and self-comparing conditions are accepted"},
		{"fields refused", "values without expression, 39 digits, 1e126 and duplicate set members are accepted"},
		{"stream records", "a put that changes nothing makes a record"},
		{"consumed capacity", "a unit, or half of one, whatever the size; nothing of a transaction"},
	},
}

// exceptions are those of the endpoint named in WINDLASS_TEST_DYNAMODB_IS.
func exceptions(emulator string) []Exception { return disagreements[emulator] }
