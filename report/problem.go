package report

import (
	"fmt"
	"slices"
	"strings"

	"tracerec/metric"
)

// The names of the problems.
const (
	PoolExhausted      = "pool_exhausted"
	PoolTooSmall       = "pool_too_small"
	ReaderBehindWriter = "reader_behind_writer"
	HeldAcrossWait     = "held_across_wait"
	BackPressure       = "back_pressure"
	TimerBound         = "timer_bound"
	GCPressure         = "gc_pressure"
	TooFewProcessors   = "too_few_processors"
	ThunderingHerd     = "thundering_herd"
	SerialSection      = "serial_section"
	HeadOfLine         = "head_of_line"
	PoolTooLarge       = "pool_too_large"
	LockConvoy         = "lock_convoy"
	BusyWait           = "busy_wait"
)

// problems are known ways in which Go programs come to wait. They are recognised by a chain of waits, so they have no severities of their own.
var problems = []metric.Metric{
	{
		Name: PoolExhausted, Title: "Pool exhausted",
		Description: "All connections or places of a pool were taken: who wanted one waited until somebody gave one back. It is not the network or the " +
			"database that was waited for, but the limit of the pool.",
		Formula: "a wait in the function of a library that waits for a place: database/sql.(*DB).conn, semaphore.(*Weighted).Acquire and " +
			"errgroup.(*Group).Go of golang.org/x/sync, the pool of github.com/redis/go-redis, or of net/http for a connection, if there are twice as many of these waits as connections were begun, or a wait to send to a channel all places of which were taken, or to receive from one that those who wait send to as often",
		Advice: "First find out what those who have the places do meanwhile: a transaction or rows that stay open during other work, or a slow statement, keep " +
			"a place. Then raise the limit (SetMaxOpenConns, MaxConnsPerHost, PoolSize, NewWeighted, SetLimit, the size of the channel), if what is behind it can take more.",
	},
	{
		Name: PoolTooSmall, Title: "Pool too small",
		Description: "All workers of a pool were busy while others waited for them.",
		Formula:     "a wait for goroutines of one group, at one object, or for whom the waiters are known to wait in common; some of them were waited for several times, and they waited for others for no more than a tenth of their lives, without the time in which they had no processor, nor mostly for a timer; nor, if they bring something, for what comes from outside, nor slept for most of them without taking anything from a channel or from behind a lock; and processors were not all busy for four fifths of the run",
		Advice: "More workers help if they wait for something that is not the processor (the network, a disk), or if processors are idle. Otherwise the work must become " +
			"less or faster.",
	},
	{
		Name: PoolTooLarge, Title: "Pool too large",
		Description: "Half of the workers of a pool, or more, were never busy at the same time: at this load fewer would do.",
		Formula: "a wait for work, on one channel that all workers of a pool of four or more take it from; for 99 % of the time no more than half of them did not wait there at once; and what was waited " +
			"for is no other known problem",
		Advice: "It does not make anything slower by itself, but each worker has a stack, and often a buffer or a connection. Keep as many as are busy at the highest load that you expect.",
	},
	{
		Name: ReaderBehindWriter, Title: "A writer and readers behind one long reader",
		Description: "Readers of an RWMutex waited for a writer that did not have the lock yet: it waited for an earlier reader. Go lets no new reader in while a " +
			"writer waits, so a writer never starves for ever; but one long reader stops the writer, and with it all later readers.",
		Formula: "a reader's wait for a writer which itself waited for readers; of a lock, if that is most of what readers waited for, and readers in one function are those that " +
			"writers wait for, but not those who wait",
		Advice: "Shorten the longest reader: copy under the lock what it needs, and work on the copy. Or write less often, several changes at a time. For data that " +
			"is read as a whole, publish a new copy through an atomic pointer.",
	},
	{
		Name: HeldAcrossWait, Title: "Lock held across a wait",
		Description: "Whoever held the lock was not at work but waited itself, for the network, a timer, a channel or the system. All others waited with it.",
		Formula: "a wait for a lock, during most of which those who held it slept, were in system calls, or waited for something that is not a lock; if they waited for a " +
			"lock, for those who held that one",
		Advice: "Do not wait while you hold the lock. Do the slow call before or after, and lock only to take its result over; note that it is under way, so that it " +
			"is not done twice (singleflight).",
	},
	{
		Name: BackPressure, Title: "Back-pressure",
		Description: "A stage of a pipeline waited for the next one to take its values: the next stage, or one further on, is slower, and sets the pace of all before it.",
		Formula:     "several waits to send, for a receiver or for room in the buffer; the limiting stage is the last one of the chain, which does not wait to send itself",
		Advice: "Make the limiting stage faster, or give it more goroutines. A larger buffer helps only if the stages are uneven in time, not if one is slower on average. " +
			"Making earlier stages faster helps nothing.",
	},
	{
		Name: HeadOfLine, Title: "Behind one that is slow (head-of-line blocking)",
		Description: "A goroutine sends to several others, or receives from them, each in its turn: a dispatcher with a channel for each worker, or a stage that keeps an order. One whose turn it was, was " +
			"not ready; the others were, and waited for theirs.",
		Formula: "a wait to send to, or to receive from, one goroutine of a group, for half of which or more others of the group wait for the waiting one, at the same places; and half of their waiting " +
			"or more is then",
		Advice: "If the order does not matter, let all take from, or send to, one channel: whoever is ready goes on. If it does, let the others go on in the meantime: give each a buffer, as long as " +
			"the slow one takes, or collect what is ready and put it in order behind. Look for what makes the slow one slow, too.",
	},
	{
		Name: TimerBound, Title: "Waiting for a timer",
		Description: "What was waited for in the end was time: the goroutine that was to go on slept.",
		Formula:     "a wait for a goroutine, during most of which that slept",
		Advice: "If it sleeps until something is ready, have it told instead, by a channel or a condition. If it slows down on purpose (a rate limit, a retry, a batch that " +
			"fills up), that pace is what others get; if many wait for few who sleep, more of these help. If it is a deadline that ran down, look at what did not come in time: a shorter one only gives up earlier.",
	},
	{
		Name: BusyWait, Title: "Busy-waiting",
		Description: "Those who were waited for were not at work: they waited themselves, trying something again and again until it succeeds, which keeps a processor from others.",
		Formula:     "a wait for goroutines that were for most of it in places where more than half of the time in which goroutines ran is polling",
		Advice: "Find out what they try there, and what makes that possible: once it comes earlier, so does all that waits for them. Less work for them, or more of them, does not help. And let them wait: receive without a " +
			"default, Lock, Cond.Wait, or a select with a timer or a context. That needs no processor, goes on at once, and shows whom they wait for.",
	},
	{
		Name: GCPressure, Title: "Garbage collection holds up the work",
		Description: "Goroutines had to help the garbage collector before they could allocate: the program allocates faster than it collects. Or they waited for it in runtime.GC.",
		Formula:     "gc_assist is a twentieth of execution and gc_assist together, and of the length of the run, or a quarter of the processor time, and 50 ms, is the runtime's own and goroutines helped the collector; of a request, the part that makes it slow",
		Advice: "Allocate less where the time is lost: reuse buffers, avoid conversions and boxing (go test -benchmem, the allocs profile). Raise GOGC, or set GOMEMLIMIT " +
			"with GOGC=off, if there is memory left: collections become fewer. A program need not call runtime.GC.",
	},
	{
		Name: TooFewProcessors, Title: "Too few processors",
		Description: "Goroutines could have gone on, but no processor was free. Or they waited for workers, or for a place, while those who worked had all processors.",
		Formula: "for a request, the part that makes it slow is time in which a goroutine was ready to run, if goroutines were for at least half as long while all processors were busy; pool_too_small, or pool_exhausted by those who work, while all processors are busy for four fifths of the run; a wait for goroutines, during most of which they were ready to run, if processors were lacking in the whole run; " +
			"for a run, see the sentence above the findings",
		Advice: "Less work or more processors help; more goroutines do not. In a container, GOMAXPROCS above the quota makes it worse, as threads are stopped for the " +
			"rest of a period: Go 1.25 and newer respect the quota unless GOMAXPROCS is set. See also gc_pressure: the collector takes processors, too.",
	},
	{
		Name: ThunderingHerd, Title: "Many woken at once",
		Description: "Cond.Broadcast woke many goroutines at once, which then waited for each other: before Wait returns, each needs the lock. If most of them find " +
			"that there is nothing to do, they were woken in vain.",
		Formula: "a wait for a lock, most of it by goroutines that come from Cond.Wait; there are two such waits or more for each Signal and Broadcast of the program",
		Advice: "Use Signal, once for each thing there is to do, if any waiter may do it. If waiters wait for different things, give each thing a condition of its own. A channel wakes one " +
			"receiver for each value.",
	},
	{
		Name: SerialSection, Title: "Work under a lock sets the pace",
		Description: "For most of the run somebody waited for a lock, whose holder was at work. This work is done one after the other, whatever the number of goroutines and processors: it is what the run lasts for.",
		Formula:     "a wait for a lock that readers do not share, during which the critical path was on holders who mostly ran, for half of it or more",
		Advice: "More goroutines or processors do not help. Do as much of the work as possible before the lock is taken, or after: under it, only take over results. Or let there be " +
			"several locks, each for a part of the data, or data of their own for the goroutines, which are put together at the end.",
	},
	{
		Name: LockConvoy, Title: "Lock convoy: a queue that does not end",
		Description: "Goroutines hold a lock only for a short time, but take it so often that a queue stays: each finds it held, gets it from one who had waited, too, and is back before the queue is gone. " +
			"So each acquisition costs a switch of goroutines, and they are in the queue much longer than any of them has the lock. The queue stays even if there is time for all, once something has made it.",
		Formula: "a wait for a lock that readers do not share, more than half of which is by goroutines that had waited for it before, since when whoever got it had waited, too, and let one go on that had waited " +
			"already when it got the lock itself; none had it for half as long as the wait; for a request, more than half of its waiting there is like that. If holders waited with it, this is held_across_wait; if they worked with it for half of the run, serial_section",
		Advice: "Take the lock less often: do several things each time, or collect results in data of each goroutine's own and put them together now and then; for a counter or a flag, use an atomic. " +
			"Split the lock by key. Or let fewer goroutines at it, as many as there are processors: more only make the queue longer.",
	},
}

