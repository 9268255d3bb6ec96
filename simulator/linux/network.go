//go:build linux

package linux

import (
	"encoding/binary"
	"net/netip"
	"slices"
	"strings"
	"syscall"
)

// network is the guest's: it has addresses of itself only.
type network struct {
	bound []*socket          // that have a port
	names map[string]*socket // of the host's files or, after NUL, of no file
	next  uint16             // port to give away
}

// Ports that are given away.
const firstPort, lastPort = 32768, 60999

// address is where a socket is, or its name.
type address struct {
	ip   netip.AddrPort // IPv4 addresses in IPv6 ones are as such
	name string
}

// Families of addresses.
const (
	familyUnix  = 1
	familyInet  = 2
	familyInet6 = 10
)

// accepts tells whether the socket is where something is sent to.
func (s *socket) accepts(to netip.Addr) bool {
	at := s.local.ip.Addr()
	if !at.IsUnspecified() {
		return at == to
	}
	return at.Is4() == to.Is4() || at.Is6() && s.option(levelIPv6, optionOnly6) == 0
}

// find returns the socket that takes what comes from an address.
func (n *network) find(kind int, to, from netip.AddrPort) (best *socket) {
	for _, s := range n.bound {
		switch {
		case s.kind != kind || s.local.ip.Port() != to.Port() || !s.accepts(to.Addr()):
		case kind == stream && !s.listening, kind == datagram && s.connected && s.peer.ip != from:
		case best == nil || best.local.ip.Addr().IsUnspecified() && !s.local.ip.Addr().IsUnspecified() || !best.connected && s.connected:
			best = s
		}
	}
	return best
}

// taken tells whether a socket cannot have its address because another has it.
func (n *network) taken(s *socket) bool {
	return slices.ContainsFunc(n.bound, func(o *socket) bool {
		return o.kind == s.kind && o.local.ip.Port() == s.local.ip.Port() && (o.accepts(s.local.ip.Addr()) || s.accepts(o.local.ip.Addr()))
	})
}

// source returns the address that others see.
func (s *socket) source(v4 bool) netip.AddrPort {
	if ip := s.local.ip.Addr(); ip.IsValid() && !ip.IsUnspecified() {
		return s.local.ip
	}
	return netip.AddrPortFrom(loopback(v4), s.local.ip.Port())
}

// bind gives a socket an address; port 0 is any that is free.
func (n *network) bind(s *socket, at netip.AddrPort) errno {
	if !at.Addr().IsLoopback() && !at.Addr().IsUnspecified() {
		return syscall.EADDRNOTAVAIL
	}
	old := s.local
	s.local.ip = at
	if at.Port() != 0 {
		if n.taken(s) {
			s.local = old
			return syscall.EADDRINUSE
		}
		n.bound = append(n.bound, s)
		return 0
	}
	for range lastPort - firstPort + 1 {
		if n.next++; n.next < firstPort || n.next > lastPort {
			n.next = firstPort
		}
		s.local.ip = netip.AddrPortFrom(at.Addr(), n.next)
		if !n.taken(s) {
			n.bound = append(n.bound, s)
			return 0
		}
	}
	s.local = old
	return syscall.EADDRINUSE
}

// unbind gives an address back.
func (n *network) unbind(s *socket) {
	n.bound = slices.DeleteFunc(n.bound, func(o *socket) bool { return o == s })
	if n.names[s.local.name] == s {
		delete(n.names, s.local.name)
	}
}

// bindName gives a socket of family Unix a name.
func (t *thread) bindName(s *socket, name string) errno {
	switch {
	case s.local.name != "" || name == "":
		return syscall.EINVAL
	case name[0] != 0:
		p, err := t.k.fs.walk(t.p.dir, name, false)
		switch {
		case err != 0:
			return err
		case p.info != nil:
			return syscall.EADDRINUSE
		}
		if err := p.changeable(); err != 0 {
			return err
		}
		name = p.name
	}
	if t.k.net.names[name] != nil {
		return syscall.EADDRINUSE
	}
	if t.k.net.names == nil {
		t.k.net.names = map[string]*socket{}
	}
	t.k.net.names[name] = s
	s.local.name = name
	return 0
}

// lookup returns the socket at an address, if there is one that takes what s sends.
func (t *thread) lookup(s *socket, to address) (*socket, errno) {
	if s.domain != familyUnix {
		if !to.ip.Addr().IsLoopback() {
			return nil, syscall.ENETUNREACH
		}
		if o := t.k.net.find(s.kind, to.ip, s.source(to.ip.Addr().Is4())); o != nil {
			return o, 0
		}
		return nil, syscall.ECONNREFUSED
	}
	name := to.name
	if !strings.HasPrefix(name, "\x00") {
		p, err := t.k.fs.walk(t.p.dir, name, true)
		if err != 0 {
			return nil, err
		}
		name = p.name
	}
	switch o := t.k.net.names[name]; {
	case o == nil && name[0] == 0:
		return nil, syscall.ECONNREFUSED
	case o == nil:
		return nil, syscall.ENOENT
	case o.kind != s.kind:
		return nil, syscall.EPROTOTYPE
	case o.connects() && !o.listening:
		return nil, syscall.ECONNREFUSED
	default:
		return o, 0
	}
}

// address reads a sockaddr for a socket.
func (t *thread) address(s *socket, at, size uint64) (a address, err errno) {
	if size < 2 || size > 128 {
		return a, syscall.EINVAL
	}
	b, err := t.p.bytes(at, size)
	if err != 0 {
		return a, err
	}
	family := int(binary.LittleEndian.Uint16(b))
	switch {
	case family != s.domain:
		return a, syscall.EAFNOSUPPORT
	case family == familyUnix:
		if a.name = string(b[2:]); a.name != "" && a.name[0] != 0 {
			a.name, _, _ = strings.Cut(a.name, "\x00")
		}
	case family == familyInet && size >= 16:
		a.ip = netip.AddrPortFrom(netip.AddrFrom4([4]byte(b[4:])), binary.BigEndian.Uint16(b[2:]))
	case family == familyInet6 && size >= 28:
		a.ip = netip.AddrPortFrom(netip.AddrFrom16([16]byte(b[8:])).Unmap(), binary.BigEndian.Uint16(b[2:]))
	default:
		return a, syscall.EINVAL
	}
	return a, 0
}

// bytes returns the sockaddr of an address for a socket.
func (a address) bytes(domain int) []byte {
	b := binary.LittleEndian.AppendUint16(nil, uint16(domain))
	if domain == familyUnix {
		b = append(b, a.name...)
		if a.name != "" && a.name[0] != 0 {
			b = append(b, 0)
		}
		return b
	}
	b = binary.BigEndian.AppendUint16(b, a.ip.Port())
	ip := a.ip.Addr()
	if domain == familyInet {
		if !ip.IsValid() {
			ip = netip.IPv4Unspecified()
		}
		v4 := ip.As4()
		return append(append(b, v4[:]...), make([]byte, 8)...)
	}
	if !ip.IsValid() {
		ip = netip.IPv6Unspecified()
	}
	v6 := ip.As16()
	return append(append(append(b, 0, 0, 0, 0), v6[:]...), 0, 0, 0, 0)
}

// putAddress stores an address in as much room as there is, and its size.
func (t *thread) putAddress(a address, domain int, at, size uint64) errno {
	room, err := t.p.word32(size)
	if err != 0 {
		return err
	}
	b := a.bytes(domain)
	if err := t.p.put(at, b[:min(len(b), int(room))]); err != 0 {
		return err
	}
	return t.p.putWord32(size, uint32(len(b)))
}
