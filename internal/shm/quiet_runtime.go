//go:build tracerec_runtime

package shm

import _ "unsafe" // for go:linkname

// quiet makes what the running goroutine does the recorder's own (1), or no more (-1).
//
//go:linkname quiet runtime.tracerecQuiet
func quiet(n int32)
