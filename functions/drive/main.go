// Command drive runs rounds of a turn for the state machine.
package main

import "windlass/functions/harness"

func main() { harness.Main("drive") }
