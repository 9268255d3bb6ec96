package otf2

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/analyzer"
	"tracerec/patterns"
)

// waited is what is found by the definitions of the metrics.
type waited struct {
	*oneSided
	waits []string
	pairs map[string]int // by metric and process
}

// wait notes that a call waited for another one.
func (x *waited) wait(metric string, c *windowCall, begin, end int64, by *windowCall) {
	begin, end = max(begin, c.begin), min(end, c.end)
	if begin < end && by.process != c.process {
		x.waits = append(x.waits, fmt.Sprintf("%s %d %d-%d by %d", metric, c.process, begin, end, by.process))
	}
}

func (x *waited) pair(c *windowCall, all, needed int) {
	x.pairs[fmt.Sprint("mpi_rma_pairsync_count ", c.process)] += needed // those that are not among the others
	x.pairs[fmt.Sprint("mpi_rma_pairsync_unneeded_count ", c.process)] += all - needed
}

// all are the calls of a process for a window that have one of some names.
func (x *waited) all(process, window int, names ...string) (list []*windowCall) {
	for _, c := range x.calls[process] {
		if c.window == window && slices.Contains(names, c.name) {
			list = append(list, c)
		}
	}
	return list
}

// about are those of them whose group has a process.
func (x *waited) about(process, other, window int, names ...string) []*windowCall {
	return slices.DeleteFunc(x.all(process, window, names...), func(c *windowCall) bool { return !slices.Contains(c.group, other) })
}

var accessing = []string{"MPI_Put", "MPI_Get", "MPI_Accumulate"}

// oneSidedWaits finds all waits in a program.
func oneSidedWaits(p *oneSided) *waited {
	x := &waited{oneSided: p, pairs: map[string]int{}}
	for w := range p.wins {
		x.collective(w)
		for _, i := range p.members(w) {
			for _, c := range p.calls[i] {
				if c.window == w && c.group != nil {
					x.epoch(c)
				}
			}
			x.firstAccesses(i, w)
		}
	}
	x.locks()
	return x
}

// collective looks at calls that all members of a window make: the k-th of each are one.
func (x *waited) collective(w int) {
	names := []string{"MPI_Win_create", "MPI_Win_fence", "MPI_Win_free"}
	members := x.members(w)
	for k := range x.all(members[0], w, names...) {
		if len(members) == 1 {
			continue
		}
		var calls []*windowCall
		for _, i := range members {
			calls = append(calls, x.all(i, w, names...)[k])
		}
		last := slices.MaxFunc(calls, func(a, b *windowCall) int { return int(a.begin - b.begin) })
		together := !slices.ContainsFunc(calls, func(c *windowCall) bool { return c.at <= last.begin })
		for _, c := range calls {
			if c.name != "MPI_Win_fence" {
				if together {
					x.wait(map[string]string{"MPI_Win_create": "mpi_rma_wait_at_create", "MPI_Win_free": "mpi_rma_wait_at_free"}[c.name], c, c.begin, last.begin, last)
				}
				continue
			}
			by, with := x.fenced(c, w, calls, k)
			x.pair(c, len(calls)-1, with)
			if from := c.begin; together {
				if by != nil {
					from = max(from, min(by.end, last.begin))
					x.wait("mpi_rma_early_fence", c, c.begin, from, by)
				}
				x.wait("mpi_rma_wait_at_fence", c, from, last.begin, last)
			}
		}
	}
}

// fenced returns the last access of others to what the process of a fence has since the fence before, and with how many it has passed data.
func (x *waited) fenced(c *windowCall, w int, calls []*windowCall, k int) (last *windowCall, with int) {
	for _, o := range calls {
		if o.process == c.process {
			continue
		}
		passed := false
		for _, pair := range [][2]*windowCall{{o, c}, {c, o}} {
			for _, a := range x.all(pair[0].process, w, accessing...) {
				if a.target != pair[1].process || x.phase(a) != k || x.starts(a) != nil || x.lock(a) != nil {
					continue
				}
				passed = true
				if a.target == c.process && (last == nil || a.end > last.end) {
					last = a
				}
			}
		}
		if passed {
			with++
		}
	}
	return last, with
}

// phase says how many collective calls for the window came before an access.
func (x *waited) phase(a *windowCall) (n int) {
	for _, c := range x.all(a.process, a.window, "MPI_Win_create", "MPI_Win_fence", "MPI_Win_free") {
		if c.begin < a.begin {
			n++
		}
	}
	return n
}

// starts returns the call that started the epoch of an access, nil if it is in none.
func (x *waited) starts(a *windowCall) (start *windowCall) {
	for _, c := range x.about(a.process, a.target, a.window, "MPI_Win_start", "MPI_Win_complete") {
		if c.begin < a.begin {
			if start = nil; c.name == "MPI_Win_start" {
				start = c
			}
		}
	}
	return start
}

