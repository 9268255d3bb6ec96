// Package sample reads an event set inside the measured program: the recorder tells the program what to
// count, and the program opens the set and reads it at region boundaries.
//
// Kernel events are counted per thread. A goroutine shares threads with others and changes them, so
// every reading says in which scheduling interval it was taken (the first word). Two readings of one goroutine
// in the same interval enclose nothing but that goroutine's own work, and only then is their difference
// certain. There are two ways to tell:
//
//   - cheap: the runtime's own marks in the goroutine's descriptor tell whether it was taken off its thread
//     (package witness). If it was, the reading has an upper bound: what the whole
//     process counted in the meantime (see totals).
//   - exact: in a program that was built with a patched scheduler, counters are read whenever a goroutine is put on a
//     thread or taken off, and added up for it. Then its whole life is one interval (see exact).
//
// So certain ≤ truth ≤ certain + uncertain always holds, except between the reading at a blocked event and the
// next one: the little that the runtime does there to park the goroutine is charged to nobody.
//
// The package is linked into measured programs and uses the standard library only.
package sample

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/metrics"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"tracerec/internal/perfevent"
	"tracerec/internal/witness"
)

// MaxEvents is the largest number of events in a set, and of native events that they are made of.
const MaxEvents = 16

// MaxWords is the largest number of words that Read stores: where the reading was taken, the values, the bounds. Sets of events of the
// simulator may have more, see [Set.Words].
const MaxWords = 1 + 2*MaxEvents

// NoBound is the bound of a stretch in which nothing is known of a counter.
const NoBound = ^uint64(0)

// Missing is a counter that could not be opened, and why.
type Missing struct{ Name, Why string }

// Set is an open event set. Its methods may be called by any goroutine at any time.
type Set struct {
	names   []string
	missing []Missing
	runtime []int     // positions (in a reading) of the runtime's metrics
	kernel  []counter // made of kernel events
	witness witness.Witness
	threads *threads
	totals  *totals
	exact   bool
	readers readers

	simulated *simulated // instead of all others

	samples sync.Pool // *[]metrics.Sample, prepared for the runtime's metrics
	metrics []string
}

// counter is a sum of kernel events.
type counter struct {
	at    int // position in a reading
	terms []term
}

// term is a kernel event by its place in the group, with its sign.
type term struct {
	place  int
	negate bool
	cut    bool // to user mode, as the kernel permits no more
}

// Reading is what a goroutine keeps from its last reading to the next. Its zero value is that of a goroutine that has not
// been read. It may lie outside of the Go heap.
type Reading struct {
	interval uint64 // number of the goroutine's scheduling interval
	mark     uint64 // of that interval, as the witness has it
	lead     handle // of the group of that thread
	enabled  uint64 // how long that group had counted at the last reading
	valid    bool   // the last reading succeeded
	waiting  bool   // it was taken before a wait
	version  uint64 // of the totals in base, 0: there are none
	present  uint8  // which of base they are in; the other is for those to come
	base     [2][MaxEvents]uint64
	last     [MaxEvents]uint64 // what the thread had counted at the last reading
	from     [MaxEvents]uint64 // last less what was certain since the totals in base
}

var errNone = errors.New("none of the counters can be read here")

// Open opens an event set for the process; specs are what [Spec.String] wrote, or names that all kernels know.
// perMilli is a millisecond of the clock of readings. Counters that cannot be opened are left out, see Missing. It is an
// error if none is left.
func Open(specs []string, perMilli uint64) (*Set, error) {
	runtime.LockOSThread() // the probe counts for this thread
	defer runtime.UnlockOSThread()
	s := &Set{}
	var attrs []perfevent.Attr
	var wanted []Spec
	var simulated []string
	for _, text := range specs {
		spec, err := parseSpec(text)
		if err == nil && spec.Metric != "" {
			err = measurable(spec.Metric)
		}
		switch {
		case err != nil:
			s.missing = append(s.missing, Missing{spec.Name, err.Error()})
		case spec.Simulated:
			simulated = append(simulated, spec.Name)
		default:
			wanted = append(wanted, spec)
		}
	}
	if simulated != nil { // recorders hand down nothing else beside
		return s, s.openSimulated(simulated)
	}
	probe := newProbe()
	for _, spec := range wanted {
		at := 1 + len(s.names)
		if spec.Metric != "" {
			s.runtime, s.metrics = append(s.runtime, at), append(s.metrics, spec.Metric)
		} else {
			opened, err := probe.add(spec.Terms)
			if err != nil {
				s.missing = append(s.missing, Missing{spec.Name, err.Error()})
				continue
			}
			c := counter{at: at}
			for i, a := range opened {
				c.terms = append(c.terms, term{len(attrs), spec.Terms[i].Negative, a.Flags&^spec.Terms[i].Flags&perfevent.FlagExcludeKernel != 0})
				attrs = append(attrs, a)
			}
			s.kernel = append(s.kernel, c)
		}
		s.names = append(s.names, spec.Name)
	}
	if len(s.names) == 0 {
		probe.close()
		return s, errNone
	}
	s.samples.New = func() any {
		b := make([]metrics.Sample, len(s.metrics))
		for i, m := range s.metrics {
			b[i].Name = m
		}
		return &b
	}
	if len(attrs) > 0 {
		if s.exact = openExact(attrs); !s.exact {
			s.witness = witness.Find()
			s.totals = openTotals(attrs, perMilli) // while the probe holds its counters: both have to fit
		}
		s.threads = newThreads(attrs)
	}
	probe.close()
	return s, nil
}

