package analyzer

import (
	"cmp"
	"slices"

	"tracerec/internal/spill"
	"tracerec/report"
)

// instance is one occurrence of a wait state.
type instance struct {
	duration, begin, end int64
	path, loc            uint32 // reported location
	causer, causerPath   uint32 // reported location; NoCauser
	causing              uint32 // location; NoCauser
	order, depth         uint32 // location and number of levels, to order equals
}

// durations collects the instances of one metric.
type durations struct {
	sum, min, max int64
	n             int
	values        stream     // n integers
	worst         []instance // of the longest, at least the ten
	floor         int64      // shorter ones are not among the worst
	counts        map[lineKey]uint64
	line          lineKey // of the last instances, which are many in a row,
	lined         uint64  // and their number, which is not in counts yet
}

const worstCount = 10

// add takes an instance in.
func (d *durations) add(in instance, line lineKey) {
	d.value(in.duration)
	if line != d.line {
		d.count()
		d.line = line
	}
	d.lined++
	if in.duration >= d.floor {
		d.worst = append(d.worst, in)
		if len(d.worst) >= 8*worstCount {
			d.trim()
		}
	}
}

// count takes the instances of the last line into counts.
func (d *durations) count() {
	if d.lined == 0 {
		return
	}
	if d.counts == nil {
		d.counts = map[lineKey]uint64{}
	}
	d.counts[d.line] += d.lined
	d.lined = 0
}

// value takes a value in.
func (d *durations) value(v int64) {
	if d.n == 0 {
		d.min, d.max = v, v
	}
	d.n++
	d.sum += v
	d.min, d.max = min(d.min, v), max(d.max, v)
	d.values.put(appendInt(d.values.room(), v))
}

// trim keeps the longest of the worst. Instances of one metric on one location that begin at once lie
// in operations at different depth.
func (d *durations) trim() {
	slices.SortFunc(d.worst, compareInstances)
	if len(d.worst) >= worstCount {
		d.worst = d.worst[:worstCount]
		d.floor = d.worst[worstCount-1].duration
	}
}

func compareInstances(a, b instance) int {
	return cmp.Or(-cmp.Compare(a.duration, b.duration), cmp.Compare(a.begin, b.begin), cmp.Compare(a.order, b.order), cmp.Compare(a.depth, b.depth))
}

// merge takes what another worker collected.
func (d *durations) merge(o *durations) {
	o.count()
	if o.n == 0 {
		return
	}
	if d.n == 0 {
		d.min, d.max = o.min, o.max
	}
	d.n += o.n
	d.sum += o.sum
	d.min, d.max = min(d.min, o.min), max(d.max, o.max)
	d.values.blocks = append(d.values.blocks, o.values.blocks...)
	d.worst = append(d.worst, o.worst...)
	if d.counts == nil {
		d.counts = map[lineKey]uint64{}
	}
	for k, n := range o.counts {
		d.counts[k] += n
	}
}

// report makes the statistics. The collected values are used up.
func (d *durations) report(s *report.Stats) {
	n := d.n
	if n == 0 {
		return
	}
	store := d.values.store
	all := spill.Make[int64](store, n)[:0]
	for r := d.values.reader(0); r.more(); {
		if len(all)%paced == 0 {
			store.Pace()
		}
		all = append(all, r.int())
	}
	d.values.free()
	s.Count, s.Sum, s.Min, s.Max, s.Mean = uint64(n), d.sum, d.min, d.max, floorDiv(d.sum, int64(n))
	s.Sampled = d.counts == nil // waits are counted by line
	s.Q25, s.Median, s.Q75 = kth(all, rank(n, 1), store), kth(all, rank(n, 2), store), kth(all, rank(n, 3), store)
	spill.Free(store, all)
}

// rank returns the place of a quartile among n values in ascending order: the smallest that so many quarters of them do not exceed.
func rank(n, quarters int) int { return int((int64(n)*int64(quarters)+3)/4) - 1 }

// kth returns the k-th smallest value and reorders v.
func kth(v []int64, k int, store *spill.Store) int64 {
	for lo, hi := 0, len(v)-1; lo < hi; {
		mid := lo + (hi-lo)/2
		a, b, c := v[lo], v[mid], v[hi]
		pivot := max(min(a, b), min(max(a, b), c))
		i, j := lo, hi
		for i <= j {
			if i%paced == 0 {
				store.Pace()
			}
			for v[i] < pivot {
				i++
			}
			for v[j] > pivot {
				j--
			}
			if i <= j {
				v[i], v[j] = v[j], v[i]
				i++
				j--
			}
		}
		switch {
		case k <= j:
			hi = j
		case k >= i:
			lo = i
		default:
			return v[k]
		}
	}
	return v[k]
}

// floorDiv is a / b rounded down; b > 0.
func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