// Problems returns the known problems, as metrics without values.
func Problems() []metric.Metric {
	list := slices.Clone(problems)
	for i := range list {
		list[i].Kind = metric.Problem
	}
	return list
}

// problem returns the problem of a name, nil for "".
func problem(name string) *metric.Metric {
	i := slices.IndexFunc(problems, func(m metric.Metric) bool { return m.Name == name })
	if i < 0 {
		return nil
	}
	return &problems[i]
}

// did is what a goroutine did: the first of a chain waited, each next one was waited for by the one before.
type did struct {
	metric string
	path   []string // of its call
}

// places are the functions of libraries that wait for a place, by an operation on a channel. What they call may wait for other things.
var places = []string{
	"sql.(*DB).conn", "semaphore.(*Weighted).Acquire", "errgroup.(*Group).Go",
	"pool.(*ConnPool).waitTurn", "internal.(*FastSemaphore).Acquire", "internal.(*FastSemaphore).AcquireBlocking", // of go-redis, older and newer
}

// forPlace says whether it waited for a place.
func (d *did) forPlace() bool {
	n := len(d.path)
	return n > 1 && slices.Contains(places, d.path[n-2]) && (sendsLate(d.metric) || d.metric == metric.LateSender || d.metric == metric.LateClose || d.metric == metric.ExternalWait)
}

