// Package goid finds out which goroutine is running, by the address of the runtime's descriptor of it
// (g). Descriptors never move and are never freed, but a finished goroutine's is given to a new one.
package goid

import "unsafe"

// G returns the calling goroutine's descriptor, nil where that is not known for the processor.
func G() unsafe.Pointer { return getg() }
