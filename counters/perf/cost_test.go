//go:build linux

package perf

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"tracerec/counters/substrate"
	"tracerec/internal/testkit"
)

// costNames are events that every Linux has; n of them make a set.
var costNames = []string{"task-clock", "page-faults", "minor-faults", "major-faults", "context-switches", "cpu-migrations", "alignment-faults", "emulation-faults"}

const costRounds, costReadings = 20, 100

// cProgram is a C program that reads the same group with read(2).
type cProgram struct {
	in  io.Writer
	out *bufio.Scanner
}

func compileRead(t testing.TB) (program string) {
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("no gcc to compile the program that is compared with")
	}
	bin := filepath.Join(t.TempDir(), "read")
	if out, err := exec.Command(gcc, "-O2", "-fno-inline", "-pthread", "-o", bin, "testdata/read.c").CombinedOutput(); err != nil {
		t.Skipf("the C program cannot be compiled here: %s", out)
	}
	return bin
}

func startRead(t testing.TB, names []string, flags ...string) *cProgram {
	bin := compileRead(t)
	args := append(flags, strconv.Itoa(costRounds), strconv.Itoa(costReadings))
	for _, n := range names {
		e, err := Attr(n)
		require.NoError(t, err)
		args = append(args, fmt.Sprintf("%d:%d", e.Type, e.Config))
	}
	cmd := exec.Command(bin, args...)
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { in.Close(); cmd.Wait() })
	return &cProgram{in, bufio.NewScanner(out)}
}

// measure returns the ns that a reading takes.
func (b *cProgram) measure(t testing.TB) float64 {
	fmt.Fprintln(b.in)
	require.True(t, b.out.Scan(), "the C program ended")
	v, err := strconv.ParseFloat(strings.TrimSpace(b.out.Text()), 64)
	require.NoError(t, err)
	return v
}

// measureRead returns the ns that a reading of the group takes: the least of many rounds.
func measureRead(t testing.TB, g substrate.Group, n int) float64 {
	best := time.Hour
	v := make([]uint64, n)
	for range costRounds {
		start := time.Now()
		for range costReadings {
			if _, err := g.Read(v); err != nil {
				t.Fatal(err)
			}
		}
		best = min(best, time.Since(start))
	}
	return float64(best) / costReadings
}

// onOneProcessor keeps the calling thread, and processes that it starts, on one processor.
func onOneProcessor(t testing.TB) {
	var all, one unix.CPUSet
	require.NoError(t, unix.SchedGetaffinity(0, &all))
	for cpu := 0; one.Count() == 0; cpu++ { // the first that is permitted
		if all.IsSet(cpu) {
			one.Set(cpu)
		}
	}
	require.NoError(t, unix.SchedSetaffinity(0, &one))
	t.Cleanup(func() { unix.SchedSetaffinity(0, &all) })
}

// A reading costs at most 1.1 times a bare group read in C, in a program with threads as this one. All take turns on one
// processor, and the least of each counts: others may run in between.
func TestCostOfARead(t *testing.T) {
	if testkit.Race {
		t.Skip("the race detector costs more than the reading")
	}
	lockThread(t)
	onOneProcessor(t)
	for _, n := range []int{1, 3, 4, 8} {
		names := costNames[:n]
		g := open(t, substrate.Options{}, names...)
		c, single := startRead(t, names, "-t"), startRead(t, names)
		ours, bare, alone := math.Inf(1), math.Inf(1), math.Inf(1)
		for try := 0; try < 20 || try < 2000 && ours > 1.1*bare; try++ {
			ours = min(ours, measureRead(t, g, n))
			bare = min(bare, c.measure(t))
			alone = min(alone, single.measure(t))
		}
		t.Logf("%d events: %.0f ns, in C %.0f ns: ratio %.2f (of a C program without threads %.0f ns: %.2f)", n, ours, bare, ours/bare, alone, ours/alone)
		require.LessOrEqual(t, ours/bare, 1.1, "%d events", n)
		require.NoError(t, g.Close())
	}
}
