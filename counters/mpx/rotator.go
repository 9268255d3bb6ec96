package mpx

import (
	"sync"
	"time"
)

// rotator is the goroutine that rotates the events of all threads of the process; it takes the place of the paper's timer,
// signals and their forwarding (section 5.1). It lives while there is something to rotate. Under full load Go gives it a
// processor late, up to its own time slice of 10 ms; slices are longer then, which their cycles tell.
type rotator struct {
	mu      sync.Mutex
	due     []due // in the order in which they came
	running bool
	wake    chan struct{}
}

type due struct {
	m  *Multiplexer
	at time.Time
}

// shared serves all multiplexers: there is one for a process, as there was one timer.
var shared = rotator{wake: make(chan struct{}, 1)}

// enlist tells the rotator whether events wait for their turn; m.mu is held.
func (m *Multiplexer) enlist() {
	if m.o.Slice < 0 {
		return
	}
	if m.waiting() == 0 {
		shared.remove(m)
		return
	}
	if shared.add(m) {
		m.ticks.at = m.clock
	}
}

// add reports whether m was not there yet.
func (r *rotator) add(m *Multiplexer) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range r.due {
		if r.due[i].m == m {
			return false
		}
	}
	r.due = append(r.due, due{m, time.Now().Add(m.o.Slice)})
	if !r.running {
		r.running = true
		go r.run()
	}
	select {
	case r.wake <- struct{}{}:
	default:
	}
	return true
}

func (r *rotator) remove(m *Multiplexer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range r.due {
		if r.due[i].m == m {
			r.due = append(r.due[:i:i], r.due[i+1:]...)
			return
		}
	}
}

// run rotates until nobody needs it any more.
func (r *rotator) run() {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		ready, wait := r.collect()
		if wait < 0 {
			return
		}
		for _, m := range ready {
			m.Rotate()
		}
		if len(ready) > 0 {
			continue
		}
		timer.Reset(wait)
		select {
		case <-timer.C:
		case <-r.wake:
		}
	}
}

// collect returns who is due and for how long to wait if nobody is; a negative time means for ever.
func (r *rotator) collect() (ready []*Multiplexer, wait time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.due) == 0 {
		r.running = false
		return nil, -1
	}
	now := time.Now()
	wait = time.Hour
	for i := range r.due {
		d := &r.due[i]
		if late := now.Sub(d.at); late >= 0 {
			ready = append(ready, d.m)
			if d.at = d.at.Add(d.m.o.Slice); late > d.m.o.Slice {
				d.at = now.Add(d.m.o.Slice)
			}
		}
		wait = min(wait, d.at.Sub(now))
	}
	return ready, max(0, wait)
}
