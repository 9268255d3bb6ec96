package analyzer

import (
	"errors"
	"fmt"
	"regexp"

	"tracerec/metric"
)

// Pattern describes one performance property: a metric, and for wait states the formula that finds it in
// the derived operations of a synchronisation object. A pattern without callbacks is a metric that the
// analyzer computes itself (time, visits, critical path …). A Pattern is constant and holds no state.
type Pattern struct {
	metric.Metric

	// BusyAdvice is what to do where everybody who could have ended the waiting was busy, instead of Advice; "" if that makes no difference.
	BusyAdvice string
	ForRoom    bool // waits for room in a buffer, which may be a semaphore

	Requires Derived // the derived operations that the callbacks below take, no more and no less

	OnMessage    func(*Found, Message)
	OnClosing    func(*Found, Closing)
	OnContention func(*Found, Contention)
	OnJoin       func(*Found, Join)
	OnWakeup     func(*Found, Wakeup)
	OnOnceCall   func(*Found, OnceCall)
	OnArrival    func(*Found, Arrival)
	OnUnmatched  func(*Found, Unmatched)
}

// Derived is a set of kinds of derived operations: what a matcher assembles from the operations of several
// locations on one object.
type Derived uint16

// The kinds of derived operations.
const (
	Messages Derived = 1 << iota
	Closings
	Contentions
	Joins
	Wakeups
	OnceCalls
	Arrivals
	Unmatcheds
)

// NoOp is the index of an operation that is not in the trace.
const NoOp = int32(-1)

// The derived operations. Their operations are indexes in Found.Ops.
type (
	// Message is one element that went through a channel.
	Message struct {
		Send int32
		Recv int32 // the receive that took it, NoOp if not recorded
		// Room is the receive that made room for it, that of the element sent as many places before as
		// the channel has capacity: Recv itself on a channel without buffer. NoOp if not recorded.
		Room int32
	}
	// Closing is a receive that saw its channel closed.
	Closing struct {
		Recv, Close int32
	}
	// Contention is time [Begin, End) of an acquisition during which another location kept it from the
	// lock: Holder is the acquisition by which that location held the lock, or was about to.
	Contention struct {
		Op, Holder int32
		Begin, End int64
	}
	// Join is a WaitGroup.Wait and the Done that released it.
	Join struct {
		Wait, Last int32
		Mean       int64 // mean time of the Dones of the generation, ns
	}
	// Wakeup is a Cond.Wait and the Signal or Broadcast that released it.
	Wakeup struct {
		Wait, Signal int32
	}
	// OnceCall is a call of Once.Do that met the call which ran the function.
	OnceCall struct {
		Call, Run int32
	}
	// Arrival is one participant of one barrier generation.
	Arrival struct {
		Op, Latest int32 // itself, and who arrived last
		FirstEnd   int64 // when the first participant left, ns
	}
	// Unmatched is an operation that blocked and whose partner is not recorded.
	Unmatched struct {
		Op int32
	}
)

// callbacks returns the derived operations that p has a callback for.
func (p *Pattern) callbacks() (d Derived) {
	for _, c := range []struct {
		set  bool
		kind Derived
	}{
		{p.OnMessage != nil, Messages}, {p.OnClosing != nil, Closings}, {p.OnContention != nil, Contentions},
		{p.OnJoin != nil, Joins}, {p.OnWakeup != nil, Wakeups}, {p.OnOnceCall != nil, OnceCalls},
		{p.OnArrival != nil, Arrivals}, {p.OnUnmatched != nil, Unmatcheds},
	} {
		if c.set {
			d |= c.kind
		}
	}
	return d
}

var identifier = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// Validate checks that the patterns form a proper list: identifiers as names, no name twice, parents before
// their children and of the same unit, all texts present (advice: for wait states), and callbacks exactly
// for the required derived operations. All faults are reported, joined.
func Validate(list []*Pattern) error {
	var errs []error
	seen := map[string]*Pattern{}
	for i, p := range list {
		if p == nil {
			errs = append(errs, fmt.Errorf("pattern %d is nil", i))
			continue
		}
		for _, f := range p.faults(seen) {
			errs = append(errs, fmt.Errorf("pattern %q: %s", p.Name, f))
		}
		seen[p.Name] = p
	}
	return errors.Join(errs...)
}

// faults lists what is wrong with p, given the patterns before it.
func (p *Pattern) faults(seen map[string]*Pattern) (f []string) {
	bad := func(wrong bool, what string) {
		if wrong {
			f = append(f, what)
		}
	}
	bad(!identifier.MatchString(p.Name), "the name is not an identifier")
	bad(seen[p.Name] != nil, "the name is taken")
	bad(p.Title == "", "no title")
	bad(p.Description == "", "no description")
	bad(p.Formula == "", "no formula")
	bad(p.Wait && p.Advice == "", "a wait state without advice")
	bad(p.Wait && p.Unit != metric.Nanoseconds, "a wait state that is no time")
	if p.Parent != "" {
		parent := seen[p.Parent]
		bad(parent == nil, "the parent does not come before it")
		bad(parent != nil && parent.Unit != p.Unit, "the parent has another unit")
	}
	bad(p.callbacks() != p.Requires, "callbacks do not fit the required derived operations")
	return f
}
