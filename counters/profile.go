package counters

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"unsafe"
)

// ProfileOptions say how a histogram is made. The first three are PAPI's experiments against the coarseness of emulated
// overflows (Browne et al., section 3.6).
type ProfileOptions struct {
	Random     bool     // a quarter of the overflows is dropped at random, so that loops in step with them are not favoured
	Weighted   bool     // an overflow adds the events that it stands for instead of 1
	Compressed bool     // buckets count exactly up to 255, then ever more coarsely, so that narrow ones do not fill up
	Bits       int      // width of a bucket: 16 (also 0), 32 or 64; it stays at its largest value
	Regions    []Region // of the program; none: all of it
	Seed       uint64   // of what is random
	OverflowOptions
}

// Region is a part of the program's code and how finely it is divided, as profil and sprofil take it: Scale 0x10000 (also
// 0) is a bucket for every two bytes, 0x20000 one for every byte, 0x8000 one for every four.
type Region struct {
	Low, High uintptr // from Low up to, but without, High
	Scale     uint32
}

// size returns how many bytes a bucket covers.
func (r Region) size() uintptr { return max(1, 0x20000/uintptr(r.Scale)) }

// Bucket is a place in a histogram.
type Bucket struct {
	Region int     // index
	Low    uintptr // its first address
	Value  uint64  // as counted in so many bits
	// Estimate is what Value stands for; it differs only when the histogram is compressed.
	Estimate uint64
	Full     bool // it could not count more
}

// Histogram is where in the program an event happens, by statistics: one sample for every so many events. It may be read
// while the set runs.
type Histogram struct {
	event     Event
	threshold uint64
	options   ProfileOptions

	mu      sync.Mutex
	random  *rand.Rand
	buckets []map[uintptr]uint64 // by region: number of the bucket, value
	samples, dropped, outside,
	unknown uint64
	stacks map[string]*stackSamples // by the bytes of the stack
}

// stackSamples is how often the program was seen with one stack.
type stackSamples struct {
	stack           []uintptr
	samples, events uint64
}

// Profile makes a histogram of where the program is at every threshold occurrences of the event, which must be in the
// stopped set; counting begins with Start. The program counter is known where the substrate's counters tell it, and
// where they time the emulation.
func (s *EventSet) Profile(event string, threshold uint64, o ProfileOptions) (*Histogram, error) {
	switch o.Bits {
	case 0:
		o.Bits = 16
	case 16, 32, 64:
	default:
		return nil, fmt.Errorf("%w: buckets of %d bits: must be 16, 32 or 64", ErrInvalid, o.Bits)
	}
	if threshold == 0 {
		return nil, fmt.Errorf("%s: %w: a profile needs a threshold", event, ErrInvalid)
	}
	if o.Regions = slices.Clone(o.Regions); o.Regions == nil {
		o.Regions = []Region{{High: math.MaxUint}}
	}
	for i := range o.Regions {
		r := &o.Regions[i]
		if r.Scale == 0 {
			r.Scale = 0x10000
		}
		if r.High <= r.Low || r.Scale > 0x20000 {
			return nil, fmt.Errorf("%w: region %#x to %#x, scale %#x: it is empty or finer than bytes", ErrInvalid, r.Low, r.High, r.Scale)
		}
	}
	h := &Histogram{threshold: threshold, options: o, random: rand.New(rand.NewPCG(o.Seed, 0)), stacks: map[string]*stackSamples{}}
	for range o.Regions {
		h.buckets = append(h.buckets, map[uintptr]uint64{})
	}
	at := slices.Index(s.Names(), event)
	if at >= 0 {
		h.event = s.Events()[at]
	}
	err := s.onOverflow(&overflow{event: event, kind: Profiling, threshold: threshold, options: o.OverflowOptions, handle: h.add})
	if err != nil {
		return nil, err
	}
	return h, nil
}

// add counts an overflow.
func (h *Histogram) add(o Overflow) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.options.Random && h.random.IntN(4) == 0 {
		h.dropped++
		return
	}
	h.samples++
	if o.PC == 0 {
		h.unknown++
	} else if !h.hit(o) {
		h.outside++
	}
	stack := o.Stack
	if len(stack) == 0 {
		stack = []uintptr{o.PC}
	}
	key := string(unsafe.Slice((*byte)(unsafe.Pointer(&stack[0])), len(stack)*int(unsafe.Sizeof(stack[0]))))
	of := h.stacks[key]
	if of == nil {
		of = &stackSamples{stack: slices.Clone(stack)}
		h.stacks[key] = of
	}
	of.samples++
	of.events += o.Count
}

// hit counts in the first region that has the program counter.
func (h *Histogram) hit(o Overflow) bool {
	for i, r := range h.options.Regions {
		if o.PC >= r.Low && o.PC < r.High {
			bucket, weight := (o.PC-r.Low)/r.size(), uint64(1)
			if h.options.Weighted {
				weight = o.Count
			}
			h.buckets[i][bucket] = h.increment(h.buckets[i][bucket], weight)
			return true
		}
	}
	return false
}

// step is how many values of a compressed bucket stand for the same number of overflows.
const step = 256

// increment adds to a bucket's value. A compressed one counts by logarithms: between k*256 and (k+1)*256 each step
// stands for 2^k.
func (h *Histogram) increment(v, by uint64) uint64 {
	limit := h.limit()
	if !h.options.Compressed {
		if by > limit-v {
			return limit
		}
		return v + by
	}
	for by > 0 && v < limit {
		k := v / step
		if k >= 55 {
			return v
		}
		worth := uint64(1) << k
		full := min(by/worth, step-v%step, limit-v) // whole steps of this size
		v, by = v+full, by-full*worth
		if full == 0 { // a part of a step: take it as often as it is large
			if h.random.Uint64N(worth) < by {
				v++
			}
			return v
		}
	}
	return v
}

func (h *Histogram) limit() uint64 { return 1<<h.options.Bits - 1 }

// estimate returns what a value stands for.
func (h *Histogram) estimate(v uint64) uint64 {
	if !h.options.Compressed {
		return v
	}
	k := min(v/step, 55)
	return step*(1<<k-1) + (v-k*step)<<k
}

// Buckets returns those that are not 0, by region and address.
func (h *Histogram) Buckets() []Bucket {
	h.mu.Lock()
	defer h.mu.Unlock()
	var out []Bucket
	for i, r := range h.options.Regions {
		for _, at := range slices.Sorted(maps.Keys(h.buckets[i])) {
			v := h.buckets[i][at]
			out = append(out, Bucket{Region: i, Low: r.Low + at*r.size(), Value: v, Estimate: h.estimate(v), Full: v == h.limit()})
		}
	}
	return out
}

// Samples returns how many overflows were counted, and of these how many were in no region and without a program
// counter; and how many were dropped at random.
func (h *Histogram) Samples() (counted, outside, unknown, dropped uint64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.samples, h.outside, h.unknown, h.dropped
}
