// Command publish sends what is appended to those who follow it, from the log
// table's stream.
package main

import "windlass/functions/harness"

func main() { harness.Main(harness.Publish) }
