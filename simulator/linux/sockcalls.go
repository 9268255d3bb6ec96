//go:build linux

package linux

import (
	"encoding/binary"
	"net/netip"
	"slices"
	"syscall"

	"tracerec/simulator/memory"
)

// socket returns the socket of a descriptor.
func (t *thread) socket(fd uint64) (*socket, *open, errno) {
	o, err := t.p.files.get(fd)
	if err != 0 {
		return nil, nil, err
	}
	s, ok := o.file.(*socket)
	if !ok {
		return nil, nil, syscall.ENOTSOCK
	}
	return s, o, 0
}

// typeFlags are the flags beside the kind of a socket, which are those of files.
const typeFlags = oNonblock | oCloseExec

func (t *thread) makeSocket(domain, kind uint64) (*socket, errno) {
	switch domain {
	case familyUnix, familyInet, familyInet6:
	default:
		return nil, syscall.EAFNOSUPPORT
	}
	switch kind := kind &^ typeFlags; {
	case kind == stream || kind == datagram || kind == sequence && domain == familyUnix:
	default:
		return nil, syscall.ESOCKTNOSUPPORT
	}
	return &socket{k: t.k, domain: int(domain), kind: int(kind &^ typeFlags), options: map[[2]uint64]uint32{}}, 0
}

func (t *thread) addSocket(s *socket, flags uint64) (int64, errno) {
	fd, err := t.p.files.add(&open{file: s, flags: flags&oNonblock | oReadWrite}, 0, flags)
	if err != 0 {
		s.close()
	}
	return fd, err
}

func newSocket(t *thread, a [6]uint64) (int64, errno) {
	s, err := t.makeSocket(a[0], a[1])
	if err != 0 {
		return 0, err
	}
	own := map[int]uint64{stream: 6, datagram: 17}[s.kind]
	if a[2] != 0 && (s.domain == familyUnix || a[2] != own) {
		return 0, syscall.EPROTONOSUPPORT
	}
	return t.addSocket(s, a[1])
}

func socketpair(t *thread, a [6]uint64) (int64, errno) {
	if a[0] != familyUnix {
		return 0, syscall.EOPNOTSUPP
	}
	x, err := t.makeSocket(a[0], a[1])
	if err != 0 {
		return 0, err
	}
	y, _ := t.makeSocket(a[0], a[1])
	if x.connects() {
		join(x, y)
	} else {
		x.to, y.to, x.connected, y.connected = y, x, true, true
	}
	first, err := t.addSocket(x, a[1])
	if err != 0 {
		y.close()
		return 0, err
	}
	second, err := t.addSocket(y, a[1])
	if err != 0 {
		t.p.files.drop(uint64(first))
		return 0, err
	}
	if err := t.p.putWord32(a[3], uint32(first)); err != 0 {
		return 0, err
	}
	return 0, t.p.putWord32(a[3]+4, uint32(second))
}

func bind(t *thread, a [6]uint64) (int64, errno) {
	s, _, err := t.socket(a[0])
	if err != 0 {
		return 0, err
	}
	at, err := t.address(s, a[1], uint64(uint32(a[2])))
	switch {
	case err != 0:
		return 0, err
	case s.domain == familyUnix:
		return 0, t.bindName(s, at.name)
	case s.local.ip.IsValid():
		return 0, syscall.EINVAL
	}
	return 0, t.k.net.bind(s, at.ip)
}

// bindAny gives a socket a port if it has none.
func (t *thread) bindAny(s *socket, at netip.Addr) errno {
	if s.domain == familyUnix || s.local.ip.IsValid() {
		return 0
	}
	return t.k.net.bind(s, netip.AddrPortFrom(at, 0))
}

// unspecified is any address of the socket's family.
func (s *socket) unspecified() netip.Addr {
	if s.domain == familyInet {
		return netip.IPv4Unspecified()
	}
	return netip.IPv6Unspecified()
}

func listen(t *thread, a [6]uint64) (int64, errno) {
	s, _, err := t.socket(a[0])
	switch {
	case err != 0:
		return 0, err
	case !s.connects():
		return 0, syscall.EOPNOTSUPP
	case s.connected || s.target != nil || s.domain == familyUnix && s.local.name == "":
		return 0, syscall.EINVAL
	}
	if err := t.bindAny(s, s.unspecified()); err != 0 {
		return 0, err
	}
	s.listening, s.backlog = true, int(min(uint32(a[1]), 4096))
	return 0, 0
}

func accept(t *thread, a [6]uint64) (int64, errno) {
	s, o, err := t.socket(a[0])
	if err != 0 {
		return 0, err
	}
	if !s.listening {
		return 0, syscall.EINVAL
	}
	flags := a[3]
	if t.number == 202 {
		flags = 0
	}
	attempt := func() (int64, errno) {
		if len(s.queue) == 0 {
			return 0, syscall.EAGAIN
		}
		c := s.queue[0]
		if a[1] != 0 {
			if err := t.putAddress(c.peer, c.domain, a[1], a[2]); err != 0 {
				return 0, err
			}
		}
		fd, err := t.p.files.add(&open{file: c, flags: flags&oNonblock | oReadWrite}, 0, flags)
		if err == 0 {
			c.options = map[[2]uint64]uint32{}
			s.queue = s.queue[1:]
			s.admit()
		}
		return fd, err
	}
	return t.attempt(o, 0, attempt)
}

