package main

import (
	"fmt"
	"math/rand/v2"
	"time"
	"unsafe"
)

// cells is how many places a thread writes to: n of the paper.
const cells = 8

// Cell k is written in one of k+1 ticks. So many ticks a second make fewer than 20 000 writes a second.
const ticksPerSecond = 7000

// memory is what threads write to. quiet is never written.
var (
	memory [16][cells]uint64
	quiet  [2]uint64
)

func watch(p *uint64) string {
	return fmt.Sprintf("mem:%#x/8:w", uintptr(unsafe.Pointer(p)))
}

// watches returns the events of a thread's cells.
func watches(thread int) (names []string) {
	for k := range cells {
		names = append(names, watch(&memory[thread][k]))
	}
	return names
}

//go:noinline
func store(p *uint64, v uint64) { *p = v }

var sink uint64

// spin computes for a time in proportion to n.
//
//go:noinline
func spin(n int) {
	x := sink
	for range n {
		x = x*6364136223846793005 + 1442695040888963407
	}
	if x == 0 {
		sink = x
	}
}

// spinsPerTick returns the work of a tick on this machine when it is not disturbed.
func spinsPerTick() int {
	const n = 200_000
	best := time.Hour
	for range 20 {
		begin := time.Now()
		spin(n)
		best = min(best, time.Since(begin))
	}
	return int(float64(n) / best.Seconds() / ticksPerSecond)
}

// workload says which cells are written in a tick.
type workload struct {
	name   string
	writes func(tick, cell int, r *rand.Rand) bool
}

// phase is the length of a phase in ticks: 130 ms, so that it has no simple ratio to t·n.
const phase = 911

var workloads = []workload{
	{"steady", func(tick, cell int, _ *rand.Rand) bool { return tick%(cell+1) == 0 }},
	{"phased", func(tick, cell int, _ *rand.Rand) bool {
		return tick%(cell+1) == 0 && (tick/phase%2 == 0) == (cell < cells/2)
	}},
	{"random", func(_, cell int, r *rand.Rand) bool { return r.IntN(cell+1) == 0 }},
}

// writer writes to the cells of a thread and counts what it writes.
type writer struct {
	thread int
	load   workload
	spins  int
	random *rand.Rand
	tick   int
	truth  [cells]int64
}

func newRandom(thread int) *rand.Rand { return rand.New(rand.NewPCG(uint64(thread), 1)) }

func (w *writer) step() {
	spin(w.spins)
	for k := range cells {
		if w.load.writes(w.tick, k, w.random) {
			store(&memory[w.thread][k], uint64(w.tick))
			w.truth[k]++
		}
	}
	w.tick++
}
