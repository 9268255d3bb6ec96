//go:build linux

package service

import (
	"encoding/binary"
	"syscall"

	"tracerec/simulator/count"
	"tracerec/simulator/guest"
	"tracerec/simulator/memory"
)

// onSet makes an answer of one that is about a set of the calling process.
func onSet(do func(c *caller, s *set) (int64, syscall.Errno)) func(c *caller) (int64, syscall.Errno) {
	return func(c *caller) (int64, syscall.Errno) {
		if p := c.processes[c.turn.Process]; p != nil {
			if s := p.list[c.a[1]]; s != nil {
				return do(c, s)
			}
		}
		return 0, syscall.EBADF
	}
}

// initialize makes a set and returns its number.
func (c *caller) initialize() (int64, syscall.Errno) {
	w := who{c.turn.Process, count.OfProcess, c.a[3]}
	scope := guest.Scope(c.a[1])
	switch scope {
	case guest.Process:
		w.id = 0
	case guest.Thread:
		w.scope = count.OfThread
		if w.id == 0 {
			w.id = uint64(c.turn.Thread)
		}
		if !c.count.Alive(w.process, int(w.id)) {
			return 0, syscall.ESRCH
		}
	case guest.Goroutine, guest.Caller:
		w.scope = count.OfGoroutine
		if w.id == 0 {
			w.id = c.count.Running()
		}
		if w.id == 0 { // not a Go program, or none whose goroutines are told apart
			return 0, syscall.ESRCH
		}
	case guest.Task:
		w.scope = count.OfTask
	case guest.Domain:
		w.scope = count.OfDomain
	default:
		return 0, syscall.EINVAL
	}
	p := c.processes[w.process]
	if p == nil {
		p = &sets{list: map[uint64]*set{}}
		c.processes[w.process] = p
	}
	if len(p.list) >= maxSets {
		return 0, syscall.EMFILE
	}
	p.next++
	p.list[p.next] = &set{whose: w, caller: scope == guest.Caller}
	return int64(p.next), 0
}

// choose says which events a set counts.
func (c *caller) choose(s *set) (int64, syscall.Errno) {
	if c.a[3] > guest.MaxEvents {
		return 0, syscall.EINVAL
	}
	b, err := c.memory(c.a[2], c.a[3], 4, memory.Read)
	if err != 0 {
		return 0, err
	}
	events := []int{} // not nil
	for ; len(b) > 0; b = b[4:] {
		n := binary.LittleEndian.Uint32(b)
		if n >= uint32(len(c.events)) {
			return 0, syscall.ENOENT
		}
		events = append(events, int(n))
	}
	s.events = events
	return c.reset(s)
}

// values returns what was counted so far of the set's part of the program.
func (c *caller) values(s *set) [2]count.Values {
	user, kernel := c.count.Of(s.whose.process, s.whose.scope, s.whose.id)
	return [2]count.Values{user, kernel}
}

func (c *caller) start(s *set) (int64, syscall.Errno) {
	if s.caller || s.running {
		return 0, syscall.EINVAL
	}
	s.running, s.from = true, c.values(s)
	return 0, 0
}

func (c *caller) stop(s *set) (int64, syscall.Errno) {
	if !s.running {
		return 0, syscall.EINVAL
	}
	s.advance(c.values(s))
	s.running = false
	return 0, 0
}

// advance adds what was counted since the set was started, or since it was last read.
func (s *set) advance(now [2]count.Values) {
	user, kernel := now[0].Since(s.from[0]), now[1].Since(s.from[1])
	s.user.Add(&user)
	s.kernel.Add(&kernel)
	s.from = now
}

func (c *caller) reset(s *set) (int64, syscall.Errno) {
	s.user, s.kernel = count.Values{}, count.Values{}
	if s.running {
		s.from = c.values(s)
	}
	return 0, 0
}

func (c *caller) free(*set) (int64, syscall.Errno) {
	delete(c.processes[c.turn.Process].list, c.a[1])
	return 0, 0
}

func (c *caller) read(s *set) (int64, syscall.Errno) {
	if s.running {
		s.advance(c.values(s))
	}
	return 0, c.put(s, &s.user, &s.kernel)
}

// now stores what was counted since the beginning, and returns the number of the goroutine that asks.
func (c *caller) now(s *set) (int64, syscall.Errno) {
	asks := c.count.Running()
	if s.caller {
		s.whose.id = asks
	}
	v := c.values(s)
	return int64(asks), c.put(s, &v[0], &v[1])
}

// put stores the values of the set's events, those of the kernel if they are wanted.
func (c *caller) put(s *set, user, kernel *count.Values) syscall.Errno {
	n := uint64(len(s.events))
	if s.events == nil {
		n = uint64(len(c.events))
	}
	if c.a[3] != n {
		return syscall.EINVAL
	}
	b, err := c.memory(c.a[2], n, 8, memory.Write)
	if err != 0 {
		return err
	}
	var k []byte
	if c.a[4] != 0 {
		if k, err = c.memory(c.a[4], n, 8, memory.Write); err != 0 {
			return err
		}
	}
	for i := range int(n) {
		e := &c.events[i]
		if s.events != nil {
			e = &c.events[s.events[i]]
		}
		binary.LittleEndian.PutUint64(b[8*i:], c.count.Evaluate(e, user))
		if k == nil {
			continue
		}
		v := guest.Absent
		if c.count.Kernel(e) {
			v = c.count.Evaluate(e, kernel)
		}
		binary.LittleEndian.PutUint64(k[8*i:], v)
	}
	return 0
}

// Loaded implements [linux.Lifecycle]: another program begins without sets.
func (s *Services) Loaded(process int, _ []byte) { delete(s.processes, process) }

// Forked implements [linux.Lifecycle]: the child has its parent's sets, which count for it from zero.
func (s *Services) Forked(parent, child int) {
	p := s.processes[parent]
	if p == nil {
		return
	}
	c := &sets{list: map[uint64]*set{}, next: p.next}
	for id, of := range p.list {
		own := &set{whose: of.whose, caller: of.caller, events: of.events, running: of.running}
		if own.whose.process = child; own.whose.scope == count.OfThread {
			own.whose.id = uint64(child) // its only thread
		}
		c.list[id] = own
	}
	s.processes[child] = c
}

// Ended implements [linux.Lifecycle].
func (s *Services) Ended(process, thread int) {
	if thread == 0 {
		delete(s.processes, process)
	}
}
