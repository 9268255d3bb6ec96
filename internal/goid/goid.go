// Package goid finds out which goroutine is running, by the address of its descriptor in the runtime
// (g). Descriptors never move and are never freed, but a new goroutine may get that of a finished one.
package goid

import "unsafe"

// G returns the calling goroutine's descriptor, nil where that is not known for the processor.
func G() unsafe.Pointer { return getg() }
