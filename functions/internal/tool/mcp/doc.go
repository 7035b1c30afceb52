// Package mcp is the tools of MCP servers, over streamable HTTP and the official SDK.
//
// Its law: a server is not trusted. What it says of its tools is bounded text; what it
// says of their effects counts only where the configuration says so, and a tool that
// nothing is said of is called once; a server reaches nothing of ours, neither files
// nor models nor a person. Its address is checked like any other (package outside)
// unless the configuration calls it internal.
//
// A list of tools is fetched once and kept for a while, ordered by name, so that the
// requests of a turn begin with the same bytes. A server that cannot be reached ends
// no turn: its tools are those it had, or none, and the tool mcp_status says why.
//
// A call is sent once. One of the class once that a server may have received, and that
// brought no answer, is [tool.ErrUnknown]. A lost session is opened again, and the call
// sent again only where the server cannot have begun it.
package mcp