// Names returns the names of the counters, in the order of the values of a reading.
func (s *Set) Names() []string { return s.names }

// Missing returns the counters that could not be opened.
func (s *Set) Missing() []Missing { return s.missing }

// Remarks says in words what makes the readings of all counters, or the bounds of some, less than they could be.
func (s *Set) Remarks() (remarks []string) {
	if s.threads == nil {
		return nil
	}
	if user := s.userOnly(); user != nil {
		remarks = append(remarks, "counted in user mode only, because the kernel does not permit more: "+strings.Join(user, ", ")+
			" (run as root, or with kernel.perf_event_paranoid at 1 or less, to count what the kernel does for the program)")
	}
	if s.exact {
		return remarks
	}
	if !s.witness.Found() {
		remarks = append(remarks, "no counter is certain: this version of Go does not show when a goroutine leaves its thread")
	}
	var unbound []string
	for i := range s.kernel {
		c := &s.kernel[i]
		if slices.ContainsFunc(c.terms, func(t term) bool { return !s.totals.has(t.place) }) {
			unbound = append(unbound, s.names[c.at-1])
		}
	}
	if unbound != nil {
		remarks = append(remarks, "too low, without an upper bound of what is missing: "+strings.Join(unbound, ", ")+
			" (what is counted while a goroutine changes threads is charged to no goroutine, because it cannot be counted for the whole process as well: "+
			s.totals.lacks().Error()+"; use fewer counters together, at most two watchpoints, or tracerec build --exact-counters)")
	}
	return remarks
}

// Refused says in words which counters are too low where readings were refused, and why.
func (s *Set) Refused() string {
	why := errors.New("the program closed their descriptors, or other users took the processor's counters")
	if s.threads != nil && !s.exact {
		why = s.threads.refused()
	}
	return fmt.Sprintf("too low, because readings were refused: %s (%v)", strings.Join(s.names, ", "), why)
}

// userOnly returns the counters that leave out the kernel's work without having been asked to.
func (s *Set) userOnly() (names []string) {
	for i := range s.kernel {
		c := &s.kernel[i]
		if slices.ContainsFunc(c.terms, func(t term) bool { return t.cut }) {
			names = append(names, s.names[c.at-1])
		}
	}
	return names
}

// Words returns the largest number of words of a reading.
func (s *Set) Words() int {
	if s.simulated != nil {
		return 1 + len(s.names)
	}
	return 1 + 2*len(s.names)
}

// Read stores where the reading was taken in dst[0] and the values behind it, in the order of Names, and returns the
// number of words. That is
//
//	1 + n    if all since the goroutine's last reading is certain, or nothing is said of it: after the first, and after a wait
//	1 + 2n   if it is not: what has been counted since is at most the bound in the second n words, NoBound if that is unknown
//	1        if the kernel refused
//	0        after Close
//
// dst[0] is equal in readings of the same goroutine in the same scheduling interval, and 0 when nothing but counters of the process
// was read. g is the calling goroutine, r its own; ticks is the time on the clock of Open, and wait says that the goroutine is
// about to wait. What the kernel counted in a wait is nobody's. outside says that the reading is the first or the last one of an outermost
// region: what a coroutine counts beyond is that of whoever resumed it.
func (s *Set) Read(g unsafe.Pointer, r *Reading, dst []uint64, ticks uint64, wait, outside bool) int {
	if s.simulated != nil {
		return s.simulated.read(dst)
	}
	reading := s.readers.begin(g)
	if reading == nil {
		return 0
	}
	defer reading.Add(-1)
	n := len(s.names)
	dst[0] = 0
	if len(s.runtime) > 0 {
		s.readRuntime(dst)
	}
	switch {
	case s.threads == nil:
		return 1 + n
	case s.exact:
		return s.readExact(g, dst, outside)
	}
	return s.readCheap(g, r, dst, ticks, wait)
}

