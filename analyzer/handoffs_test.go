package analyzer_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/internal/naive/random"
	"tracerec/report"
)

// TestNaiveHandoffs compares the analysis with that of the oracle where it is not recorded which lock was waited for.
func TestNaiveHandoffs(t *testing.T) { compareAll(t, 300, handoffs) }

// TestNaiveToldLocks does the same where all who use a lock wait for anything on one object.
func TestNaiveToldLocks(t *testing.T) {
	compareAll(t, 300, func(seed uint64) string {
		return strings.NewReplacer("\nmutex ", "\nwaits ", "\nrwmutex ", "\nwaits ").Replace("\n" + random.Trace(seed))
	})
}

// handoffs returns the trace of goroutines that use two locks, some of them both at once, and hand each on in the order in which they wait for it, unless another one is faster.
func handoffs(seed uint64) string {
	r := rand.New(rand.NewPCG(seed, 1))
	n := 3 + r.IntN(4)
	type party struct {
		events strings.Builder
		has    []int // locks
		leaves int   // actions left
	}
	all, queue, holder := make([]party, n), [2][]int{}, [2]int{-1, -1}
	var objects, out strings.Builder
	for i := range n {
		fmt.Fprintf(&objects, "waits for_%d\n", i)
		all[i].leaves = 4 + r.IntN(8)
	}
	at := 1
	tell := func(i int, format string, args ...any) {
		fmt.Fprintf(&all[i].events, "  %d %s\n", at, fmt.Sprintf(format, args...))
	}
	waits := func(i int) bool {
		for _, q := range queue {
			for _, x := range q {
				if x == i {
					return true
				}
			}
		}
		return false
	}
	wait := func(i, lock int) {
		tell(i, "lock for_%d @a.go:%d", i, lock)
		tell(i, "blocked")
	}
	release := func(i int) {
		lock := all[i].has[len(all[i].has)-1]
		all[i].has = all[i].has[:len(all[i].has)-1]
		if holder[lock] = -1; len(queue[lock]) == 0 {
			return
		}
		next := queue[lock][0]
		at++
		tell(i, "enter unlock%d", lock+r.IntN(2)*r.IntN(2)*2)
		tell(i, "unlock for_%d", next)
		tell(i, "exit")
		at += r.IntN(2)
		tell(next, "leave")
		if other := r.IntN(n); r.IntN(3) == 0 && len(all[other].has) == 0 && !waits(other) {
			next, holder[lock] = other, other // which is faster
			at += 1 + r.IntN(3)               // what two handoffs at one time tell depends on their order
			wait(queue[lock][0], lock)
		} else {
			queue[lock], holder[lock] = queue[lock][1:], next
		}
		all[next].has = append(all[next].has, lock)
	}
	for idle := 0; idle < 200; {
		at += r.IntN(3)
		i := r.IntN(n)
		if all[i].leaves == 0 && len(all[i].has) == 0 || waits(i) {
			idle++
			continue
		}
		lock := len(all[i].has)
		if lock == 0 {
			lock = r.IntN(2)
		}
		if all[i].leaves--; len(all[i].has) > 0 && r.IntN(3) > 0 || lock == 2 || len(all[i].has) > 0 && all[i].has[0] == 1 || all[i].leaves <= 0 && len(all[i].has) > 0 {
			all[i].leaves = max(all[i].leaves, 0)
			release(i)
			continue
		}
		if holder[lock] < 0 {
			holder[lock] = i
			all[i].has = append(all[i].has, lock)
			continue
		}
		queue[lock] = append(queue[lock], i)
		wait(i, lock)
	}
	fmt.Fprintf(&out, "%slocation main\n  0 enter main\n", objects.String())
	for i := range n {
		fmt.Fprintf(&out, "  0 create g%d @a.go:30\n", i)
	}
	fmt.Fprintf(&out, "  %d exit\n", at+1)
	for i := range n {
		fmt.Fprintf(&out, "location g%d\n  0 begin worker by main\n  0 enter work\n%s", i, all[i].events.String())
		if !waits(i) {
			fmt.Fprintf(&out, "  %d exit\n  %d end\n", at, at+1)
		}
	}
	return out.String()
}

// kept is that keeper has a lock for 90, while four goroutines wait for it, each of which has it for 1 then; what is let go is told to each of them, but not which lock it is.
const kept = `
waits for_a
waits for_b
waits for_c
waits for_d
location main
  0 enter main @main.go:1
  0 create keeper @main.go:2
  0 create a @main.go:3
  0 create b @main.go:3
  0 create c @main.go:3
  0 create d @main.go:3
  100 exit
location keeper
  0 begin keeper by main
  0 enter rebuild @keeper.go:5
  91 exit
  91 enter rebuilt @keeper.go:7
  91 unlock for_a
  91 exit
  95 end
location a
  0 begin worker by main
  1 lock for_a @worker.go:4
  1 blocked
  91 leave
  92 enter work @worker.go:6
  92 unlock for_b
  92 exit
  95 end
location b
  0 begin worker by main
  2 lock for_b @worker.go:4
  2 blocked
  92 leave
  93 enter work @worker.go:6
  93 unlock for_c
  93 exit
  95 end
location c
  0 begin worker by main
  3 lock for_c @worker.go:4
  3 blocked
  93 leave
  94 enter work @worker.go:6
  94 unlock for_d
  94 exit
  95 end
location d
  0 begin worker by main
  4 lock for_d @worker.go:4
  4 blocked
  94 leave
  95 end
`

