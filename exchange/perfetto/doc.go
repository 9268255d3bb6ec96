// Package perfetto writes traces in the format of Perfetto (https://ui.perfetto.dev): a file of protocol buffer
// packets, ordered by time.
//
// Every process is a process, every goroutine a thread track. On it, regions and operations (send, lock, wait …) are
// slices. An operation that waited contains a slice for each wait state, named like its metric, with the
// causer, and a slice for the wake-up. A wait for a lock that several goroutines held one after the other is one slice: its causer is the last
// holder, and its arguments say how long each wait state lasted, without the gaps between two holders. Events without duration (close, unlock,
// signal …) are instants. Metrics of the program and the counters of an event set are counter tracks: those of the process on its track, those of
// threads as what the goroutine has certainly consumed so far, and on a separate track what it may have consumed besides.
//
// Flows, which are drawn as arrows, lead from what a goroutine did to the goroutine on which it had an effect: from create to begin,
// from a send to a receive that began later, and from the causer of a wait to the waiter. Readers order the ends of
// a flow by time. A flow that ends a wait ends one nanosecond after it, so that the cause comes before the effect even if both
// have the same stamp.
package perfetto
