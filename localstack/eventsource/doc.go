// Package eventsource carries the records of a table's stream to functions, as
// Lambda's event source mappings do.
//
// Its law: at least once, in order for each partition key, however often the
// process is killed. A mapping's checkpoint is on disk and never stands beyond a
// record that has not been settled: delivered, filtered out, or given up and
// kept at the on-failure destination. Records of different partition keys run
// side by side, up to the parallelisation factor.
//
// A batch that fails is tried again with growing pauses. With bisection it is
// halved instead, which costs no attempt; with partial failures what stands
// before the first failed record is settled and the rest tried again. Attempts
// and age are bounded by the mapping. A function that could not be invoked at
// all (throttled) costs no attempt, only time.
//
// [Options.Shuffle] and [Options.Redeliver] are for tests: DynamoDB orders
// records per item only, so the commits of one session may come in any order,
// and everything may come twice.
//
// It knows neither DynamoDB nor Lambda: [Stream] and [Options.Invoke] are its
// ports. Of this module it imports the event pattern language alone.
package eventsource
