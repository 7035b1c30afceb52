// Package scripted is a provider without a model: its answers follow from the
// request alone, so a turn can be tried, tested and measured without an account.
// "demo" carries out one kind of request, "stress" makes load to order.
package scripted