// fewConns says whether a finding is of clients of net/http that wait for connections of others, as there may be no more (MaxConnsPerHost): else each of them begins a connection of its own, by a goroutine.
func (e *Experiment) fewConns(f *Finding) bool {
	return e.getsConn(f) && e.Header.States && f.Instances >= 2*e.connsBegun()
}

// getsConn says whether a finding is of clients of net/http that wait for a connection.
func (e *Experiment) getsConn(f *Finding) bool {
	path := e.pathOf(f.Path)
	return len(path) > 1 && path[len(path)-2] == "http.(*Transport).getConn"
}

// connsBegun is how many connections clients of net/http began.
func (e *Experiment) connsBegun() (n uint64) {
	for _, g := range e.Groups {
		if strings.HasPrefix(g.Name, "http.(*Transport).") && (strings.Contains(g.Name, "ialConnFor") || strings.Contains(g.Name, "queueForDial")) {
			n += uint64(g.Count)
		}
	}
	return n
}

// limited says whether it waited for a rate limiter, whose pace is the same however many wait for it.
func (d did) limited() bool {
	n := len(d.path)
	return n > 1 && strings.HasPrefix(d.path[n-2], "rate.(*Limiter).")
}

// busyProblem returns the name of the problem of a finding whose workers were busy. More of them help neither if they mostly waited for a rate limiter or a timer, nor if the
// processors were busy, too, for four fifths of the run.
func (e *Experiment) busyProblem(f *Finding) string {
	work, most := e.workers(f)
	leaf := e.leaf(most)
	switch h := &e.Header; {
	case work > 0 && did{path: e.pathOf(most)}.limited(),
		work > 0 && h.States && leaf.Operation && (leaf.Name == recvName || leaf.Name == selectName) && e.spentAt(most).doing == awaiting:
		return TimerBound
	case h.busy():
		return TooFewProcessors
	}
	return PoolTooSmall
}

