// Command api answers the HTTP API.
package main

import "windlass/functions/harness"

func main() { harness.Main(harness.API) }
