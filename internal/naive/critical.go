package naive

import (
	"cmp"
	"slices"
)

// criticalPath walks backwards from the end of the root location.
func (n *analysis) criticalPath() {
	root := n.root()
	if root == nil {
		return
	}
	for _, o := range n.ops {
		n.follow(o)
	}
	for _, l := range n.locations {
		slices.SortStableFunc(l.waits, func(a, b *wait) int {
			return cmp.Or(cmp.Compare(a.end, b.end), cmp.Compare(a.causer.loc.id, b.causer.loc.id))
		})
	}
	n.result.Focus = root.end - root.begin
	on := make([]int, n.result.Focus) // location of the path in each ns
	for l, t := root, root.end; t > root.begin; {
		from, next := l.before(t, root)
		for ; t > max(from, root.begin); t-- {
			on[t-1-root.begin] = l.id
		}
		l = next
	}
	n.criticalTime(root, on)
	n.criticalWaits(root, on)
	n.criticalImbalance()
}

// follow notes the wait of o that the critical path may follow: the last one for another location that lives then.
func (n *analysis) follow(o *op) {
	var last *wait
	for _, w := range n.waitsOf(o) {
		if w.causer != nil && w.causer.loc != o.loc {
			last = w
		}
	}
	if last != nil && last.causer.loc.begin <= last.end && last.end <= last.causer.loc.end {
		o.loc.waits = append(o.loc.waits, last)
	}
}

// before says since when the path is on l, if it is there at t, and where it comes from. Waits that end later
// are passed for good.
func (l *location) before(t int64, root *location) (from int64, next *location) {
	for len(l.waits) > 0 {
		w := l.waits[len(l.waits)-1]
		l.waits = l.waits[:len(l.waits)-1]
		if w.end > t {
			continue
		}
		if w.end > l.begin {
			return w.end, w.causer.loc
		}
		break
	}
	c := l.creator
	if c == nil || c.begin > l.begin || c.end < l.begin || c.begin == l.begin && c.id > l.id {
		c = root
	}
	return l.begin, c
}

// root is the main location of the root process, or of the first process that has events.
func (n *analysis) root() *location {
	if l := n.mainOf(n.rootProcess); l != nil {
		return l
	}
	for _, l := range n.mains() {
		if l != nil {
			return l
		}
	}
	return nil
}

// criticalTime charges every ns of the path to the call path that its location is in.
func (n *analysis) criticalTime(root *location, on []int) {
	for i, id := range on {
		l, t := n.locations[id], root.begin+int64(i)
		for _, p := range l.steps {
			if p.from <= t && t < p.to {
				n.add("critical_path", p.path, l, 1)
			}
		}
	}
}

// criticalWaits counts the time of every wait during which the path is on its causer.
func (n *analysis) criticalWaits(root *location, on []int) {
	for _, w := range n.waits {
		if w.causer == nil {
			continue
		}
		for i, id := range on {
			if t := root.begin + int64(i); w.from <= t && t < w.end && id == w.causer.loc.id {
				n.result.Critical[Cell{w.metric, w.op.path, w.op.loc.id}]++
			}
		}
	}
}

// criticalImbalance compares the critical path with the mean time without waiting.
func (n *analysis) criticalImbalance() {
	paths := map[string]int64{}
	for c, v := range n.result.Severity {
		if c.Metric == "critical_path" {
			paths[c.Path] += v
		}
	}
	for path, critical := range paths {
		active, visitors := int64(0), int64(0)
		most := -1
		for _, l := range n.locations {
			if l.visits[path] == 0 {
				continue
			}
			visitors++
			for _, p := range l.steps {
				if p.path == path {
					active += p.to - p.from
				}
			}
			for _, m := range WaitStates {
				active -= n.result.Severity[Cell{m, path, l.id}]
			}
			here := n.result.Severity[Cell{"critical_path", path, l.id}]
			if most < 0 || here > n.result.Severity[Cell{"critical_path", path, most}] {
				most = l.id
			}
		}
		if excess := critical - active/visitors; excess > 0 {
			n.add("critical_path_imbalance", path, n.locations[most], excess)
		}
	}
}