// busy says whether all processors were for four fifths of the run.
func (h *Header) busy() bool { return h.Load != nil && 5*h.Load.Busy >= 4*h.Wall }

// exhausted returns the name of the problem of a finding in which all places were taken. More of them do not help if who had them worked, and the processors were busy.
func (e *Experiment) exhausted(work bool) string {
	if work && e.Header.busy() {
		return TooFewProcessors
	}
	return PoolExhausted
}

// pathOf is the call path of an operation, with the function that it is in before it, also if that is none of the regions.
func (e *Experiment) pathOf(path uint32) []string {
	names, r, above := e.CallPath(path), e.leaf(path), ""
	if !r.Operation {
		return names
	}
	if parent := e.Paths[path].Parent; parent >= 0 {
		above = e.leaf(uint32(parent)).Func
	}
	return WithFunction(names, r.Func, above)
}

// alike says whether two goroutines are of one kind.
func alike(a, b *did) bool { return len(a.path) > 0 && len(b.path) > 0 && a.path[0] == b.path[0] }

// serves says whether a goroutine serves requests.
func (d *did) serves() bool {
	return slices.ContainsFunc(d.path, func(function string) bool { return slices.Contains(serving, function) })
}

// recognise returns the name of the problem that a chain is an instance of, "" for none that is known.
func recognise(chain []did) string {
	first, last := &chain[0], &chain[len(chain)-1]
	for i := range chain {
		switch {
		case chain[i].forPlace() && last.metric == metric.Ready: // who had the place
			return TooFewProcessors
		case chain[i].forPlace():
			return PoolExhausted
		case chain[i].limited():
			return TimerBound
		}
	}
	if len(chain) > 1 && first.metric == metric.ReaderWait && chain[1].metric == metric.WriterWait {
		return ReaderBehindWriter
	}
	holder := slices.IndexFunc(chain, func(d did) bool { return !isLockWait(d.metric) }) // or of those who waited for a lock before it
	switch {
	case holder > 0 && (waitsFor(chain[holder].metric) || chain[holder].metric == metric.Sleep || chain[holder].metric == metric.SystemCall):
		return HeldAcrossWait
	case sendsLate(first.metric) && last.metric == metric.Ready:
		return TooFewProcessors
	case len(chain) > 1 && sendsLate(first.metric) && alike(first, &chain[1]): // a channel that counts places, of which nobody knows how many there are
		return ""
	case len(chain) > 1 && sendsLate(first.metric):
		return BackPressure
	case len(chain) > 1 && first.metric == metric.LateSender && alike(first, &chain[1]) && first.serves(): // likewise
		return ""
	case len(chain) > 1 && first.metric != metric.JoinWait && (last.metric == metric.Sleep || last.metric == metric.TimerWait):
		return TimerBound
	case last.metric == metric.GCAssist:
		return GCPressure
	case last.metric == metric.Ready:
		return TooFewProcessors
	}
	return ""
}

func isLockWait(name string) bool {
	return name == metric.LockCompetition || name == metric.ReaderWait || name == metric.WriterWait
}

func sendsLate(name string) bool { return name == metric.LateReceiver || name == metric.FullBuffer }

// waitsFor says whether a metric is waiting for somebody, or something outside.
func waitsFor(name string) bool {
	switch name {
	case metric.LateSender, metric.LateClose, metric.LatePeer, metric.Network, metric.ExternalWait, metric.TimerWait, metric.JoinWait, metric.CondWait, metric.OnceWait:
		return true
	}
	return isLockWait(name) || sendsLate(name)
}

