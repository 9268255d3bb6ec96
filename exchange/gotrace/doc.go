// Package gotrace reads Go execution traces, as runtime/trace, go test -trace and /debug/pprof/trace write them, as archives of
// package trace: [Open]. So everything that analyzes archives analyzes them.
//
// What the events of such a trace mean for the archive:
//
//   - A goroutine is a location, with its creator and the function it was started with. Goroutines of the runtime, those that write the trace,
//     and those of which the trace has no stack are left out.
//   - Stacks are call paths. Between two stacks of a goroutine it was in the functions that both have in common, and at which place in
//     between is not known. If its callers did not move on to another line, it is taken for the same call. So visits are as many as were seen.
//     Samples of a CPU profile, and the stacks at which goroutines are interrupted, stand for half a period, of 5 ms, before and after them.
//   - Regions and tasks of the program are levels below the function that began them, until they end or that function does. A task that does not end there is left: where it does end is told by its number.
//     Another task that the goroutine begins at the same place, and not as a part of it, closes its level, too.
//   - Running, ready (by whom woken), system calls, GC assist, and stopped are states. What waits for a reason that is no operation is parked.
//   - A goroutine that blocks is in an operation: which one, the leaf of its stack tells. Operations that did not block are not in such a trace.
//     A goroutine that was blocked when the trace began, without a stack, is taken to have been in an operation that fits what woke it.
//   - Which object it waited for is not in the trace. All waits of a goroutine are operations on one object of kind [wire.Waits], and so is what
//     another goroutine did to end them: what that is, the leaf of its stack tells. Of two selects that met, the one that was woken is
//     taken for the receiver; a send is ended by a receive, whether the channel has a buffer or not.
//   - Who was woken by a timer, the network or a goroutine that is left out was woken by nobody.
//
// Times are those of the trace, in ns since its begin; package x/exp/trace has put the events of each part of the trace
// (a generation, of about a second) in an order without contradictions. Parts overlap, by as long as a thread waited for a processor when the next one began; for each goroutine,
// time never goes back.
package gotrace
