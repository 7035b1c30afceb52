// Command dispatch starts turns, from the log table's stream.
package main

import (
	"windlass/functions/harness"
	"windlass/functions/harness/secrets"
)

func main() { harness.Main(harness.Dispatch(secrets.AWS)) }
