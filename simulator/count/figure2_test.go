//go:build linux

package count

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/simulator/cache"
)

// figure2 is the user column of figure 2 (Mindlin et al., "Obtaining Hardware Performance Metrics for the BlueGene/L Supercomputer"): CG,
// in the order in which it is printed.
var figure2 = []struct {
	event string
	paper uint64
	most  float64 // by how many in a hundred ours may differ, if L1 replaces the oldest line; 0 is not compared
}{
	{"BGL_INST", 308099072, 0}, {"BGL_LOAD", 31607898, 1}, {"BGL_STORE", 1207204, 0}, {"BGL_D1_HIT", 85123481, 2}, {"BGL_D1_L_MISS", 17041434, 2},
	{"BGL_D1_S_MISS", 301437, 2}, {"BGL_I1_MISS", 10406, 0}, {"BGL_D2_MISS", 149, 0}, {"BGL_DTLB_MISS", 107001, 20}, {"BGL_ITLB_MISS", 2283, 0},
	{"BGL_FP_LOAD", 66920747, 1}, {"BGL_FP_STORE", 2730585, 0}, {"BGL_FP_DIV", 780, 1}, {"BGL_FMA", 32662140, 1}, {"BGL_FLOPS", 33755085, 1},
}

// Figure 2: what depends on the algorithm and on the caches is as in the paper, if lines of L1 are replaced in turn.
func TestTableOfFigure2(t *testing.T) {
	if raceDetector || !*all {
		t.Skip("runs for a minute: with -args -all, and without the race detector")
	}
	c, lru := timedRegion(t, "../../examples/nas/cg", bgl(t, cache.LRU))
	_, fifo := timedRegion(t, "../../examples/nas/cg", bgl(t, cache.FIFO))
	var b strings.Builder
	b.WriteString("| event | BGLsim, user | ours, LRU | to BGLsim | ours, FIFO | to BGLsim |\n|---|--:|--:|--:|--:|--:|\n")
	for _, e := range figure2 {
		fmt.Fprintf(&b, "| %s | %d |", e.event, e.paper)
		for _, v := range []*Values{lru, fifo} {
			n, err := c.Value(v, e.event)
			require.NoError(t, err)
			fmt.Fprintf(&b, " %d | %+.2f %% |", n, 100*(float64(n)/float64(e.paper)-1))
			if v == fifo && e.most > 0 {
				require.InEpsilon(t, e.paper, n, e.most/100, e.event)
			}
		}
		b.WriteString("\n")
	}
	mult := roseTable[len(roseTable)-1]
	b.WriteString("\nL1 load misses of matrix mult in table 1, more than expected:")
	for _, replacement := range []cache.Replacement{cache.LRU, cache.FIFO} {
		n := runRose(t, bgl(t, replacement), 1).mean(mult.name)[4]
		fmt.Fprintf(&b, " ours with %s %+d,", strings.ToUpper(string(replacement)), n-mult.expected[4])
	}
	fmt.Fprintf(&b, " the paper's %+d.\n", mult.error[4])
	section(t, "figure 2", b.String())
}