// lock returns the call that asked for the lock of what is accessed, nil if there is none.
func (x *waited) lock(a *windowCall) (lock *windowCall) {
	for _, c := range x.all(a.process, a.window, "MPI_Win_lock", "MPI_Win_unlock", "MPI_Win_lock_all", "MPI_Win_unlock_all") {
		if (c.target == a.target || c.target == allTarget) && c.begin < a.begin {
			if lock = nil; strings.HasPrefix(c.name, "MPI_Win_lock") {
				lock = c
			}
		}
	}
	return lock
}

// accesses returns the accesses of a process, in the epoch that a call starts, to what another one has of a window.
func (x *waited) accesses(start *windowCall, target int) []*windowCall {
	return slices.DeleteFunc(x.all(start.process, start.window, accessing...), func(a *windowCall) bool { return a.target != target || x.starts(a) != start })
}

// partner returns the call of another process that belongs to a call: the k-th about each other do.
func (x *waited) partner(c *windowCall, other int, mine, names []string) *windowCall {
	k := slices.Index(x.about(c.process, other, c.window, mine...), c)
	if theirs := x.about(other, c.process, c.window, names...); k < len(theirs) {
		return theirs[k]
	}
	return nil
}

var awaiting = []string{"MPI_Win_wait", "MPI_Win_test"}

// epoch looks at a call that starts, completes or awaits epochs.
func (x *waited) epoch(c *windowCall) {
	var last *windowCall
	others, needed, accessed := 0, 0, c.begin
	for _, other := range c.group {
		if !slices.Contains(x.members(c.window), other) {
			continue
		}
		var by *windowCall
		switch c.name {
		case "MPI_Win_start", "MPI_Win_complete":
			by = x.partner(c, other, []string{c.name}, []string{"MPI_Win_post"})
			if c.name == "MPI_Win_complete" && other != c.process {
				others++
				if start := x.about(c.process, other, c.window, "MPI_Win_start")[slices.Index(x.about(c.process, other, c.window, c.name), c)]; len(x.accesses(start, other)) > 0 {
					needed++
				}
			}
		case "MPI_Win_wait", "MPI_Win_test":
			by = x.partner(c, other, awaiting, []string{"MPI_Win_complete"})
			list := x.accesses(x.partner(c, other, awaiting, []string{"MPI_Win_start"}), c.process)
			if other != c.process {
				others++
				needed += min(len(list), 1)
			}
			for _, a := range list {
				accessed = max(accessed, a.end)
			}
		default:
			return
		}
		if by.process != c.process && by.begin < c.end && (last == nil || by.begin > last.begin) {
			last = by
		}
	}
	if others > 0 {
		x.pair(c, others, needed)
	}
	switch {
	case last == nil, last.begin <= c.begin, c.name == "MPI_Win_test":
	case c.name == "MPI_Win_wait":
		from := min(accessed, last.begin)
		x.wait("mpi_rma_early_wait", c, c.begin, from, last)
		x.wait("mpi_rma_late_complete", c, from, last.begin, last)
	default:
		x.wait("mpi_rma_sync_late_post", c, c.begin, last.begin, last)
	}
}

// firstAccesses looks at the first access to each process since its window was started.
func (x *waited) firstAccesses(process, w int) {
	for _, a := range x.all(process, w, accessing...) {
		start := x.starts(a)
		if start == nil || x.accesses(start, a.target)[0] != a {
			continue
		}
		if post := x.partner(start, a.target, []string{"MPI_Win_start"}, []string{"MPI_Win_post"}); post.begin < a.end {
			x.wait("mpi_rma_comm_late_post", a, a.begin, post.begin, post)
		}
	}
}

// holding is an epoch in which a process has a lock, or waits for it.
type holding struct {
	lock, unlock *windowCall
	calls        []*windowCall
	vague        map[*windowCall]bool // flushes while it has others
}

// locks looks at locks of windows.
func (x *waited) locks() {
	var all []*holding
	for i := range x.calls {
		var open []*holding
		for _, c := range x.calls[i] {
			of := func(target int) int {
				return slices.IndexFunc(open, func(h *holding) bool { return h.lock.window == c.window && h.lock.target == target })
			}
			k := of(c.target)
			if k < 0 && slices.Contains(accessing, c.name) {
				k = of(allTarget)
			}
			switch {
			case strings.HasPrefix(c.name, "MPI_Win_lock"):
				open = append(open, &holding{lock: c, calls: []*windowCall{c}, vague: map[*windowCall]bool{}})
			case strings.HasPrefix(c.name, "MPI_Win_flush"):
				for _, h := range open {
					if h.vague[c] = len(open) > 1; h.lock.target == allTarget || !h.vague[c] {
						h.calls = append(h.calls, c)
					}
				}
			case k < 0:
			case strings.HasPrefix(c.name, "MPI_Win_unlock"):
				open[k].calls, open[k].unlock = append(open[k].calls, c), c
				all, open = append(all, open[k]), slices.Delete(open, k, k+1)
			case slices.Contains(accessing, c.name):
				open[k].calls = append(open[k].calls, c)
			}
		}
	}
	for _, h := range all {
		x.excluded(h, x.before(h, all))
	}
}

