// Command recover starts again what was left behind.
package main

import "windlass/functions/harness"

func main() { harness.Main(harness.Recover) }
