//go:build tracerec_runtime

package instrument

import _ "unsafe" // for go:linkname

// countVisit is that of a runtime with hooks.
//
//go:linkname countVisit
func countVisit(f *function)
