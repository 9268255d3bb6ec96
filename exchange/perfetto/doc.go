// Package perfetto writes traces in the format of Perfetto (https://ui.perfetto.dev): a file of protocol buffer
// packets, ordered by time.
//
// Every process is a process, every goroutine a thread track. On it, regions and operations (send, lock, wait …) are
// slices, and within an operation that waited there is a slice for each wait state, named like its metric, with the
// causer, and one for the wake-up. Who waits for a lock that others hold one after the other has one slice, with the last
// holder as causer and the time of each wait state in it: the moments between two holders do not count. Events without duration (close, unlock, signal …) are instants. Metrics of the
// program and the counters of an event set are counter tracks: those of the process on its track, those of threads as
// what the goroutine has certainly consumed so far, and on a track of its own what it may have consumed besides.
//
// Flows, which are drawn as arrows, lead from what a goroutine did to the one on which it had an effect: from create to begin,
// from a send to a receive that began later, and from the causer of a wait to the waiter. Readers order the ends of
// a flow by time; so that cause comes before effect even if both have the same stamp, a flow that ends a wait ends
// one nanosecond after it.
package perfetto
