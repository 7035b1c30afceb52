// Package flaky wraps an [eventstore.Driver] and misbehaves by script, as
// networks and backends do: it refuses, it stores and loses the answer, it sends
// twice, it holds a request back until long after its sender gave up.
//
//	d := flaky.New(memory.New(), flaky.Script{
//		{When: flaky.Nth(flaky.Append, 1), Do: flaky.Lose},
//		{When: flaky.Reads, Do: flaky.Throttle},
//	})
//
// Its law: it decides by the script alone and never by time or chance, so the
// same calls in the same order meet the same faults. It invents nothing either:
// every fault is one that the contract of Driver allows, and what reaches the
// wrapped driver is what was sent.
//
// It must never import anything of Windlass but eventstore.
package flaky
