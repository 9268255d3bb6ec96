package main

import (
	"fmt"
	"math"
	"slices"
	"time"

	"tracerec/counters/mpx"
	"tracerec/lab/figures/loops"
)

// The paper's events, in the order of the guest's values, and their names in tables.
var simulatedEvents = []string{"cycles", "L1 misses", "FP operations", "loads"}

const cycles, misses = 0, 1 // of these

// How often a thread lost its processor, and got another one.
const lost, moved = 0, 1

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
	Scheduled [2]int64 // see lost, moved
}

// The figures' runs, but for what is varied.
const (
	shortestLoop = 17 // as in the paper
	ownL1        = 32 << 10
	ownPasses    = 8
	biasPower    = 21
)

// figureAsk is a run of a figure: with as many processors as threads, as in the paper, so that the rotator shares them.
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
	asks = figureAsks(c)
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
type pollution struct{ without, with simulatedThread }

func (s *simulation) pollution(without, with ask) pollution {
	return pollution{s.runs[without].threads[0], s.runs[with].threads[0]}
}

// share is how many more misses there are, as a part of those without MPX.
func (p pollution) share() float64 {
	return float64(p.with.Truth[misses])/float64(p.without.Truth[misses]) - 1
}

// each writes how much there is of it for each rotation.
func (p pollution) each(more int64, format string) string {
	if p.with.Rotations == 0 {
		return "–"
	}
	return fmt.Sprintf(format, float64(more)/float64(p.with.Rotations))
}

func (p pollution) misses() string {
	return p.each(p.with.Truth[misses]-p.without.Truth[misses], "%.0f")
}

// scheduled writes how often the thread lost its processor, or got another one, for each rotation.
func (p pollution) scheduled(what int) string {
	return p.each(p.with.Scheduled[what]-p.without.Scheduled[what], "%.1f")
}
