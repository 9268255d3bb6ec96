// Package tracerec holds the source of the recorder that programs carry: package instrument and all that it imports. Builds add it to a
// program that does not require this module.
package tracerec

import "embed"

// Source is the source of package instrument and of the packages that it imports, below their directories in this module.
//
//go:embed counters/sample instrument internal/clock internal/goid internal/perfevent internal/rawfile internal/shm internal/size
//go:embed internal/witness simulator/guest trace/wire
var Source embed.FS
