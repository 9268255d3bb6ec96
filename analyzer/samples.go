package analyzer

import (
	"fmt"
	"math"
	"math/bits"
)

// sampleSum is the sum of samples, and of their magnitudes, in 128 bits: any sum of some of them fits if that does.
type sampleSum struct {
	size      [2]uint64 // high and low
	high, low uint64    // of the sum
}

func (s *sampleSum) add(v int64) {
	var carry uint64
	size, sign := uint64(v), uint64(0)
	if v < 0 {
		size, sign = -size, math.MaxUint64
	}
	s.size[1], carry = bits.Add64(s.size[1], size, 0)
	s.size[0] += carry
	s.low, carry = bits.Add64(s.low, uint64(v), 0)
	s.high += sign + carry
}

// fits says that no sum of some of the samples is too large for an integer.
func (s *sampleSum) fits() bool { return s.size[0] == 0 && s.size[1] <= math.MaxInt64 }

// limited returns the sum, or the nearest integer.
func (s *sampleSum) limited() int64 {
	switch high := int64(s.high); {
	case high < 0 && !(s.high == math.MaxUint64 && int64(s.low) < 0):
		return math.MinInt64
	case high > 0 || high == 0 && int64(s.low) < 0:
		return math.MaxInt64
	}
	return int64(s.low)
}

// sampled is the values of a metric of the program.
type sampled struct {
	stream
	n int
}

// sample keeps a value.
func (w *scanner) sample(metric uint32, v int64) {
	s := w.samples[metric]
	if s == nil {
		s = &sampled{stream: stream{store: w.s.store}}
		w.samples[metric] = s
	}
	s.put(appendInt(s.room(), v))
	s.n++
}

// samples takes in the samples of the program's own metrics. Metrics whose samples add up to too much have no severities.
func (b *builder) samples() {
	m := b.s.metrics
	sums := map[uint16]*sampleSum{}
	unnamedSamples := 0
	for _, w := range b.s.workers {
		for id, values := range w.samples {
			user := m.user[id]
			if user == unnamed {
				unnamedSamples += values.n
				continue
			}
			if sums[user] == nil {
				sums[user] = &sampleSum{}
			}
			for r, i := values.reader(0), 0; r.more(); i++ {
				if i%paced == 0 {
					b.s.store.Pace()
				}
				v := r.int()
				b.stats[user].value(v)
				sums[user].add(v)
			}
			values.free()
		}
	}
	b.beyond = map[uint16]bool{}
	for _, user := range m.user {
		s := sums[user]
		if s == nil || s.fits() || b.beyond[user] {
			continue
		}
		b.beyond[user] = true
		b.stats[user].sum = s.limited()
		b.sampled = append(b.sampled, fmt.Sprintf("the samples of %q add up to more than 64 bits hold: it has no values by call path, and its sum and mean are limited", m.list[user].Title))
	}
	b.sampled = append(b.sampled, m.warnings...)
	if unnamedSamples > 0 {
		b.sampled = append(b.sampled, fmt.Sprintf("samples of metrics without a name, which are not shown: %d", unnamedSamples))
	}
}
