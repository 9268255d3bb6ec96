package pmu

import "math/bits"

// Group is events that are on counters together or not at all.
type Group struct {
	Masks     []uint64 // of each member that needs a counter: those that it fits on
	Class     int      // groups come class by class
	Exclusive bool     // beside no other group that needs counters
}

// Schedule decides which groups are on counters, in their order, as the kernel of Linux does: after a group that does not
// fit, no other one of its class that needs counters is tried, so that those who wait have their turn.
func Schedule(groups []Group) (on []bool) {
	on = make([]bool, len(groups))
	var taken []uint64
	full, alone := false, false
	for i, g := range groups {
		if i > 0 && g.Class != groups[i-1].Class {
			full = false
		}
		if len(g.Masks) == 0 {
			on[i] = true
			continue
		}
		with := append(taken[:len(taken):len(taken)], g.Masks...)
		if full || alone || g.Exclusive && len(taken) > 0 || !Fit(with) {
			full = true
			continue
		}
		on[i], taken, alone = true, with, g.Exclusive
	}
	return on
}

// Fit tells whether all of several events can have a counter at the same time, each one of those that it fits on.
func Fit(masks []uint64) bool {
	var user [most]int // of a counter: the event that has it, from 1 on
	var place func(event int, tried *uint64) bool
	place = func(event int, tried *uint64) bool {
		for free := masks[event] &^ *tried; free != 0; free = masks[event] &^ *tried {
			c := bits.TrailingZeros64(free)
			*tried |= 1 << c
			if user[c] == 0 || place(user[c]-1, tried) {
				user[c] = event + 1
				return true
			}
		}
		return false
	}
	for i := range masks {
		var tried uint64
		if !place(i, &tried) {
			return false
		}
	}
	return true
}
