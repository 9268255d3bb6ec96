package otf2

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"tracerec/internal/readable"
)

// A recorder compares the clock of a GPU with its own now and then, and interpolates in between. So kernels seem to begin before they are launched, by more the longer the program runs. Then the clock of
// their stream is moved forward, so that each of its kernels begins no earlier than its launch; after such a jump it loses again what it gained, as slowly as the clocks of processes do.

// launched is when a thread began to launch a kernel on a stream, ticks since the begin.
type launched struct {
	time   int64
	stream uint32
}

// kernel is when a stream executed a kernel, likewise.
type kernel struct{ begin, end int64 }

// streamClocks is how the clocks of streams were corrected.
type streamClocks struct {
	kernels, before int // kernels of which the launch is known; those that began before it
	largest         int64
	knots           map[uint64][]knot // by location
}

// said says that for people.
func (c *streamClocks) said(resolution uint64) string {
	return fmt.Sprintf("%s of %s kernels began before they were launched: the clocks of %s were corrected, by up to %s", readable.Grouped(c.before, 0), readable.Grouped(c.kernels, 0),
		readable.Plural(len(c.knots), "GPU stream"), readable.Duration(int64(float64(c.largest)/float64(max(resolution, 1))*1e9)))
}

// launch notes what a thread launches on a stream.
func (v *survey) launch(s *source, e *Event) {
	if len(s.device.streams) == 0 || s.a.streams != nil {
		return
	}
	r := s.region(e.Values[0])
	if int(r) >= len(s.passing.classes) || s.passing.classes[r].name != launchClass {
		return
	}
	if stream := s.device.named(e); stream != 0 && s.device.noted.Add(1) <= s.a.contacts {
		v.launches = append(v.launches, launched{s.since(e.Time), stream})
	}
}

// kernel notes what a stream executes.
func (v *survey) kernel(s *source, w *walk, e *Event) {
	begins, ends := s.device.command(s, w, e)
	if begins != noRegion && e.Spec.ID == idEnter {
		if v.executed == nil {
			v.executed = map[uint32]bool{}
		}
		v.executed[begins] = true
	}
	if s.a.streams != nil || s.device.noted.Load() > s.a.contacts {
		return
	}
	switch depth := len(w.stack); {
	case begins != noRegion && depth == 1 && e.Spec.ID == idEnter:
		v.kernels = append(v.kernels, kernel{s.since(e.Time), math.MaxInt64})
	case ends && depth == 0 && e.Spec.ID == idLeave && len(v.kernels) > 0:
		v.kernels[len(v.kernels)-1].end = s.since(e.Time)
	}
}

// corrected finds out how clocks of streams have to be corrected; nil if they need not be.
func (d *devices) corrected(s *source, all []survey) *streamClocks {
	if d.noted.Load() > s.a.contacts {
		s.Header.Notes = append(s.Header.Notes, fmt.Sprintf("whether clocks let kernels begin before they are launched was not looked at: there are more than %d", s.a.contacts))
		return nil
	}
	c := &streamClocks{knots: map[uint64][]knot{}}
	launches := make([][]int64, len(d.streams)+1)
	for i := range all {
		for _, l := range all[i].launches {
			launches[l.stream] = append(launches[l.stream], l.time)
		}
	}
	for i := range all {
		if n := d.number[i]; n != 0 {
			slices.Sort(launches[n])
			if knots := c.stream(launches[n], all[i].kernels); knots != nil {
				c.knots[s.of[i].ID] = knots
			}
		}
	}
	if c.before == 0 {
		return nil
	}
	return c
}

// stream finds out how the clock of a stream has to be corrected. The launch of a kernel is the latest that began before it ended, and is not that of a later one.
func (c *streamClocks) stream(launches []int64, kernels []kernel) (knots []knot) {
	early, k := make([]knot, 0, len(kernels)), len(launches)-1
	for _, x := range slices.Backward(kernels) {
		for k >= 0 && launches[k] >= x.end {
			k--
		}
		if k < 0 {
			break
		}
		c.kernels++
		if d := launches[k] - x.begin; d > 0 {
			early = append(early, knot{x.begin, d})
		}
		k--
	}
	c.before += len(early)
	slices.SortFunc(early, func(a, b knot) int { return cmp.Compare(a.time, b.time) })
	for _, x := range early {
		if n := len(knots); n == 0 {
			knots = append(knots, knot{x.time - stretches*min(x.shift, math.MaxInt64/(4*stretches)), 0}, x)
		} else if last := knots[n-1]; x.shift > last.shift-(x.time-last.time)/takesBack && x.time > last.time {
			knots = append(knots, x)
		}
		c.largest = max(c.largest, x.shift)
	}
	return knots
}

// withStreamClocks returns the archive with clocks of streams that are corrected.
func (a *Archive) withStreamClocks(c *streamClocks) *Archive {
	b := *a
	if b.streams = c; b.correction == nil {
		b.correction = &Correction{} // which need not be looked for again
	}
	return &b
}

// streamClockOf returns how the clock of a location was corrected as that of a stream.
func (a *Archive) streamClockOf(l *Location) bent {
	if a.streams == nil {
		return bent{}
	}
	return bent{knots: a.streams.knots[l.ID]}
}
