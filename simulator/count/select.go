//go:build linux

package count

import "slices"

// Scope says whose counts are meant.
type Scope uint8

// The scopes. Those of threads, tasks and goroutines are parts of a process.
const (
	OfProcess   Scope = iota // all but [Measurement]
	OfThread                 // all that it executes, whoever's goroutines
	OfGoroutine              // what it does on its own stack, in the program that the process executes now
	OfTask                   // what threads did while they said that they run it, see [Counters.SwitchTask]
	OfDomain                 // a [Domain] of the process
	scopes
)

// Valid tells whether there is such a scope.
func (s Scope) Valid() bool { return s < scopes }

// mostTasks is how many tasks a process may have.
const mostTasks = 1 << 16

// change is an account that was counted in since distribute was last called, as it was then.
type change struct {
	of     *account
	before Values
}

// choose makes an account the one at hand.
func (c *Counters) choose(a *account) {
	c.flush()
	before := c.now
	c.now = a
	c.mark(a)
	c.charged(before)
}

// mark remembers what an account had before it is counted in.
func (c *Counters) mark(a *account) {
	if !a.changed {
		a.changed = true
		c.changes = append(c.changes, change{a, a.values})
	}
}

// distribute adds what was counted since it was last called to the process and the thread at hand, and to its task; what [Measurement] is charged with, to
// none of them. So sums need no visit to all accounts.
func (c *Counters) distribute() {
	c.flush()
	for i := range c.changes {
		ch := &c.changes[i]
		d := ch.of.values.Since(ch.before)
		ch.of.changed = false
		p := c.process(ch.of.process)
		p.domains[ch.of.domain].Add(&d)
		if ch.of.domain == Measurement { // nobody's
			continue
		}
		p.all.Add(&d)
		t := p.thread(c.turn.Thread)
		t.values.Add(&d)
		if t.task != 0 {
			p.task(t.task).values.Add(&d)
		}
	}
	c.changes = c.changes[:0]
	c.mark(c.now)
}

func (p *process) task(id uint64) *task {
	t := p.tasks[id]
	if t == nil {
		t = new(task)
		p.tasks[id] = t
	}
	return t
}

// Of returns what was counted so far in a scope of a process: of its thread, goroutine, task or domain of that number. What has not been
// seen has zeros. Kernel is the modelled work of the kernel for it, which is in no other scope's values.
func (c *Counters) Of(process int, s Scope, id uint64) (user, kernel Values) {
	c.distribute()
	p := c.process(process)
	switch s {
	case OfProcess:
		user = p.all
	case OfThread:
		user = p.thread(int(id)).values
	case OfTask:
		if t := p.tasks[id]; t != nil {
			user = t.values
		}
	case OfDomain:
		if id < uint64(domains) {
			user = p.domains[id]
		}
	case OfGoroutine:
		for _, d := range [...]Domain{Goroutine, Collector} {
			if a := c.accounts[key{process: process, image: p.image, goroutine: id, domain: d}]; a != nil && id != 0 {
				user.Add(&a.values)
			}
		}
	}
	return user, c.kernel(&user)
}

// kernel returns what the kernel did for those who made so many calls, by the model.
func (c *Counters) kernel(user *Values) (v Values) {
	if c.machine != nil {
		v[KernelCycles] = user[SystemCalls] * c.machine.Cycles.SystemCall
	}
	return v
}

// Running returns the number of the goroutine that the thread at hand executes, 0 if it is in none or that is not known.
func (c *Counters) Running() uint64 {
	if c.turn.Hart == nil {
		return 0
	}
	k, _ := c.who(c.turn.Hart.X[27])
	return k.goroutine
}

// Alive tells whether a process has, or had, a thread of that number that has not ended.
func (c *Counters) Alive(process, thread int) bool {
	t := c.process(process).threads[thread]
	return t != nil && !t.ended
}

// SwitchTask says which task a thread executes from now on, 0 for none: programs that have schedulers of their own tell so. It reports false
// if the task has ended, or if there are too many.
func (c *Counters) SwitchTask(process, thread int, id uint64) bool {
	c.distribute()
	p := c.process(process)
	if t := p.tasks[id]; t != nil && t.ended || t == nil && len(p.tasks) >= mostTasks {
		return false
	}
	if id != 0 {
		p.task(id)
	}
	p.thread(thread).task = id
	return true
}

// EndTask says that a task has ended, whoever executes it. It reports false if there is none of that number.
func (c *Counters) EndTask(process int, id uint64) bool {
	c.distribute()
	p := c.process(process)
	if t := p.tasks[id]; t == nil || t.ended {
		return false
	}
	p.tasks[id].ended = true
	for _, t := range p.threads {
		if t.task == id {
			t.task = 0
		}
	}
	return true
}

// Tasks returns what was counted of each task of a process.
func (c *Counters) Tasks(process int) map[uint64]Values {
	c.distribute()
	out := map[uint64]Values{}
	for id, t := range c.process(process).tasks {
		out[id] = t.values
	}
	return out
}

// Kernel tells whether the kernel's part of an event is modelled.
func (c *Counters) Kernel(e *Event) bool {
	if c.machine == nil {
		return false
	}
	for _, t := range e.terms {
		if t.c != KernelCycles {
			return false
		}
	}
	return e.terms != nil || slices.Contains(e.spent, onKernel)
}

// Evaluate returns the value of one of the [Counters.Events].
func (c *Counters) Evaluate(e *Event, v *Values) uint64 {
	var n uint64
	if e.spent != nil {
		all := cycles(&c.machine.Cycles, c.machine.L3 != nil, v)
		for _, s := range e.spent {
			n += all[s]
		}
	}
	for _, t := range e.terms {
		n += uint64(t.n) * v[t.c]
	}
	return n
}

// Silent tells whether what is executed now only asks the simulator, so that it is charged to [Measurement] and touches no
// caches.
func (c *Counters) Silent() bool { return c.silent }

// hush begins or ends such code, when h is about to execute it.
func (c *Counters) hush(silent bool, g uint64) {
	c.flush()
	if c.silent = silent; silent {
		c.caching, c.predictor = nil, nil
		c.lend()
		c.choose(c.account(key{process: c.turn.Process, image: c.running.image, thread: c.turn.Thread, domain: Measurement}, 0))
		return
	}
	c.speak()
	switch was := c.note; {
	case c.predictor == nil:
	case was.leaves.returns:
		c.predictor.Return(0) // from the call into it
	case was.leaves.calls:
		c.predictor.Call(was.end)
	}
	c.charge(g)
}

// speak ends silent code without saying where it goes on.
func (c *Counters) speak() {
	c.silent = false
	if len(c.caches) > 0 {
		c.processor(c.turn.CPU)
		c.lend()
	}
}
