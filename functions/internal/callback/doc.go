// Package callback makes and reads the URLs by which the outside reports what became of
// a call that ends later.
//
// Its law: the URL is the authorisation, for that one call and nothing else. It names a
// step and is signed; whether the step still waits for an answer the log alone knows, so
// a URL is the same for every repetition of its call and needs no row and no expiry.
package callback
