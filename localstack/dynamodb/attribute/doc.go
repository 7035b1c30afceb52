// Package attribute holds DynamoDB's values: the ten types, numbers of 38
// decimal digits, the wire form, the size rule, and keys that sort as AWS sorts.
//
// Its law: a value that decodes is a legal one in canonical form (numbers
// without superfluous digits, sets sorted and free of duplicates, members of
// maps in order of name), so equal values have equal text, and an item is stored
// as the very JSON in which it is answered.
//
// It may import jsonread; it must never import storage or HTTP.
package attribute
