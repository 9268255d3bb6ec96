//go:build linux

package linux

import (
	"net/netip"
	"slices"
	"syscall"
)

// socket is an end of a connection, or of none.
type socket struct {
	k            *Kernel
	domain, kind int
	local, peer  address
	options      map[[2]uint64]uint32
	err          errno  // to be told by the next call
	arrived      uint64 // how often something came
	connected    bool
	closed       bool

	in, out *pipeEnd // of a connection; nil before and after

	listening bool
	backlog   int
	queue     []*socket // connections to accept
	waiting   []*socket // sockets for which the queue has no room yet
	target    *socket   // in whose queue or among whose waiting this one is

	packets []packet
	size    int     // of packets
	to      *socket // at the other end of a pair
}

// packet is a message that came.
type packet struct {
	from address
	data []byte
}

// Kinds of sockets.
const (
	stream   = 1
	datagram = 2
	sequence = 5 // of packets, over a connection
)

// connects tells whether sockets of the kind are connected before anything is sent.
func (s *socket) connects() bool { return s.kind != datagram }

// largestPacket is the size of the largest message, and packetRoom of all that wait in a socket.
const (
	largestPacket = 65507
	packetRoom    = 208 << 10
)

// Options that are not only remembered.
const (
	levelSocket = 1
	levelIPv6   = 41
	optionType  = 3
	optionError = 4
	optionProto = 38
	optionOf    = 39
	optionOnly6 = 26
	optionAcc   = 30
)

func (s *socket) option(level, name uint64) uint32 { return s.options[[2]uint64{level, name}] }

// takeError returns the error that happened since, once.
func (s *socket) takeError() errno {
	err := s.err
	s.err = 0
	return err
}

// join connects two streams.
func join(a, b *socket) {
	there, back := &pipe{k: a.k, readers: 1, writers: 1}, &pipe{k: a.k, readers: 1, writers: 1}
	a.in, a.out = &pipeEnd{back, false}, &pipeEnd{there, true}
	b.in, b.out = &pipeEnd{there, false}, &pipeEnd{back, true}
	a.connected, b.connected = true, true
	a.arrived++
}

// admit moves those that wait for a connection to the queue, while there is room.
func (s *socket) admit() {
	for len(s.waiting) > 0 && len(s.queue) <= s.backlog {
		c := s.waiting[0]
		s.waiting = s.waiting[1:]
		end := &socket{k: s.k, domain: s.domain, kind: s.kind, local: c.peer, peer: c.local}
		join(c, end)
		c.target = nil
		s.queue = append(s.queue, end)
		s.arrived++
	}
	s.k.changed = true
}

func (s *socket) read(b []byte) (int, errno) {
	n, _, _, err := s.take([][]byte{b}, false)
	return n, err
}

func (s *socket) write(b []byte) (int, errno) {
	if s.kind == datagram {
		return s.sendPacket(b, s.to)
	}
	if err := s.takeError(); err != 0 {
		return 0, err
	}
	switch {
	case s.out != nil && s.kind == sequence:
		return s.out.writeMessage(b)
	case s.out != nil:
		return s.out.write(b)
	case s.target != nil:
		return 0, syscall.EAGAIN
	case s.connected:
		return 0, syscall.EPIPE
	}
	return 0, syscall.ENOTCONN
}

// take receives something; whole is the size of the message.
func (s *socket) take(pieces [][]byte, peek bool) (n, whole int, from address, err errno) {
	if err := s.takeError(); err != 0 {
		return 0, 0, from, err
	}
	var data []byte
	switch {
	case s.kind == datagram && len(s.packets) == 0:
		return 0, 0, from, syscall.EAGAIN
	case s.kind == datagram:
		data, from = s.packets[0].data, s.packets[0].from
	case s.in != nil && len(s.in.messages) > 0:
		data = s.in.data[:s.in.messages[0]]
	case s.in != nil && len(s.in.data) == 0:
		_, err := s.in.read(make([]byte, 1)) // the end, or not yet
		return 0, 0, from, err
	case s.in != nil:
		data = s.in.data
	case s.target != nil:
		return 0, 0, from, syscall.EAGAIN
	case !s.connected:
		return 0, 0, from, syscall.ENOTCONN
	}
	whole = len(data)
	for _, b := range pieces {
		m := copy(b, data[n:])
		n += m
	}
	switch {
	case peek:
	case s.kind == datagram:
		s.size -= whole
		s.packets = s.packets[1:]
	case s.in != nil && s.kind == sequence:
		s.in.dropMessage()
	case s.in != nil:
		s.in.read(make([]byte, n))
	}
	return n, whole, from, 0
}

