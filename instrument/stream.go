//go:build tracerec_runtime

package instrument

import (
	"sync/atomic"

	"tracerec/trace/wire"
)

// Connections and pipes both ends of which are in this process carry streams: what one end writes, the other one reads. Which ends belong together
// is known by their addresses. Only connections from this host to itself are looked at, so that these are unique.

// streams are those of a session.
type streams struct {
	servers    table[server]
	meetings   table[meeting]
	interrupts atomic.Uint32 // how many there were
	object     atomic.Uint32 // of all of them
}

// server is a socket at which connections come in, by its address: a stream to which everybody who connects writes a byte.
type server struct {
	stream        uint32
	dialed, taken atomic.Uint32 // connections from this process, and how many of them have come in
}

// meeting is a connection, by the addresses of both ends.
type meeting struct {
	toServer, toClient uint32
	server             bool // that end came first
	both               bool // are there
}

func (s *streams) prepare() {
	s.servers.cells.Store(newCells[server](4))
	s.meetings.cells.Store(newCells[meeting](4))
}

// newStream defines a stream.
func (se *session) newStream() uint32 {
	return se.newObject(wire.Stream, 0, unknownRegion)
}

// listens returns the stream of a new server at an address.
func (se *session) listens(address uint64) uint32 {
	se.mu.Lock()
	defer se.mu.Unlock()
	e := &entry[server]{key: address}
	e.value.stream = se.newObject(wire.Stream, 0, unknownRegion)
	se.streams.servers.put(e, nil)
	return e.value.stream
}

// dials records that a connection begins to a server of this process at one of two addresses, if there is one.
func (se *session) dials(address, anywhere uint64) bool {
	e := se.streams.servers.find(address)
	if e == nil {
		e = se.streams.servers.find(anywhere)
	}
	if e == nil || e.value.stream == 0 {
		return false
	}
	se.point(wire.Write, se.site("connect"), wire.ObjectWord(e.value.stream, e.value.dialed.Add(1)))
	return true
}

// accepts says whether what came in at a server may be from this process.
func (se *session) accepts(address uint64) bool {
	e := se.streams.servers.find(address)
	return e != nil && e.value.taken.Add(1) <= e.value.dialed.Load()
}

// connected returns the streams of an end of a connection, by the addresses of both ends: what it reads, and above what it writes.
func (se *session) connected(addresses uint64, isServer bool) uint64 {
	se.mu.Lock()
	defer se.mu.Unlock()
	m := meeting{server: isServer}
	if e := se.streams.meetings.find(addresses); e != nil && !e.value.both && e.value.server != isServer {
		m = e.value
		m.both = true
	} else {
		m.toServer, m.toClient = se.newObject(wire.Stream, 0, unknownRegion), se.newObject(wire.Stream, 0, unknownRegion)
	}
	se.streams.meetings.put(&entry[meeting]{addresses, m}, func(e *entry[meeting]) bool { return !e.value.both })
	if isServer {
		return wire.ObjectWord(m.toServer, m.toClient)
	}
	return wire.ObjectWord(m.toClient, m.toServer)
}

// wrote records that a stream was written to from a time on.
func (se *session) wrote(stream, upTo uint32, began uint64, name string) {
	se.pointSlow(getg(), began, wire.Write, se.site(name), wire.ObjectWord(stream, upTo))
}

// interrupts records that waits for the network are interrupted, and returns what they end with.
func (se *session) interrupts() uint64 {
	object := se.streams.object.Load()
	if object == 0 {
		if object = se.newStream(); !se.streams.object.CompareAndSwap(0, object) {
			object = se.streams.object.Load()
		}
	}
	word := wire.ObjectWord(object, se.streams.interrupts.Add(1))
	se.point(wire.Interrupt, se.site("interrupt"), word)
	return word
}

// streamOperation does what a hook wants that tells of connections. The object is a stream, or an address.
//
//go:noinline
func (se *session) streamOperation(op, object, arg uint64) uint64 {
	is := false
	switch op & 0xff {
	case opWrite:
		se.wrote(uint32(object), uint32(op>>32), arg, "write")
	case opCloses:
		se.wrote(uint32(object), uint32(op>>32), arg, "close")
	case opReached:
		g, t := se.nowFenced()
		se.spanOf(arg).leaveWith(se, g, t, wire.Reached, uint32(op>>8&0xff), wire.ObjectWord(uint32(object), uint32(op>>32)), true)
	case opInterrupt:
		return se.interrupts()
	case opListens:
		return uint64(se.listens(object))
	case opPipe:
		return uint64(se.newStream())
	case opMeetsServer, opMeetsClient:
		return se.connected(object, op&0xff == opMeetsServer)
	case opDials:
		is = se.dials(object, arg)
	case opAccepts:
		is = se.accepts(object)
	}
	if is {
		return 1
	}
	return 0
}
