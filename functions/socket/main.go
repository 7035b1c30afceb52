// Command socket answers the WebSocket API.
package main

import "windlass/functions/harness"

func main() { harness.Main(harness.Socket) }