// Problem returns the problem that a finding is an instance of, nil for none that is known.
func (e *Experiment) Problem(f *Finding) *metric.Metric {
	chain := []did{{e.kind(f).Name, e.pathOf(f.Path)}}
	d, ok := e.mainly(f)
	if ok {
		chain = append(chain, did{e.waitIn(d), e.pathOf(uint32(d.path))})
	}
	work := !ok || e.waitIn(d) == metric.Execution // or that is not known
	served := e.servedProblem(f)
	switch {
	case e.negligible(f) && !e.mayMatter(f) && served == "":
		return nil
	case e.herd(f):
		return problem(ThunderingHerd)
	case e.starved(f) && !f.convoy(): // in a convoy, goroutines get the lock before they run
		if !e.short() {
			return nil
		}
		return problem(TooFewProcessors)
	case served == TooFewProcessors:
		return problem(served)
	case 2*f.HeadOfLine > f.Severity:
		return problem(HeadOfLine)
	case e.behindReader(f):
		return problem(ReaderBehindWriter)
	case slices.ContainsFunc(chain, did.limited):
		return problem(TimerBound)
	case e.busyWait(f):
		return problem(BusyWait)
	case f.Busy.Workers > 0:
		return problem(e.busyProblem(f))
	case f.Busy.Places > 0, f.Busy.Taken, e.fewConns(f):
		return problem(e.exhausted(work))
	case served != "" && served != LockConvoy:
		return problem(served)
	}
	switch {
	case work && e.serial(f):
		return problem(SerialSection)
	case served == LockConvoy, !ok && f.convoy():
		return problem(LockConvoy)
	case chain[0].forPlace():
		return problem(e.exhausted(work))
	case !ok && (isLockWait(chain[0].metric) || sendsLate(chain[0].metric)):
		return nil // what counts is not known
	}
	if f.Instances == 1 && sendsLate(chain[0].metric) { // one value is no stream: whoever is to take it is waited for as one who is to send
		chain[0].metric = metric.LateSender
	}
	switch name := recognise(chain); {
	case name == ReaderBehindWriter: // that is known from all waits for the lock, see behindReader
		return nil
	case name == PoolExhausted:
		return problem(e.exhausted(work))
	case name == "" && f.convoy():
		return problem(LockConvoy)
	case name == "" && f.Busy.Of > 0:
		return problem(PoolTooLarge)
	default:
		return problem(name)
	}
}

// exclusive says whether a finding is only of waits for a lock that one goroutine has at a time: readers have it together.
func (e *Experiment) exclusive(f *Finding) bool {
	return !slices.ContainsFunc(f.AllLines(), func(l Line) bool { return e.Metrics[l.Metric].Name != metric.LockCompetition })
}

// herd says whether a finding is mostly waits for the lock of a condition by those whom it woke, of which there are several for each time that somebody is woken.
func (e *Experiment) herd(f *Finding) bool {
	if e.kind(f).Name != metric.LockCompetition {
		return false
	}
	waits, time := uint64(0), int64(0)
	for _, l := range f.AllLines() {
		if path := e.CallPath(l.Path); len(path) > 1 && path[len(path)-2] == conditionName {
			waits += l.Instances
			time += l.Severity
		}
	}
	if 2*time <= f.Severity {
		return false
	}
	wakes, visits := int64(0), e.MetricIndex(metric.Visits)
	if visits < 0 {
		return false
	}
	for _, c := range e.Cells(visits) {
		if r := e.leaf(c.Path); r.Operation && (r.Name == "signal" || r.Name == "broadcast") {
			wakes += c.Value
		}
	}
	return wakes > 0 && waits >= 2*uint64(wakes)
}

// conditionName is the name of the operation that waits for a condition.
const conditionName = "condwait"

// mainly returns what the causers of a finding did for more than half of the time in which they were waited for, if that is known. An execution trace
// tells who released a lock, not who held it before: while those waited for it themselves, what counts is what the others did for whom they waited. In a convoy these are all the others.
func (e *Experiment) mainly(f *Finding) (doing, bool) {
	list, whole := e.doings(f), f.awaited()
	if isLockWait(e.kind(f).Name) {
		list, whole = e.ahead(f, list)
	}
	return list[0], list[0].path >= 0 && 2*list[0].time > whole && (4*whole >= f.awaited() || f.convoy()) // else too little of it is known
}

// serial says whether for half of the run or more somebody waited for a lock, whose holders had the critical path and worked.
func (e *Experiment) serial(f *Finding) bool {
	places := e.meanwhileOf(f)
	return len(places) > 0 && 2*places[0].Time >= max(e.Header.Focus, e.Header.Span) && e.exclusive(f) && e.spentAt(places[0].Path).doing == working && e.executionKnown()
}

