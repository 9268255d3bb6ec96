// Package bareread reads words from a descriptor by the shortest way into the kernel. After a system call the processor
// mispredicts the return of every function that called into it (the kernel clears what predicts them), so that the three
// calls within package syscall cost a tenth of a reading of counters.
package bareread
