package analyzer

// cluster is who belongs together, of locations: each leads to another one of its cluster, or to itself.
type cluster map[uint32]uint32

// find returns the location that stands for the cluster of one.
func (c cluster) find(loc uint32) uint32 {
	to, known := c[loc]
	if !known {
		c[loc] = loc
		return loc
	}
	for to != loc {
		next := c[to]
		c[loc] = next // half of the way next time
		loc, to = to, next
	}
	return loc
}

// join puts the clusters of two locations together.
func (c cluster) join(x, y uint32) { c[c.find(x)] = c.find(y) }

// alone says whether all locations belong together.
func (c cluster) alone() bool {
	roots := 0
	for loc, to := range c {
		if loc == to {
			roots++
		}
	}
	return roots == 1
}

// onePools says of findings whether those who were waited for are one pool. They are if all who waited did so at one object; where objects are not known, or are several, if each
// waiter is led to each other one by those for whom both waited. Goroutines that begin at one line may be several pools, each for itself.
func (b *builder) onePools(findings []int) []bool {
	one, lines := make([]bool, len(findings)), map[lineKey]int{}
	for i, finding := range findings {
		c := b.collected[finding]
		if one[i] = c.class != noClass && b.classes.list[c.class].count == 1; one[i] {
			continue
		}
		for _, l := range c.lines {
			lines[l.key] = i
		}
	}
	if len(lines) == 0 {
		return one
	}
	workers := make([][]cluster, len(b.matchWorkers))
	for i := range workers {
		workers[i] = newClusters(len(findings))
	}
	each(workers, b.waits.jumps, func(found []cluster, block []byte) {
		b.s.store.Pace()
		for r := newWaitReader(block); r.next(); {
			if i, is := lines[lineKey{r.metric, r.path, b.places.group[r.loc], r.class}]; is {
				found[i].join(r.loc, r.causer)
			}
		}
	})
	all := newClusters(len(findings))
	for _, found := range workers {
		for i, c := range found {
			for loc, to := range c {
				all[i].join(loc, to)
			}
		}
	}
	for i := range all {
		one[i] = one[i] || all[i].alone()
	}
	return one
}

func newClusters(n int) []cluster {
	list := make([]cluster, n)
	for i := range list {
		list[i] = cluster{}
	}
	return list
}
