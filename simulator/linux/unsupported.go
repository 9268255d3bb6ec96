//go:build linux

package linux

import (
	"slices"

	"golang.org/x/sys/unix"
)

// Unsupported is something that the guest asked of its kernel in vain, because the simulator does not have it.
type Unsupported struct {
	What  string
	PC    uint64 // of the first time
	Times uint64
	Error string // the name of the error number that was the answer
}

// unsupported answers what is not supported with an error, and counts it; if the run is strict, it ends.
func (t *thread) unsupported(what string, answer errno) errno {
	k, pc := t.k, t.hart.PC-4
	if k.o.Strict {
		k.failure = &Fatal{pc, what + " is not supported"}
		return answer
	}
	i := slices.IndexFunc(k.inVain, func(u Unsupported) bool { return u.What == what })
	if i < 0 {
		i = len(k.inVain)
		k.inVain = append(k.inVain, Unsupported{What: what, PC: pc, Error: unix.ErrnoName(answer)})
	}
	k.inVain[i].Times++
	return answer
}

// Unsupported lists what the guest asked for in vain, in the order of the first times. A program may do something else then than on
// Linux.
func (k *Kernel) Unsupported() []Unsupported { return k.inVain }