// mostMessages is how many messages wait in a connection at most.
const mostMessages = 1024

// writeMessage writes a message as a whole.
func (e *pipeEnd) writeMessage(b []byte) (int, errno) {
	switch {
	case e.readers == 0:
		return 0, syscall.EPIPE
	case len(b) > pipeSize:
		return 0, syscall.EMSGSIZE
	case len(b) > pipeSize-len(e.data) || len(e.messages) == mostMessages:
		return 0, syscall.EAGAIN
	}
	e.data, e.messages = append(e.data, b...), append(e.messages, len(b))
	e.filled++
	return len(b), 0
}

// dropMessage takes the first message away.
func (e *pipeEnd) dropMessage() {
	e.data, e.messages = e.data[e.messages[0]:], e.messages[1:]
	e.drained++
}

// sendPacket sends a message to another socket; nil is one that does not exist.
func (s *socket) sendPacket(b []byte, to *socket) (int, errno) {
	if err := s.takeError(); err != 0 {
		return 0, err
	}
	switch {
	case len(b) > largestPacket:
		return 0, syscall.EMSGSIZE
	case to == nil && s.domain == familyUnix:
		return 0, syscall.ENOTCONN
	case to == nil:
		if !s.connected {
			return 0, syscall.EDESTADDRREQ
		}
		if to = s.k.net.find(datagram, s.peer.ip, s.source(s.peer.ip.Addr().Is4())); to == nil {
			s.err = syscall.ECONNREFUSED // which comes back later
			s.arrived++
			return len(b), 0
		}
	}
	if to.closed {
		return 0, syscall.ECONNREFUSED
	}
	if to.size+len(b) > packetRoom || len(to.packets) >= 1024 {
		if s.domain == familyUnix {
			return 0, syscall.EAGAIN
		}
		return len(b), 0 // lost
	}
	from := s.local
	if s.domain != familyUnix {
		from.ip = s.source(to.domain == familyInet || to.local.ip.Addr().Is4() || s.domain == familyInet)
	}
	to.packets = append(to.packets, packet{from, slices.Clone(b)})
	to.size += len(b)
	to.arrived++
	s.k.changed = true
	return len(b), 0
}

func loopback(v4 bool) netip.Addr {
	if v4 {
		return netip.AddrFrom4([4]byte{127, 0, 0, 1})
	}
	return netip.IPv6Loopback()
}

func (s *socket) ready() (events uint32) {
	if s.err != 0 {
		events |= pollIn | pollOut | pollErr
	}
	switch {
	case s.listening:
		if len(s.queue) > 0 {
			events |= pollIn
		}
	case s.kind == datagram:
		if len(s.packets) > 0 {
			events |= pollIn
		}
		if s.to == nil || s.to.size < packetRoom/2 {
			events |= pollOut
		}
	case s.target != nil:
	case !s.connected:
		events |= pollOut | pollHup
	default:
		events |= s.streamReady()
	}
	return events
}

func (s *socket) streamReady() (events uint32) {
	over := s.in == nil || s.in.writers == 0
	if over {
		events |= pollIn | pollRdHup
	} else if len(s.in.data) > 0 || len(s.in.messages) > 0 {
		events |= pollIn
	}
	switch {
	case s.out == nil:
		if events |= pollOut; over {
			events |= pollHup
		}
	case s.out.readers == 0:
		events |= pollOut | pollErr
	default:
		events |= s.out.ready()
	}
	return events
}

func (s *socket) changes() uint64 {
	n := s.arrived
	if s.in != nil {
		n += s.in.changes()
	}
	if s.out != nil {
		n += s.out.changes()
	}
	return n
}

// shut ends one or both directions of a stream.
func (s *socket) shut(reading, writing bool) {
	if reading && s.in != nil {
		s.in.close()
		s.arrived += s.in.changes() + 1
		s.in = nil
	}
	if writing && s.out != nil {
		s.out.close()
		s.arrived += s.out.changes() + 1
		s.out = nil
	}
	s.k.changed = true
}

func (s *socket) close() {
	s.closed = true
	s.k.net.unbind(s)
	s.shut(true, true)
	for _, c := range s.queue {
		c.close()
	}
	for _, c := range s.waiting {
		c.target, c.err = nil, syscall.ECONNREFUSED
		c.arrived++
	}
	if l := s.target; l != nil {
		l.waiting = slices.DeleteFunc(l.waiting, func(o *socket) bool { return o == s })
	}
	s.queue, s.waiting, s.listening = nil, nil, false
}
