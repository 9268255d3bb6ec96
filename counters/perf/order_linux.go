package perf

import (
	"slices"
	"sync"
)

// claim is a place among what is to be on a thread's counters. The kernel serves those that are pinned in the order in which they were opened,
// also when they were paused: one that comes back takes its counters from younger ones, which fail for good if they then lack some.
type claim struct {
	thread int
	on     bool // it counts; guarded by the claims' mu
}

// claims are those of each thread, the oldest first.
var claims struct {
	mu sync.Mutex
	of map[int][]*claim
}

// claimOn makes a claim that counts, the youngest of the thread.
func claimOn(thread int) *claim {
	claims.mu.Lock()
	defer claims.mu.Unlock()
	if claims.of == nil {
		claims.of = map[int][]*claim{}
	}
	c := &claim{thread, true}
	claims.of[thread] = append(claims.of[thread], c)
	return c
}

func (c *claim) pause() {
	claims.mu.Lock()
	defer claims.mu.Unlock()
	c.on = false
}

// resume reports whether the claim counts again: not while a younger one does.
func (c *claim) resume() bool {
	claims.mu.Lock()
	defer claims.mu.Unlock()
	of := claims.of[c.thread]
	c.on = c.on || !slices.ContainsFunc(of[slices.Index(of, c):], func(younger *claim) bool { return younger.on })
	return c.on
}

func (c *claim) drop() {
	claims.mu.Lock()
	defer claims.mu.Unlock()
	of := slices.DeleteFunc(claims.of[c.thread], func(o *claim) bool { return o == c })
	if claims.of[c.thread] = of; len(of) == 0 {
		delete(claims.of, c.thread)
	}
}
