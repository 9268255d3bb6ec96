package analyzer

import "sync"

// progress tells how far the analysis is. It may be used concurrently.
type progress struct {
	tell func(step string, done, all uint64) // nil: nobody wants to know

	mu        sync.Mutex
	step      string
	done, all uint64
	percent   uint64 // the last one told
}

// begin begins a step with something to do.
func (p *progress) begin(step string, all uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.step, p.done, p.all = step, 0, all
	if p.tell != nil && all > 0 {
		p.tell(step, 0, all)
	}
	p.percent = 0
}

// add says that something of the step is done. What does not change the per cent is not told.
func (p *progress) add(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done += uint64(n)
	if p.tell == nil || p.all == 0 {
		return
	}
	if percent := 100 * p.done / p.all; percent != p.percent {
		p.percent = percent
		p.tell(p.step, p.done, p.all)
	}
}
