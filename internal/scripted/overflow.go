package scripted

import (
	"fmt"
	"slices"
	"sync"

	"tracerec/counters/substrate"
)

// sampler delivers the overflows of one event.
type sampler struct {
	event     *Event
	name      string
	domain    substrate.Domain
	threshold uint64
	thread    int // 0: all
	count     uint64

	mu    sync.Mutex
	cond  *sync.Cond
	queue []substrate.Sample
	limit int
	lost  uint64
	busy  bool // a handler runs
	done  bool
}

// Sample calls handle for every threshold events that happen on the thread of the options, the calling one if they name
// none, until stop is called, which waits for those that are on their way.
func (s *Substrate) Sample(event string, threshold uint64, o substrate.Options, handle func(substrate.Sample)) (func() (uint64, error), error) {
	if !s.config.Overflow && event != s.config.Clock {
		return nil, fmt.Errorf("%s: overflow: %w", event, substrate.ErrUnsupported)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c, err := s.counter(event, o)
	if err != nil {
		return nil, err
	}
	thread, _, err := s.target(o)
	if err != nil {
		return nil, err
	}
	t := &sampler{event: c.event, name: event, domain: c.domain, threshold: threshold, thread: thread, limit: s.config.Queue}
	t.cond = sync.NewCond(&t.mu)
	s.samples = append(s.samples, t)
	delivered := make(chan struct{})
	go func() {
		defer close(delivered)
		t.deliver(handle)
	}()
	return func() (uint64, error) {
		s.mu.Lock()
		s.samples = slices.DeleteFunc(s.samples, func(u *sampler) bool { return u == t })
		s.mu.Unlock()
		t.mu.Lock()
		t.done = true
		t.cond.Broadcast()
		t.mu.Unlock()
		<-delivered
		return t.lost, nil
	}, nil
}

// happen counts towards the threshold.
func (t *sampler) happen(s *Substrate, p Place, e *Event, n uint64) {
	if e != t.event || t.domain&p.Domain == 0 || !e.Process && p.Thread != t.thread {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for t.count += n; t.count >= t.threshold; t.count -= t.threshold {
		if t.limit > 0 && len(t.queue) >= t.limit {
			t.lost++
			continue
		}
		sample := substrate.Sample{Event: t.name, Count: t.threshold, PC: p.PC, Thread: p.Thread, Time: s.now}
		if p.PC != 0 {
			sample.Stack = []uintptr{p.PC}
		}
		t.queue = append(t.queue, sample)
	}
	t.cond.Broadcast()
}

func (t *sampler) deliver(handle func(substrate.Sample)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for {
		for len(t.queue) == 0 {
			if t.done {
				return
			}
			t.cond.Wait()
		}
		next := t.queue[0]
		t.queue, t.busy = t.queue[1:], true
		t.mu.Unlock()
		handle(next)
		t.mu.Lock()
		t.busy = false
		t.cond.Broadcast()
	}
}

// settle returns when nothing waits for the handler.
func (t *sampler) settle() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for len(t.queue) > 0 || t.busy {
		t.cond.Wait()
	}
}
