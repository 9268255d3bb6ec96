package random

// stream is a connection within the program: what one goroutine writes another one reads. Of some writes nothing is recorded.
type stream struct {
	name        string
	put, got    int // bytes
	reader      *proc
	interrupted *interruptions
}

// interruptions are those of waits for the network.
type interruptions struct {
	name  string
	count int
}

// write writes some bytes to s.
func (p *proc) write(s *stream, recorded bool) {
	n := 1 + p.w.IntN(3)
	if recorded {
		p.emit(0, "write %s %d %s", s.name, s.put+n, p.site())
	}
	p.lag()
	if s.put += n; s.reader != nil {
		s.reader.wake(served)
		s.reader = nil
	}
}

// read reads what there is in s; if there is nothing, it waits.
func (p *proc) read(s *stream) {
	if s.got == s.put && s.reader == nil {
		s.reader = p
		p.open("network %s", p.site())
		p.lag()
		how := served
		if p.emit(0, "blocked"); s.got == s.put {
			how = p.parkUnless(func() { s.reader = nil })
		}
		s.reader = nil
		p.lag()
		switch how {
		case served:
			p.emit(-1, "reached %s received %d", s.name, s.got+1)
		case closed:
			p.emit(-1, "reached %s closed %d", s.interrupted.name, p.number)
		default:
			p.leave("")
		}
	}
	s.got = s.put
}

// interrupt ends a wait on s.
func (p *proc) interrupt(s *stream) {
	if s.reader == nil {
		return
	}
	r := s.reader
	s.reader = nil
	s.interrupted.count++
	p.emit(0, "interrupt %s %d %s", s.interrupted.name, s.interrupted.count, p.site())
	r.number = s.interrupted.count
	p.lag()
	r.wake(closed)
}
