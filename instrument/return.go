package instrument

import "runtime"

// Where frames are not linked, as on RISC-V, the address to which a function returns is at the bottom of its frame. How far that of
// site's caller is above the stack pointer within site is always the same, and found out by looking for addresses
// that the runtime's own search gives.

// returnAt is that distance, for returnPC.
var returnAt uintptr

// searchedStack is how far above the stack pointer is looked.
const searchedStack = 1024

// returns is a search: how often the wanted address was found at each distance.
type returns struct {
	want [1]uintptr // not on the stack
	hits [searchedStack / 8]uint8
}

var soughtReturn returns

// tell notes what is at the distance at hand.
func (r *returns) tell(pc uintptr) {
	if pc == r.want[0] {
		r.hits[returnAt/8]++
	}
}

// findReturn looks for the one distance at which site finds the wanted address wherever it is called from.
//
//go:noinline
func findReturn() bool {
	if getg() == nil || returnPC() == 0 {
		return false
	}
	var room [searchedStack]byte // so far the stack reaches
	soughtReturn = returns{}
	const tries = 3
	tryReturn()
	tryReturn()
	tryReturn()
	runtime.KeepAlive(&room)
	found := uintptr(0)
	for i, n := range soughtReturn.hits {
		switch {
		case n < tries:
		case found != 0:
			return false
		default:
			found = uintptr(i) * 8
		}
	}
	returnAt = found
	return found != 0
}

// tryReturn calls site as the functions do that record something.
//
//go:noinline
func tryReturn() {
	runtime.Callers(2, soughtReturn.want[:])
	(*session)(nil).site("")
}