// waitIn returns the metric of what causers did: of waiting, if they waited.
func (e *Experiment) waitIn(d doing) string {
	leaf := e.leaf(uint32(d.path))
	switch {
	case !leaf.Operation:
		if x := e.spentAt(uint32(d.path)); x.doing == awaiting {
			name, _ := e.outside(x)
			return name
		}
		return metric.Execution
	case leaf.sleeps():
		return metric.Sleep
	case leaf.outward():
		return metric.Network
	case d.group < 0: // it was the one that the critical path was on
		if x := e.spentAt(uint32(d.path)); x.doing == awaiting && e.ticks(x) {
			return metric.TimerWait
		}
		return metric.Execution
	}
	var most Line
	for i := range e.Findings {
		for _, l := range e.Findings[i].AllLines() {
			if l.Path == uint32(d.path) && l.Severity > most.Severity {
				most = l
			}
		}
	}
	if most.Severity == 0 {
		return metric.Execution // what it waited for is not worth a finding
	}
	return e.Metrics[most.Metric].Name
}

// collecting returns the processor time that the program used while its goroutines did not run, nor were in system calls, if that is a quarter of all, and goroutines had
// to help the garbage collector, whose workers it must have been then for the most part; else 0. Of less than 50 ms, the begin of the runtime and its threads may be a good part.
func (e *Experiment) collecting() int64 {
	h := &e.Header
	assist, calls := e.MetricIndex(metric.GCAssist), e.MetricIndex(metric.SystemCall)
	if h.Load == nil || h.Processes != 1 || h.Recordings > 0 || assist < 0 || calls < 0 || 200*e.Total(assist) < h.Time {
		return 0
	}
	own := h.CPUTime - h.Load.Running - e.Total(calls)
	if 4*own < h.CPUTime || 4*own < h.Wall || own < leastCollecting {
		return 0
	}
	return own
}

const leastCollecting = 50_000_000 // ns

// Collector returns a sentence about the garbage collector if the program is held up by it, and what to do; "" if it is not, or that is not known.
func (e *Experiment) Collector() (text, advice string) {
	if !e.Header.States || e.Header.Time <= 0 {
		return "", ""
	}
	i := e.MetricIndex(metric.GCAssist)
	if own := e.collecting(); own > 0 {
		return fmt.Sprintf("Of %s of processor time that the program used, its goroutines had only %s. The rest is the runtime's own, above all its garbage collector's, which "+
			"goroutines helped for %s.", glue(seconds(e.Header.CPUTime)), glue(seconds(e.Header.CPUTime-own)), glue(seconds(e.Total(i)))), problem(GCPressure).Advice
	}
	if e.Serves() { // what goroutines wait that serve nobody holds up nobody
		r := &e.Requests[0]
		if 10*r.helping() < r.Mean {
			return "", ""
		}
		return fmt.Sprintf("Requests had to help the garbage collector, or to wait for it, for %s: %s of the time that they took.", glue(seconds(int64(r.Count)*r.helping())),
			glue(percent(r.helping(), r.Mean))), problem(GCPressure).Advice
	}
	if i < 0 || 20*e.Total(i) < max(e.execution()+e.Total(i), e.Header.Wall) { // other goroutines may be idle, however many there are
		return "", ""
	}
	how := ": " + glue(percent(e.Total(i), e.execution()+e.Total(i))) + " of their time at work"
	if e.helpersWaited() {
		how = fmt.Sprintf(" in total, %.1f of them at once on average", float64(e.Total(i))/float64(e.Header.Wall))
	}
	return fmt.Sprintf("Goroutines had to help the garbage collector, or to wait for it, for %s%s.", glue(seconds(e.Total(i))), how), problem(GCPressure).Advice
}

// helping is how much of the mean latency was spent helping the garbage collector, or waiting for it.
func (r *Requests) helping() (ns int64) {
	for i := range r.Parts {
		if r.Parts[i].Metric == metric.GCAssist {
			ns += r.Parts[i].Mean
		}
	}
	return ns
}

// helpersWaited says whether those who had to help the garbage collector waited for some of that time, which is no time at work then: together with those that ran they were more than processors are.
func (e *Experiment) helpersWaited() bool {
	h := &e.Header
	return h.Processors > 0 && e.execution()+e.Total(e.MetricIndex(metric.GCAssist)) > int64(h.Processors)*h.Wall
}
