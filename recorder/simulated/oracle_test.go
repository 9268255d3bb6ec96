//go:build linux

package simulated

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/simulator/count"
	"tracerec/simulator/linux"
	"tracerec/simulator/riscv"
)

// naive follows the calls of goroutines once more: all functions, and it looks at every block of instructions. It knows where a goroutine
// is by where the block lies and how deep the stack is, and adds the block's instructions to the call path there.
type naive struct {
	*count.Counters
	*session
	stacks map[uint64]*naiveStack
	counts map[string]*int64 // by call path of recorded functions
	undone int
}

// naiveStack is the functions that a goroutine is in.
type naiveStack struct {
	frames []naiveFrame
	count  *int64 // of their instructions, nil when the frames have changed
}

type naiveFrame struct {
	f           *function
	back, depth uint64
}

// where returns the goroutine that executes, how deep its stack is, and whether that is known.
func (n *naive) where(h *riscv.Hart) (id, start, depth uint64, known bool) {
	id, start, ok := n.Descriptor(h.X[27])
	if !ok || n.process.image.isSystem(start) {
		return 0, 0, 0, false
	}
	low, _ := word(n.turn, h.X[27])
	high, _ := word(n.turn, h.X[27]+8)
	return id, start, high - h.X[2], h.X[2] <= high && h.X[2] >= low
}

func (n *naive) Block(h *riscv.Hart, b *riscv.Block, instructions int) {
	n.Counters.Block(h, b, instructions)
	n.add(h, b, instructions)
}

func (n *naive) Undone(h *riscv.Hart, b *riscv.Block, i, last int) {
	n.Counters.Undone(h, b, i, last)
	n.undone++
	n.add(h, b, i-last)
}

func (n *naive) add(h *riscv.Hart, b *riscv.Block, instructions int) {
	id, start, depth, known := n.where(h)
	if id == 0 {
		return
	}
	s, seen := n.stacks[id]
	if !seen {
		s = new(naiveStack)
	}
	if f := n.process.image.at(b.PC()); known {
		all := s.frames
		for i := len(all) - 1; i >= 0; i-- {
			if all[i].back == b.PC() && all[i].depth == depth {
				all = all[:i]
				break
			}
		}
		for len(all) > 0 && (all[len(all)-1].depth > depth || all[len(all)-1].depth == depth && all[len(all)-1].f != f) {
			all = all[:len(all)-1]
		}
		if !seen {
			all = append(all, naiveFrame{f, h.X[1], depth})
			n.stacks[id] = s
		}
		if len(all) != len(s.frames) {
			s.frames, s.count = all, nil
		}
	}
	if s.count == nil {
		s.count = n.countOf(s.frames, start)
	}
	*s.count += int64(instructions)
}

// countOf returns where the instructions of a stack of a goroutine are added.
func (n *naive) countOf(frames []naiveFrame, start uint64) *int64 {
	var names []string
	for _, f := range frames {
		if f.f != nil && f.f.does > makes && f.f.does != closes && f.f.does != adds {
			break // what is called in an operation belongs to it
		}
		if f.f != nil && f.f.recorded && f.f.does < makes {
			names = append(names, short(f.f.name))
		}
	}
	if f := n.process.image.at(start); len(names) == 0 && !f.recorded {
		names = []string{short(f.name)}
	} else if len(names) == 0 {
		names = []string{"(goroutine)"}
	}
	path := strings.Join(names, " ")
	if n.counts[path] == nil {
		n.counts[path] = new(int64)
	}
	return n.counts[path]
}

func (n *naive) Left(h *riscv.Hart, b *riscv.Block, next uint64) {
	n.Counters.Left(h, b, next)
	last := b.Code()[len(b.Code())-1]
	f := n.process.image.entries[next]
	if f == nil || last.Op != riscv.JAL && last.Op != riscv.JALR {
		return
	}
	id, _, depth, known := n.where(h)
	if !known {
		return
	}
	s := n.stacks[id]
	if s == nil {
		s = new(naiveStack)
	}
	switch all := s.frames; {
	case last.Rd == 1 || last.Rd == 5:
		s.frames, s.count = append(all, naiveFrame{f, h.X[last.Rd], depth}), nil
		n.stacks[id] = s
	case len(all) > 0 && all[len(all)-1].depth == depth:
		all[len(all)-1].f, s.count = f, nil
	}
}

// naively runs a program, and returns the instructions of each call path as the naive way of following calls finds them, and as the report says.
func naively(t *testing.T, file string, cpus int, seed uint64, filter ...string) (n *naive, want, got map[string]int64) {
	program, err := os.ReadFile(file)
	require.NoError(t, err)
	o := Options{Output: filepath.Join(t.TempDir(), "trace.dir"), Events: []string{"PAPI_TOT_INS"}, Frequent: -1, Filter: filter}
	r := new(Result)
	r.Counters, err = count.New(nil, count.Options{Program: program, CPUs: cpus})
	require.NoError(t, err)
	s, err := begin(&o, r)
	require.NoError(t, err)
	n = &naive{Counters: r.Counters, session: s, stacks: map[uint64]*naiveStack{}, counts: map[string]*int64{}}
	k, err := linux.New(program, linux.Options{Args: []string{"program"}, CPUs: cpus, Seed: seed, Observer: n})
	require.NoError(t, err)
	r.Status, err = k.Run()
	require.NoError(t, s.finished(r, err))
	require.NoError(t, k.Close())

	e := analyze(t, o.Output)
	got = map[string]int64{}
	for i, m := range e.Metrics {
		if m.Title != "PAPI_TOT_INS" {
			continue
		}
		for _, c := range e.Cells(i) {
			var names []string
			for p := int32(c.Path); p >= 0; p = e.Paths[p].Parent {
				names = append([]string{e.Regions[e.Paths[p].Region].Name}, names...)
			}
			if path := strings.Join(names, " "); path == "(goroutine)" || path[0] != '(' {
				got[path] += c.Value
			}
		}
	}
	want = map[string]int64{}
	for path, v := range n.counts {
		if *v != 0 {
			want[path] = *v
		}
	}
	return n, want, got
}

// What the report says of each call path is what the naive way of following calls finds, to the last instruction.
func TestNaive(t *testing.T) {
	t.Parallel()
	n, want, got := naively(t, compile(t, "paths"), 2, 7)
	require.Greater(t, len(got), 300, "call paths")
	require.NotZero(t, n.undone)
	require.Equal(t, want, got)

	_, want, got = naively(t, compile(t, "waits"), 3, 1)
	require.Greater(t, len(got), 30, "call paths")
	require.Equal(t, want, got)

	if testing.Short() {
		return
	}
	_, want, got = naively(t, compile(t, "paths"), 2, 3, "*")
	require.Greater(t, len(got), 500, "call paths")
	require.Equal(t, want, got)

	_, want, got = naively(t, compile(t, "waits"), 2, 3, "*")
	require.Greater(t, len(got), 500, "call paths")
	require.Equal(t, want, got)
}