// before returns the epochs that one waits for, by the process whose part of the window it is.
func (x *waited) before(h *holding, all []*holding) map[int]*holding {
	before := map[int]*holding{}
	for _, target := range x.members(h.lock.window) {
		if h.lock.target != target && h.lock.target != allTarget {
			continue
		}
		var last *holding
		for _, o := range all {
			same := o.lock.window == h.lock.window && (o.lock.target == target || o.lock.target == allTarget)
			shares := func(h *holding) bool { return h.lock.shared || h.lock.target == allTarget }
			if same && !(shares(o) && shares(h)) && o.unlock.end < h.unlock.end && (last == nil || o.unlock.end > last.unlock.end) {
				last = o
			}
		}
		if last != nil {
			before[target] = last
		}
	}
	return before
}

// about returns whose parts a call of an epoch is about: those that it accesses or completes the accesses to, as far as the archive says that.
func (h *holding) about(i int) (targets []int) {
	c := h.calls[i]
	switch {
	case h.lock.target != allTarget:
		return []int{h.lock.target}
	case slices.Contains(accessing, c.name):
		return []int{c.target}
	case i == 0 || h.vague[c]:
		return nil
	}
	for k := i - 1; k > 0 && !strings.HasPrefix(h.calls[k].name, "MPI_Win_flush"); k-- {
		targets = append(targets, h.calls[k].target)
	}
	slices.Sort(targets)
	if targets = slices.Compact(targets); c.name == "MPI_Win_flush" && len(targets) > 1 {
		return nil
	}
	return targets
}

// excluded looks at an epoch, and those before it that it excludes.
func (x *waited) excluded(h *holding, before map[int]*holding) {
	waits := map[*windowCall]*windowCall{}
	for target, b := range before {
		var waiting *windowCall
		longest := int64(0)
		for i, c := range h.calls {
			if d := min(c.end, b.unlock.end) - c.begin; c.end > b.unlock.begin && d > longest && (i == 0 || slices.Contains(h.about(i), target)) {
				waiting, longest = c, d
			}
		}
		if waiting != nil && (waits[waiting] == nil || waits[waiting].end < b.unlock.end) {
			waits[waiting] = b.unlock
		}
	}
	for i, c := range h.calls {
		from, kind := c.begin, "sync"
		if slices.Contains(accessing, c.name) {
			kind = "comm"
		}
		if unlock := waits[c]; unlock != nil {
			x.wait("mpi_rma_"+kind+"_lock_competition", c, from, unlock.end, unlock)
			from = min(unlock.end, c.end)
		}
		var last *windowCall
		for _, target := range h.about(i) {
			if next := x.comes(target, from); target != c.process && next != nil && next.begin < c.end && (last == nil || next.begin > last.begin) {
				last = next
			}
		}
		if last != nil {
			x.wait("mpi_rma_"+kind+"_wait_for_progress", c, from, last.begin, last)
		}
	}
}

// comes returns the next call of a process in which it makes progress, nil if there is none or it is in such a call.
func (x *waited) comes(process int, t int64) *windowCall {
	for _, c := range x.calls[process] {
		switch {
		case c.name == "MPI_Wtime" || c.end <= t:
		case c.begin <= t:
			return nil
		default:
			return c
		}
	}
	return nil
}

// TestOneSidedAgrees compares what is found in the archives of random programs that communicate one-sidedly with what is found in the programs themselves, call by call.
func TestOneSidedAgrees(t *testing.T) {
	n := 600
	if testing.Short() {
		n = 100
	}
	found := map[string]int{}
	for seed := range uint64(n) {
		p := newOneSided(seed)
		want := oneSidedWaits(p)
		type at struct {
			metric     uint16
			begin, end int64
			loc, by    uint32
		}
		var waits []at
		e, err := analyzer.Analyze(p.write(t, 256*(seed%2)).Trace(), analyzer.Options{Patterns: patterns.All(), Workers: 2, Wait: func(o *analyzer.Op, w *analyzer.Wait) {
			waits = append(waits, at{w.Metric, w.Begin, w.Release, o.Loc, w.Causer})
		}})
		require.NoError(t, err)
		got := []string{}
		for _, w := range waits {
			got = append(got, fmt.Sprintf("%s %d %d-%d by %d", e.Metrics[w.metric].Name, w.loc, w.begin, w.end, w.by))
			found[e.Metrics[w.metric].Name]++
		}
		require.ElementsMatch(t, want.waits, got, "seed %d", seed)
		pairs := map[string]int{}
		for _, m := range []string{"mpi_rma_pairsync_count", "mpi_rma_pairsync_unneeded_count"} {
			for _, c := range e.Cells(e.MetricIndex(m)) {
				pairs[fmt.Sprint(m, " ", e.Locations[c.Location].Trace)] += int(c.Value)
				found[m]++
			}
		}
		maps.DeleteFunc(want.pairs, func(_ string, n int) bool { return n == 0 })
		require.Equal(t, want.pairs, pairs, "seed %d", seed)
	}
	require.Len(t, found, 14)
	for name, k := range found {
		require.Greater(t, k, n/100, name)
	}
}
