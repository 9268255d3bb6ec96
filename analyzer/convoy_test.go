package analyzer_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/report"
)

// queue is a program of goroutines that take a lock again and again, in the order in which they come.
type queue struct {
	hold, outside func(goroutine, round int) int // how long it has the lock, and is elsewhere then
	rounds        int
	free          func() bool // whether one that comes gets the lock before those who wait; nil: none does

	waits  []waited
	end    int
	events [][]string // by goroutine
}

// waited is when a goroutine waited, and who let it go.
type waited struct{ from, to, who, by int }

// run lets n goroutines do so, the i-th from i+1 ns on. Who is let go has the lock a ns later. An execution trace tells neither which lock it is, nor who got it without waiting.
func (q *queue) run(n int, traced bool) {
	q.events = make([][]string, n)
	say := func(g, at int, format string, args ...any) {
		q.events[g] = append(q.events[g], fmt.Sprintf("  %d %s\n", at, fmt.Sprintf(format, args...)))
	}
	come, rounds := make([]int, n), make([]int, n) // come: when it wants the lock next
	for g := range n {
		come[g] = g + 1
	}
	freed, by := 0, -1
	for {
		first := -1
		for g := range n {
			if rounds[g] < q.rounds && (first < 0 || come[g] < come[first]) {
				first = g
			}
		}
		if first < 0 {
			return
		}
		if q.free != nil && q.free() { // the one who comes next is faster than those who wait
			for g := range n {
				if rounds[g] < q.rounds && come[g] >= freed && (come[first] < freed || come[g] < come[first]) {
					first = g
				}
			}
		}
		from, got := come[first], come[first]
		object := "m"
		if traced {
			object = fmt.Sprint("for_w", first)
		}
		switch waits := from < freed; {
		case waits:
			got = freed + 1
			q.waits = append(q.waits, waited{from, freed, first, by})
			say(first, from, "lock %s @a.go:9", object)
			say(first, from, "blocked")
			say(first, got, "leave")
			if traced {
				say(by, freed, "unlock %s", object)
			}
		case !traced:
			say(first, got, "lock m @a.go:9")
			say(first, got, "leave")
		}
		freed, by = got+q.hold(first, rounds[first]), first
		q.end = freed
		if !traced {
			say(first, freed, "unlock m")
		}
		come[first] = freed + 1 + q.outside(first, rounds[first])
		rounds[first]++
	}
}

// text returns the program as a trace.
func (q *queue) text(traced bool) string {
	var b strings.Builder
	objects := "mutex m\n"
	if traced {
		objects = ""
		for g := range q.events {
			objects += fmt.Sprintf("waits for_w%d\n", g)
		}
	}
	b.WriteString(objects + "location main\n  0 enter main\n")
	for g := range q.events {
		fmt.Fprintf(&b, "  0 create w%d @a.go:1\n", g)
	}
	fmt.Fprintf(&b, "  %d exit\n", q.end+1)
	for g, list := range q.events {
		slices.SortStableFunc(list, func(x, y string) int {
			i, j := 0, 0
			fmt.Sscan(x, &i)
			fmt.Sscan(y, &j)
			return cmp.Compare(i, j)
		})
		fmt.Fprintf(&b, "location w%d\n  0 begin worker by main\n  0 enter work\n%s  %d exit\n  %d end\n", g, strings.Join(list, ""), q.end, q.end)
	}
	return b.String()
}

// atLock returns what is found of the lock.
func (q *queue) atLock(t *testing.T, n int, traced bool) (*report.Experiment, *report.Finding) {
	q.waits = nil
	q.run(n, traced)
	x := analyzeText(t, q.text(traced))
	for i := range x.Findings {
		if x.Metrics[x.Findings[i].Metric].Name == "lock_competition" {
			return x, &x.Findings[i]
		}
	}
	require.Fail(t, "nobody waits")
	return nil, nil
}

func always(n int) func(int, int) int { return func(int, int) int { return n } }

