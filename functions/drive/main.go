// Command drive runs rounds of a turn for the state machine.
package main

import (
	"windlass/functions/harness"
	"windlass/functions/harness/providers"
	"windlass/functions/harness/secrets"
	"windlass/functions/harness/tools"
)

func main() { harness.Main(harness.Drive(providers.All, tools.All, secrets.AWS)) }
