package otf2

import (
	"cmp"
	"errors"
	"io/fs"
	"math"
	"slices"
)

// local is what is local to a location: shared numbers for its own, and how its clock was off.
type local struct {
	numbers [lastMapped + 1]numbering
	offsets []offset
	maps    bool   // there are any numbers
	begin   uint64 // of the archive's clock
	bent    bent   // how that was corrected for the location
	stream  bent   // how that was corrected again, if it is a stream
}

// numbering translates numbers. Those that are in neither are shared ones already.
type numbering struct {
	dense  []uint64
	sparse map[uint64]uint64
}

// offset says by how many ticks a location's clock was behind the archive's, at a time of its own clock.
type offset struct {
	time   uint64
	behind int64
}

// readLocal reads the local definitions of a location, and hands them to use. It need not have any.
func (a *Archive) readLocal(l *Location, use func(*Record)) (*local, error) {
	x := &local{begin: a.Clock.Offset, bent: a.clockOf(l), stream: a.streamClockOf(l)}
	err := scanFile(a.file(l, ".def"), Local, a.Anchor.DefinitionChunk, func(r *Record) {
		x.define(r)
		use(r)
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	slices.SortStableFunc(x.offsets, func(a, b offset) int { return cmp.Compare(a.time, b.time) })
	return x, err
}

func (x *local) define(r *Record) {
	switch r.Spec.Name {
	case "MappingTable":
		to := Refers(r.Values[0]) + Strings
		if r.Values[0] > uint64(lastMapped-Strings) {
			return // of a newer version
		}
		numbers := r.Values[2:]
		x.maps = true
		if r.Values[1] == 0 {
			x.numbers[to] = numbering{dense: slices.Clone(numbers)}
			return
		}
		sparse := make(map[uint64]uint64, len(numbers)/2)
		for i := 0; i+1 < len(numbers); i += 2 {
			sparse[numbers[i]] = numbers[i+1]
		}
		x.numbers[to] = numbering{sparse: sparse}
	case "ClockOffset":
		x.offsets = append(x.offsets, offset{r.Values[0], int64(r.Values[1])})
	}
}

// shared returns the shared number for one of the location's own.
func (x *local) shared(kind Refers, n uint64) uint64 {
	if kind > lastMapped {
		return n
	}
	m := &x.numbers[kind]
	if n < uint64(len(m.dense)) {
		return m.dense[n]
	}
	if global, ok := m.sparse[n]; ok {
		return global
	}
	return n
}

// corrected returns the archive's time for one of the location's clock, so that nothing is taken before it is given.
func (x *local) corrected(t uint64) uint64 {
	if len(x.offsets) < 2 && len(x.bent.knots) == 0 && len(x.stream.knots) == 0 {
		return t
	}
	t = x.interpolated(t)
	t += uint64(x.bent.shift(int64(t - x.begin)))
	return t + uint64(x.stream.shift(int64(t-x.begin)))
}

// interpolated returns the archive's time for one of the location's clock: between two offsets, by the line through them; outside, by that of the nearest two.
func (x *local) interpolated(t uint64) uint64 {
	if len(x.offsets) < 2 {
		return t
	}
	i := 1
	for i < len(x.offsets)-1 && x.offsets[i].time < t {
		i++
	}
	from, to := x.offsets[i-1], x.offsets[i]
	slope := 0.0
	if to.time > from.time {
		slope = float64(to.behind-from.behind) / float64(to.time-from.time)
	}
	return t + uint64(from.behind) + uint64(int64(math.RoundToEven(slope*float64(int64(t-from.time)))))
}
