// Package tools runs whole turns whose tools act outside of the system: requests over
// HTTP, Lambda functions, MCP servers, other agents. The real process is reached by its
// public API alone, asks a local server that speaks a model's protocol, and is killed
// while a call is under way. The services outside count what they were told to do.
package tools
