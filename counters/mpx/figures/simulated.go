package main

import (
	"fmt"
	"math"
	"slices"
	"time"

	"tracerec/counters/mpx"
	"tracerec/counters/mpx/figures/loops"
)

// The paper's events, in the order of the guest's values, and their names in tables.
var simulatedEvents = []string{"cycles", "L1 misses", "FP operations", "loads"}

const cycles, misses = 0, 1 // of these

// Modes of a run of the guest.
const (
	off     = "off"     // without MPX
	rotator = "rotator" // MPX as it is
	itself  = "self"    // the thread that is measured rotates its events itself, as the paper's signal handler does
)

// hertz is the clock of the machine: an instruction takes 1 ns and 0.332 cycles.
const hertz = 332e6

// ask says what a simulated run does.
type ask struct {
	pattern string
	power   int // 2^power iterations
	threads int
	cpus    int
	passes  int // of the tiled loop over a tile
	slice   time.Duration
	mode    string
	l1      uint64 // size of the level-one data cache
}

// outcome is what a simulated run gave.
type outcome struct {
	ask
	threads []simulatedThread
}

// simulatedThread is what was measured of a thread of the guest.
type simulatedThread struct {
	Truth     []int64     // by event
	Values    []mpx.Value // none without MPX
	Rotations int
}

// The figures' runs, but for what is varied.
const (
	shortestLoop = 17 // as in the paper
	ownL1        = 32 << 10
	ownPasses    = 8
	biasPower    = 21
)

// processors are how many the machine has: a single thread shares one with the rotator, others each have one as in the paper.
func figureAsk(pattern string, power, threads int, slice time.Duration, mode string) ask {
	return ask{pattern, power, threads, threads, ownPasses, slice, mode, ownL1}
}

// figureAsks are the runs of figures 3 and 4, each with and without MPX.
func figureAsks(c config) (asks []ask) {
	for _, threads := range []int{1, c.threads} {
		for _, p := range loops.Patterns {
			for power := shortestLoop; power <= c.iterations; power++ {
				for _, mode := range []string{rotator, off} {
					asks = append(asks, figureAsk(p, power, threads, c.slice, mode))
				}
			}
		}
	}
	return asks
}

// bias is a row of the table of misses that MPX causes.
type bias struct {
	pattern string
	passes  int
	l1      uint64
	part    time.Duration // of the slice: it is so many times shorter
}

var biases = []bias{
	{"tiled", ownPasses, ownL1, 1}, {"tiled", ownPasses, ownL1, 10}, {"tiled", 64, ownL1, 1}, {"tiled", 64, ownL1, 10},
	{"tiled", ownPasses, 16 << 10, 1}, {"tiled", ownPasses, 64 << 10, 1}, {"tiled", ownPasses, 128 << 10, 1}, {"tiled", ownPasses, 256 << 10, 1},
	{"untiled", ownPasses, ownL1, 1}, {"random", ownPasses, ownL1, 1},
}

// of returns the run of a row with so many processors.
func (b *bias) of(c config, cpus int, mode string) ask {
	return ask{b.pattern, min(c.iterations, biasPower), 1, cpus, b.passes, c.slice / b.part, mode, b.l1}
}

func (b *bias) asks(c config) []ask {
	return []ask{b.of(c, 1, off), b.of(c, 1, rotator), b.of(c, 1, itself), b.of(c, 2, off), b.of(c, 2, rotator)}
}

// simulatedAsks are all runs, each once, the longest first so that workers end together.
func simulatedAsks(c config) (asks []ask) {
	for _, a := range figureAsks(c) {
		asks = append(asks, a)
	}
	for i := range biases {
		for _, a := range biases[i].asks(c) {
			if !slices.Contains(asks, a) {
				asks = append(asks, a)
			}
		}
	}
	slices.SortStableFunc(asks, func(a, b ask) int { return b.threads<<b.power - a.threads<<a.power })
	return asks
}

// simulation is the outcomes of all runs.
type simulation struct {
	config config
	runs   map[ask]outcome
}

// point is one value of a figure.
type point struct {
	ask
	event  int
	length float64 // T/(t·n), by the true cycles
	value  mpx.Value
	truth  int64 // of the same run
	alone  int64 // of the run without MPX
}

// points returns the values of a figure's runs.
func (s *simulation) points(threads int) (out []point) {
	for _, a := range figureAsks(s.config) {
		if a.threads != threads || a.mode != rotator {
			continue
		}
		with := s.runs[a]
		a.mode = off
		without := s.runs[a]
		for k, t := range with.threads {
			length := float64(t.Truth[cycles]) / (a.slice.Seconds() * hertz * float64(len(simulatedEvents)))
			for e, v := range t.Values {
				out = append(out, point{with.ask, e, length, v, t.Truth[e], without.threads[k].Truth[e]})
			}
		}
	}
	return out
}

// ratio is the estimate over the truth.
func (p *point) ratio() float64 { return float64(p.value.Count) / float64(p.truth) }

// apart is the estimate over the count of the run without MPX, which is what the paper shows.
func (p *point) apart() float64 { return float64(p.value.Count) / float64(p.alone) }

// near counts the points with a value, and those of them within limits of 1 in a ratio.
func near(points []point, ratio func(*point) float64) (known, one, five int) {
	for i := range points {
		if !points[i].value.Known() {
			continue
		}
		known++
		off := math.Abs(ratio(&points[i]) - 1)
		if off <= 0.01 {
			one++
		}
		if off <= 0.05 {
			five++
		}
	}
	return known, one, five
}

// pollution is what MPX does to the misses of a run.
type pollution struct {
	alone, with int64
	estimate    mpx.Value
	rotations   int
}

func (s *simulation) pollution(without, with ask) pollution {
	w := s.runs[with].threads[0]
	return pollution{s.runs[without].threads[0].Truth[misses], w.Truth[misses], w.Values[misses], w.Rotations}
}

// more writes how many more misses there are, in per cent.
func (p pollution) more() string {
	return fmt.Sprintf("%+.1f %%", 100*(float64(p.with)/float64(p.alone)-1))
}

// each writes how many that are by rotation.
func (p pollution) each() string {
	if p.rotations == 0 {
		return "–"
	}
	return fmt.Sprintf("%.0f", float64(p.with-p.alone)/float64(p.rotations))
}
