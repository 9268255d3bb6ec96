package analyzer

import (
	"cmp"
	"math/bits"
	"slices"

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
	values        stream     // n integers, until they are divided
	quarters      [3]int64   // where, once they are
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

// statistics brings together what the workers collected, by metric.
func (m *matching) statistics(workers []*matchWorker) []durations {
	stats := make([]durations, len(m.s.metrics.list))
	for i := range stats {
		stats[i].values.store = m.s.store
		for _, w := range workers {
			stats[i].merge(&w.stats[i])
		}
	}
	return stats
}

// divide finds the quartiles of the values that were collected, and uses these up.
func (d *durations) divide() {
	if len(d.values.blocks) > 0 {
		d.quarters = d.quartiles()
		d.values.free()
	}
}

// report makes the statistics.
func (d *durations) report(s *report.Stats) {
	n := d.n
	if n == 0 {
		return
	}
	s.Count, s.Sum, s.Min, s.Max, s.Mean = uint64(n), d.sum, d.min, d.max, floorDiv(d.sum, int64(n))
	s.Sampled = d.counts == nil // waits are counted by line
	d.divide()
	s.Q25, s.Median, s.Q75 = d.quarters[0], d.quarters[1], d.quarters[2]
}

// rank returns the place of a quartile among n values in ascending order: the smallest that so many quarters of them do not exceed.
func rank(n, quarters int) int { return int((int64(n)*int64(quarters)+3)/4) - 1 }

// quartile is one that is looked for: it has the same leading bits as values that there are more and more of.
type quartile struct {
	known uint64 // its leading bits
	rank  int    // its place among the values with these
	count *[1 << digit]int
}

// digit is how many more bits of the quartiles are known each time the values were read.
const digit = 12

// quartiles returns them without having all values in memory: it counts by the leading bits, then by the next ones where these are those of a quartile.
func (d *durations) quartiles() (found [3]int64) {
	var q [3]quartile
	for i := range q {
		q[i].rank = rank(d.n, i+1)
	}
	for left := bits.Len64(uint64(d.max - d.min)); left > 0; {
		now := min(left, digit)
		for i := range q {
			if i > 0 && q[i].known == q[i-1].known {
				q[i].count = q[i-1].count
			} else {
				q[i].count = new([1 << digit]int)
			}
		}
		left -= now
		d.countBits(&q, now, left)
		for i := range q {
			q[i].known <<= now
			for _, n := range q[i].count {
				if q[i].rank < n {
					break
				}
				q[i].rank -= n
				q[i].known++
			}
		}
	}
	for i := range q {
		found[i] = d.min + int64(q[i].known)
	}
	return found
}

// countBits counts the values with the known bits of a quartile by the next ones, of which left bits are behind.
func (d *durations) countBits(q *[3]quartile, next, left int) {
	n := 0
	for r := d.values.reader(0); r.more(); n++ {
		if n%paced == 0 {
			d.values.store.Pace()
		}
		v := uint64(r.int()-d.min) >> left
		for i := range q {
			if q[i].known == v>>next && (i == 0 || q[i].count != q[i-1].count) {
				q[i].count[v&(1<<next-1)]++
			}
		}
	}
}

// floorDiv is a / b rounded down; b > 0.
func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
