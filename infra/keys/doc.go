// Command keys makes and revokes API keys of a deployed stack, and says how long tenants'
// sessions are kept. It reads the stack's
// outputs, as sam prints them:
//
//	sam list stack-outputs --stack-name windlass --output json | keys create TENANT
//	… | keys retain TENANT 90d|12h|forever|default
//	… | keys revoke ID
//	… | keys lend COMMAND…
//
// create prints a new key, once: the stack keeps its SHA-256. On standard error it
// prints the key's id, by which it is revoked. lend runs a command with the URL and with
// keys of two tenants of its own (WINDLASS_TEST_URL, WINDLASS_TEST_KEY,
// WINDLASS_TEST_OTHER_KEY), and revokes them when it is over.
//
// AWS is reached as its own tools reach it: by the usual variables and files. Nobody
// but who may write to the live table can make a key; no function can.
package main
