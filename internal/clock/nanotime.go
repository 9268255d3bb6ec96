package clock

import _ "unsafe" // for linkname

// nanotime reads CLOCK_MONOTONIC (or the system's equivalent) in ns.
//
//go:linkname nanotime runtime.nanotime
func nanotime() int64
