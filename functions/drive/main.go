// Command drive runs rounds of a turn for the state machine.
package main

import (
	"windlass/functions/harness"
	"windlass/functions/harness/providers"
	"windlass/functions/harness/secrets"
)

func main() { harness.Main(harness.Drive(providers.All, secrets.AWS)) }