// attempt does something with a file, and waits for that if it must and may.
func (t *thread) attempt(o *open, flags uint64, do func() (int64, errno)) (int64, errno) {
	const dontWait = 0x40
	n, err := do()
	if err != syscall.EAGAIN || o.flags&oNonblock != 0 || flags&dontWait != 0 {
		return n, err
	}
	return t.await(do)
}

func connect(t *thread, a [6]uint64) (int64, errno) {
	s, o, err := t.socket(a[0])
	if err != 0 {
		return 0, err
	}
	if size := uint64(uint32(a[2])); s.kind == datagram && size >= 2 {
		if b, err := t.p.bytes(a[1], 2); err == 0 && binary.LittleEndian.Uint16(b) == 0 {
			s.connected, s.peer, s.to = false, address{}, nil
			return 0, 0
		}
	}
	to, err := t.destination(s, a[1], uint64(uint32(a[2])))
	switch {
	case err != 0:
		return 0, err
	case s.listening:
		return 0, syscall.EINVAL
	case s.connects() && s.target != nil:
		return 0, syscall.EALREADY
	case s.connects() && s.connected:
		return 0, syscall.EISCONN
	}
	return t.connect(s, o, to)
}

// destination reads an address to send to. Any address is the loopback's.
func (t *thread) destination(s *socket, at, size uint64) (address, errno) {
	to, err := t.address(s, at, size)
	if ip := to.ip.Addr(); ip.IsValid() && ip.IsUnspecified() {
		to.ip = netip.AddrPortFrom(loopback(ip.Is4()), to.ip.Port())
	}
	if err == 0 && s.domain == familyUnix && to.name == "" {
		err = syscall.EINVAL
	}
	return to, err
}

func (t *thread) connect(s *socket, o *open, to address) (int64, errno) {
	l, err := t.lookup(s, to)
	if err != 0 && (s.connects() || err != syscall.ECONNREFUSED || s.domain == familyUnix) {
		return 0, err
	}
	if err := t.bindAny(s, loopback(to.ip.Addr().Is4())); err != 0 {
		return 0, err
	}
	if s.domain != familyUnix {
		s.local.ip = s.source(to.ip.Addr().Is4())
	}
	s.peer = to
	if s.kind == datagram {
		s.connected = true
		if s.domain == familyUnix {
			s.to = l
		}
		return 0, 0
	}
	s.target = l
	l.waiting = append(l.waiting, s)
	l.admit()
	n, err := t.attempt(o, 0, func() (int64, errno) {
		if s.target != nil {
			return 0, syscall.EAGAIN
		}
		return 0, s.takeError()
	})
	if err == syscall.EAGAIN && s.domain != familyUnix {
		err = syscall.EINPROGRESS
	}
	return n, err
}

func getsockname(t *thread, a [6]uint64) (int64, errno) {
	s, _, err := t.socket(a[0])
	if err != 0 {
		return 0, err
	}
	return 0, t.putAddress(s.local, s.domain, a[1], a[2])
}

func getpeername(t *thread, a [6]uint64) (int64, errno) {
	s, _, err := t.socket(a[0])
	switch {
	case err != 0:
		return 0, err
	case !s.connected:
		return 0, syscall.ENOTCONN
	}
	return 0, t.putAddress(s.peer, s.domain, a[1], a[2])
}

// message is what is sent or received, and how.
type message struct {
	pieces [][]byte
	flags  uint64
	at     uint64 // of the address, 0 for none,
	size   uint64 // and its size, or when receiving where that is,
	header uint64 // of a msghdr, 0 for none
}

// Flags of messages.
const (
	messagePeek      = 2
	messageTruncated = 0x20
	messageNoSignal  = 0x4000
)

func sendto(t *thread, a [6]uint64) (int64, errno) {
	b, err := t.p.bytes(a[1], a[2])
	if err != 0 {
		return 0, err
	}
	return t.transmit(a[0], message{pieces: [][]byte{b}, flags: a[3], at: a[4], size: uint64(uint32(a[5]))})
}

func recvfrom(t *thread, a [6]uint64) (int64, errno) {
	b, err := t.p.room(a[1], a[2])
	if err != 0 {
		return 0, err
	}
	return t.receive(a[0], message{pieces: [][]byte{b}, flags: a[3], at: a[4], size: a[5]})
}

// messageHeader reads a msghdr. Control messages cannot be sent.
func (t *thread) messageHeader(a [6]uint64, prot memory.Prot) (m message, err errno) {
	w, err := t.p.words(a[1], 6)
	if err != 0 {
		return m, err
	}
	m = message{flags: a[2], at: w[0], size: uint64(uint32(w[1])), header: a[1]}
	if w[5] != 0 && w[4] != 0 && prot == memory.Read {
		return m, t.unsupported("a control message of a socket", syscall.EINVAL)
	}
	m.pieces, err = t.p.vector(w[2], int(min(w[3], 1<<20)), prot)
	return m, err
}

