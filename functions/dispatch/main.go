// Command dispatch starts turns, from the log table's stream.
package main

import "windlass/functions/harness"

func main() { harness.Main("dispatch") }
