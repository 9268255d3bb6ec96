//go:build tracerec_runtime

package instrument

import "tracerec/trace/wire"

// switches records that the running goroutine gives the turn with this number to the other side of a coroutine, and waits until that gives it back.
//
//go:noinline
func (se *session) switches(op uint64, coroutine uintptr) uint64 {
	name, region := wire.Yield, unknownRegion
	switch op & 0xff {
	case opPull:
		name = wire.Pull
		region = se.siteOf(op, name)
	case opYield:
		region = se.siteOf(op, name)
	}
	if region == unknownRegion { // it ends
		region = se.nowhere(yieldSite, name)
	}
	object := se.channelAt(coroutine, name)
	g, t := se.nowFenced()
	x := se.beginFrom(t, wire.SendBegin, region, object)
	t = max(t, x.slot.last)
	x.wentAt(se, g, t, wire.OK, uint32(op>>32), false)
	if op&0xff == opLastYield {
		return 0
	}
	x = se.beginFrom(t, wire.RecvBegin, region, object)
	x.blockedInside(se, x.slot.last, 0) // which may be later, where there was no room
	return x.token()
}

// pulled records that the running goroutine, a coroutine, has waited for the first turn since that time.
//
//go:noinline
func (se *session) pulled(op uint64, coroutine uintptr, since uint64) {
	object := se.channelAt(coroutine, wire.Yield)
	x := se.beginFrom(since, wire.RecvBegin, se.nowhere(yieldSite, wire.Yield), object)
	x.blockedInside(se, x.slot.last, 0)
	g, t := se.met(x.slot, true)
	x.wentAt(se, g, t, wire.OK, uint32(op>>32), true)
}