// Five goroutines take a lock for 10 ns each, 1 ns after it was free, and are back 5 ns later. So the lock changes hands each 11 ns, and from the sixth time on each waits from 6 ns
// after it gave the lock back to when the fourth behind it does: 4·11 − 6 = 38 ns. The first wait of each is in no convoy, as it had not got the lock by waiting before. One
// of 5·10 did not wait, and 5 waited for the first time: four of them for 9, 19, 29 and 39 ns, as they come at once, and the one that had the lock before them 38 ns.
func TestConvoy(t *testing.T) {
	for _, traced := range []bool{false, true} {
		q := queue{hold: always(10), outside: always(5), rounds: 10}
		x, f := q.atLock(t, 5, traced)
		require.EqualValues(t, 49, f.Instances)
		if traced {
			require.EqualValues(t, (50-1-5)*38, f.Convoy)
		} else { // 1 ns of each 11 it is free: the same part of what somebody has it
			require.InDelta(t, float64(f.Severity)*44*38/(44*38+9+19+29+39+38), f.Convoy, 1)
		}
		require.Equal(t, report.LockConvoy, x.Problem(f).Name)
	}
}

// What looks like a convoy and is none.
func TestNoConvoy(t *testing.T) {
	for _, c := range []struct {
		name   string
		n      int
		convoy int
		queue
	}{
		{"one has it for longer than all others together, and alone waits for many who have it shortly", 5, 9 * 38, queue{rounds: 10, outside: always(5), hold: func(g, _ int) int {
			if g == 2 {
				return 100
			}
			return 10
		}}},
		{"there are three: each waits for two others, of which one has it for half of that time", 3, 0, queue{rounds: 10, outside: always(0), hold: always(10)}},
		{"all come at once, and the queue is gone before they come back", 8, 0, queue{rounds: 6, outside: always(200), hold: always(10)}},
	} {
		for _, traced := range []bool{false, true} {
			x, f := c.atLock(t, c.n, traced)
			if traced {
				require.EqualValues(t, c.convoy, f.Convoy, c.name)
			}
			require.LessOrEqual(t, 2*f.Convoy, f.Severity, c.name)
			require.Nil(t, x.Problem(f), c.name)
		}
	}
}

// naiveConvoy is the same by brute force, on waits in the order in which they ended.
func naiveConvoy(waits []waited) (ns int) {
	before := func(i, who int) int { // the last wait of a goroutine before the i-th
		for i--; i >= 0 && waits[i].who != who; i-- {
		}
		return i
	}
	next := map[int]int{} // who was let go by a wait's goroutine, in its convoy
	prev := make([]int, len(waits))
	for i, w := range waits {
		prev[i] = -1
		if j := before(i, w.by); j >= 0 && w.from < waits[j].to {
			if _, passed := next[j]; !passed {
				next[j], prev[i] = i, j
			}
		}
		own, longest, back := before(i, w.who), 0, false
		for j := i; own >= 0 && prev[j] >= 0 && !back; j = prev[j] {
			if waits[j].to > w.from {
				longest = max(longest, waits[j].to-waits[prev[j]].to)
			}
			back = prev[j] == own
		}
		if back && 2*longest < w.to-w.from {
			ns += w.to - w.from
		}
	}
	return ns
}

// Random programs, in which some overtake those who wait: the engine agrees with brute force.
func TestConvoyRandom(t *testing.T) {
	some := 0
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 14))
		q := queue{rounds: 12, hold: func(int, int) int { return 1 + r.IntN(9) }, outside: func(int, int) int { return r.IntN(25) }}
		if seed%2 == 0 {
			q.free = func() bool { return r.IntN(20) == 0 }
		}
		_, f := q.atLock(t, 4+int(seed%5), true)
		want := naiveConvoy(q.waits)
		require.InDelta(t, want, f.Convoy, 1, "seed %d", seed)
		if want > 0 {
			some++
		}
	}
	require.Greater(t, some, 20)
}