// holders returns for how long others waited for whom.
func holders(x *report.Experiment) map[string]int64 {
	held := map[string]int64{}
	for i := range x.Findings {
		for _, c := range x.Findings[i].Causers {
			held[x.Groups[c.Group].Name] += c.Severity
		}
	}
	return held
}

// TestHandoffs: those who hand a lock on had it only since they got it. Who had it before is charged with the rest: with 90 + 89 + 88 + 87 of 361.
func TestHandoffs(t *testing.T) {
	require.Empty(t, compare(t, kept))
	x := analyzeText(t, kept)
	require.Equal(t, map[string]int64{"keeper": 90 + 89 + 88 + 87, "worker": 1 + 2 + 3}, holders(x))
	require.Contains(t, strings.ReplaceAll(x.Verdict.Text, "\u00a0", " "), "keeper")
}

// TestHandoffLost: a is woken at 91, but has not run when keeper has the lock again, so that it waits again from 95, until keeper lets it go at 99. Then b was let go by a, for which
// it had waited since 99; keeper had the lock from 2 to 91, and is known to have had it again from 95.
func TestHandoffLost(t *testing.T) {
	text := strings.NewReplacer("  91 exit\n  95 end", "  91 exit\n  99 enter rebuilt @keeper.go:7\n  99 unlock for_a\n  99 exit\n  99 end",
		"  91 leave\n  92 enter work @worker.go:6\n  92 unlock for_b\n  92 exit\n  95 end", "  95 leave\n  95 lock for_a @worker.go:4\n  95 blocked\n  99 leave\n  102 enter work @worker.go:6\n  102 unlock for_b\n  102 exit\n  103 end",
		"  92 leave\n  93 enter work @worker.go:6\n  93 unlock for_c\n  93 exit\n", "  102 leave\n", "  100 exit", "  110 exit", "  3 lock for_c @worker.go:4\n  3 blocked\n  93 leave\n  94 enter work @worker.go:6\n  94 unlock for_d\n  94 exit\n", "",
		"  4 lock for_d @worker.go:4\n  4 blocked\n  94 leave\n", "").Replace(kept)
	text = strings.Replace(text, "  102 leave\n  95 end", "  102 leave\n  103 end", 1)
	require.Empty(t, compare(t, text))
	require.Equal(t, map[string]int64{"keeper": 90 + 4 + 89 + 4, "worker": 3}, holders(analyzeText(t, text)))
}

// TestHandoffsOfAnother: who waited for one lock while he had another, had that all the time.
func TestHandoffsOfAnother(t *testing.T) {
	text := strings.NewReplacer("2 lock for_b @worker", "2 lock for_b @other", "3 lock for_c @worker", "3 lock for_c @other", "4 lock for_d @worker", "4 lock for_d @other").Replace(kept)
	require.Empty(t, compare(t, text))
	require.Equal(t, map[string]int64{"keeper": 90, "worker": 90 + 90 + 90}, holders(analyzeText(t, text)))
}

// TestLongQueue: while each of 100 workers waits, keeper has the lock for 1000, and then each worker before it for 10. Of more than 16 holders before the last one, groups are told together, each as
// the one who had it longest: those behind keeper in the first group count as keeper.
func TestLongQueue(t *testing.T) {
	const n = 100
	var objects, others strings.Builder
	for i := range n {
		at, next := 1000+10*i, fmt.Sprintf("  %d enter next\n  %[1]d unlock for_%d\n  %[1]d exit\n", 1010+10*i, i+1)
		if i == n-1 {
			next = ""
		}
		fmt.Fprintf(&objects, "waits for_%d\n", i)
		fmt.Fprintf(&others, "location w%d\n  0 begin worker\n  %d lock for_%d @w.go:1\n  %d blocked\n  %d leave\n%s  %d end\n", i, i+1, i, i+1, at, next, at+10)
	}
	x := analyzeText(t, objects.String()+"location main\n  0 enter main\n  3000 exit\nlocation keeper\n  0 begin keeper\n  1000 enter next\n  1000 unlock for_0\n  1000 exit\n  1001 end\n"+others.String())
	all := int64(0)
	for i := range n {
		all += int64(1000 + 10*i - (i + 1)) // all waits end with the turn of the one before
	}
	held := holders(x)
	require.Equal(t, all, held["keeper"]+held["worker"])
	first := int64(0)
	for i := range n {
		first += int64(1000 - (i + 1) + 10*(max(1, i/16)-1))
	}
	require.Equal(t, first, held["keeper"])
}
