// Package outside is what all tools have in common that reach something outside the
// system: which addresses may be dialled ([Network]), secrets by name ([Secrets]),
// what became of a request that brought no answer ([Lost]), configurations
// ([Read]) and arguments whose schema somebody else wrote ([Define]).
//
// Its law: a configuration names secrets and never holds one; no error and no log
// line holds a secret, a header, a body or a URL's query; an address is checked
// where it is dialled, and nowhere else is it resolved.
package outside