func sendmsg(t *thread, a [6]uint64) (int64, errno) {
	m, err := t.messageHeader(a, memory.Read)
	if err != 0 {
		return 0, err
	}
	return t.transmit(a[0], m)
}

func recvmsg(t *thread, a [6]uint64) (int64, errno) {
	m, err := t.messageHeader(a, memory.Write)
	if err != 0 {
		return 0, err
	}
	return t.receive(a[0], m)
}

func (t *thread) transmit(fd uint64, m message) (int64, errno) {
	s, o, err := t.socket(fd)
	if err != 0 {
		return 0, err
	}
	to := s.to
	if m.at != 0 && m.size > 0 && s.kind == datagram {
		at, err := t.destination(s, m.at, m.size)
		if err != 0 {
			return 0, err
		}
		if to, err = t.lookup(s, at); err == syscall.ECONNREFUSED && s.domain != familyUnix {
			return int64(len(slices.Concat(m.pieces...))), 0 // nobody is there
		} else if err != 0 {
			return 0, err
		}
	}
	if s.kind == datagram {
		if err := t.bindAny(s, s.unspecified()); err != 0 {
			return 0, err
		}
	}
	do := func() (int64, errno) {
		n, err := 0, errno(0)
		if b := slices.Concat(m.pieces...); s.kind == datagram {
			n, err = s.sendPacket(b, to)
		} else {
			n, err = s.write(b)
		}
		t.k.changed = t.k.changed || err == 0
		return int64(n), err
	}
	n, err := t.attempt(o, m.flags, do)
	if err == syscall.EPIPE && m.flags&messageNoSignal == 0 {
		t.send(signal{number: sigPIPE, pid: t.p.id})
	}
	return n, err
}

func (t *thread) receive(fd uint64, m message) (int64, errno) {
	s, o, err := t.socket(fd)
	if err != 0 {
		return 0, err
	}
	return t.attempt(o, m.flags, func() (int64, errno) {
		n, whole, from, err := s.take(m.pieces, m.flags&messagePeek != 0)
		if err != 0 {
			return 0, err
		}
		t.k.changed = true
		truncated := s.kind != stream && n < whole
		switch {
		case m.header != 0:
			err = t.putHeader(s, m, from, truncated)
		case m.at != 0:
			err = t.putAddress(from, s.domain, m.at, m.size)
		}
		if truncated && m.flags&messageTruncated != 0 {
			n = whole
		}
		return int64(n), err
	})
}

// putHeader stores in a msghdr where a message came from; there are no control messages.
func (t *thread) putHeader(s *socket, m message, from address, truncated bool) errno {
	size := uint32(0)
	if m.at != 0 && s.kind == datagram {
		b := from.bytes(s.domain)
		if err := t.p.put(m.at, b[:min(uint64(len(b)), m.size)]); err != 0 {
			return err
		}
		size = uint32(len(b))
	}
	if err := t.p.putWord32(m.header+8, size); err != 0 {
		return err
	}
	flags := uint64(0)
	if truncated {
		flags = messageTruncated
	}
	return t.p.putWords(m.header+40, 0, flags)
}

// setsockopt remembers options; few of them change anything.
func setsockopt(t *thread, a [6]uint64) (int64, errno) {
	s, _, err := t.socket(a[0])
	if err != 0 {
		return 0, err
	}
	if uint32(a[4]) < 4 {
		return 0, syscall.EINVAL
	}
	v, err := t.p.word32(a[3])
	if err == 0 {
		s.options[[2]uint64{a[1], a[2]}] = v
	}
	return 0, err
}

func getsockopt(t *thread, a [6]uint64) (int64, errno) {
	s, _, err := t.socket(a[0])
	if err != 0 {
		return 0, err
	}
	room, err := t.p.word32(a[4])
	switch {
	case err != 0:
		return 0, err
	case room < 4:
		return 0, syscall.EINVAL
	}
	v := s.option(a[1], a[2])
	if a[1] == levelSocket {
		switch a[2] {
		case optionType:
			v = uint32(s.kind)
		case optionError:
			v = uint32(s.takeError())
		case optionOf:
			v = uint32(s.domain)
		case optionProto:
			if v = 0; s.domain != familyUnix {
				v = map[int]uint32{stream: 6, datagram: 17}[s.kind]
			}
		case optionAcc:
			if v = 0; s.listening {
				v = 1
			}
		}
	}
	if err := t.p.putWord32(a[3], v); err != 0 {
		return 0, err
	}
	return 0, t.p.putWord32(a[4], 4)
}

func shutdown(t *thread, a [6]uint64) (int64, errno) {
	s, _, err := t.socket(a[0])
	switch {
	case err != 0:
		return 0, err
	case a[1] > 2:
		return 0, syscall.EINVAL
	case s.listening:
		for _, c := range s.queue {
			c.close()
		}
		s.queue = nil
		return 0, 0
	case !s.connected:
		return 0, syscall.ENOTCONN
	}
	s.shut(a[1] != 1, a[1] != 0)
	return 0, 0
}