// readCheap reads the thread's group. What the process had counted up to some time before is kept, so that the next reading
// can tell how much it was since, if it must.
func (s *Set) readCheap(g unsafe.Pointer, r *Reading, dst []uint64, ticks uint64, wait bool) int {
	first, waited := r.interval == 0, r.waiting
	// The totals behind an uncertain stretch have it in them, so the next one begins with new ones.
	lost := !first && !waited && (!r.valid || !s.witness.Undisturbed(g, r.mark))
	version := s.totals.before(ticks, lost, r)
	var b group
	certain := s.readThread(g, r, dst, &b)
	r.waiting = wait
	if !r.valid {
		return 1
	}
	n := len(s.threads.attrs)
	if !certain { // what was certain remains so on another thread
		for i, v := range b.values[:n] {
			r.from[i] += v - r.last[i]
		}
	}
	copy(r.last[:], b.values[:n])
	words := 1 + len(s.names)
	if !certain && !first && !waited {
		s.bound(r, dst[words:])
		words += len(s.names)
	}
	if version != r.version {
		r.version, r.present, r.from = version, 1-r.present, r.last
	}
	return words
}

// readThread stores the values, those of the thread's group in b, and reports whether the goroutine has not been taken off its thread since its last reading. If
// it was, another interval begins. A busy goroutine gets through at the first try.
func (s *Set) readThread(g unsafe.Pointer, r *Reading, dst []uint64, b *group) (certain bool) {
	certain = r.valid && s.witness.Undisturbed(g, r.mark)
	r.valid = false
	for range 8 {
		if certain {
			r.valid = readGroup(r.lead, len(s.threads.attrs), b)
			// The number of a dead thread may have passed to this one, and then its group is found once more: it stands still.
			certain = !r.valid || b.enabled != r.enabled
		}
		if !certain {
			r.interval++
			r.mark = s.witness.Interval(g)
			tid := gettid()
			if r.lead, r.valid = s.threads.read(tid, b); !r.valid && gettid() != tid {
				continue // the thread may be gone
			}
		}
		if !r.valid {
			return false
		}
		if !s.witness.Found() || s.witness.Undisturbed(g, r.mark) {
			dst[0], r.enabled = r.interval, b.enabled
			s.store(dst, b.values[:])
			return certain
		}
		certain = false
	}
	r.valid = false
	return false
}

// store adds up the terms of all counters.
func (s *Set) store(dst, values []uint64) {
	for i := range s.kernel {
		c := &s.kernel[i]
		sum := uint64(0)
		for _, t := range c.terms {
			if t.negate {
				sum -= values[t.place]
			} else {
				sum += values[t.place]
			}
		}
		dst[c.at] = sum
	}
}

// bound stores the most that can have been counted since r's base, besides what was certain since then. The totals of base may be
// older than the stretch, and what the goroutine did in between has been charged as certain.
func (s *Set) bound(r *Reading, dst []uint64) {
	var now [MaxEvents]uint64
	known := r.version != 0 && s.totals.refresh(&now)
	clear(dst[:len(s.names)])
	for i := range s.kernel {
		c := &s.kernel[i]
		most := uint64(0)
		for _, t := range c.terms {
			switch {
			case !known || !s.totals.has(t.place):
				most = NoBound
			case !t.negate && most != NoBound:
				all, certain := now[t.place]-r.base[r.present][t.place], r.last[t.place]-r.from[t.place]
				most += all - min(all, certain)
			}
		}
		dst[c.at-1] = most
	}
}

func (s *Set) readRuntime(dst []uint64) {
	b := s.samples.Get().(*[]metrics.Sample)
	metrics.Read(*b)
	for i, p := range s.runtime {
		switch v := (*b)[i].Value; v.Kind() {
		case metrics.KindUint64:
			dst[p] = v.Uint64()
		case metrics.KindFloat64: // seconds
			dst[p] = uint64(v.Float64() * 1e9)
		case metrics.KindFloat64Histogram:
			dst[p] = 0
			for _, n := range v.Float64Histogram().Counts {
				dst[p] += n
			}
		}
	}
	s.samples.Put(b)
}

// measurable returns an error if this version of Go does not measure a metric.
func measurable(name string) error {
	b := []metrics.Sample{{Name: name}}
	if metrics.Read(b); b[0].Value.Kind() == metrics.KindBad {
		return fmt.Errorf("this version of Go does not measure %s", name)
	}
	return nil
}

// Close ends the counting and releases the kernel's events, but those that the scheduler reads: each thread closes these when it runs the next
// goroutine.
func (s *Set) Close() {
	if s.exact {
		closeExact()
	}
	s.readers.end()
	if s.threads != nil {
		s.threads.close()
	}
	if s.totals != nil {
		s.totals.close()
	}
}
