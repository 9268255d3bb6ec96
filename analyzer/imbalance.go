package analyzer

// part is what a group does in one call path.
type part struct {
	sum     int64
	members int // with time in it
}

// imbalances compares the goroutines of each group in the call paths that they execute.
func (b *builder) imbalances() {
	parts := make([]part, len(b.places.groups))
	members := b.members()
	seen := make([]uint32, len(b.s.locations)) // last call path in which a location has time, + 1
	for path, cells := range b.scanned {
		if b.s.timeOf(uint32(path), b.s.paths.nodes[path].kind) != b.s.metrics.execution {
			continue
		}
		var groups []int32
		for i := range cells {
			if i%paced == 0 {
				b.s.store.Pace()
			}
			if c := &cells[i]; c.time != 0 {
				g := b.places.group[c.loc]
				if parts[g].members == 0 {
					groups = append(groups, g)
				}
				parts[g].sum += c.time
				parts[g].members++
				seen[c.loc] = uint32(path) + 1
			}
		}
		for i := range cells {
			if i%paced == 0 {
				b.s.store.Pace()
			}
			if c := &cells[i]; c.time != 0 {
				g := b.places.group[c.loc]
				b.imbalance(uint32(path), b.places.reported[c.loc], c.time, &parts[g], b.places.groups[g].count, 1)
			}
		}
		for _, g := range groups {
			n := b.places.groups[g].count
			if members[g] == nil { // collapsed: all others at once
				first := b.places.first[g]
				b.imbalance(uint32(path), first, 0, &parts[g], n, int64(n-parts[g].members))
			}
			for _, l := range members[g] {
				if seen[l] != uint32(path)+1 {
					b.imbalance(uint32(path), b.places.reported[l], 0, &parts[g], n, 1)
				}
			}
			parts[g] = part{}
		}
	}
}

// members lists the locations of the groups that are not collapsed.
func (b *builder) members() [][]uint32 {
	members := make([][]uint32, len(b.places.groups))
	for i := range b.s.locations {
		if b.s.locations[i].seen {
			if g := b.places.group[i]; b.places.locs[b.places.reported[i]].count < b.places.groups[g].count || b.places.groups[g].count == 1 {
				members[g] = append(members[g], uint32(i))
			}
		}
	}
	return members
}

// imbalance charges times goroutines of a group of n that spend own time in a call path.
func (b *builder) imbalance(path, loc uint32, own int64, p *part, n int, times int64) {
	if n == 1 {
		return
	}
	avg, m := floorDiv(p.sum, int64(n)), b.s.metrics
	above, below := m.overload, m.underload
	switch {
	case p.members == 1:
		above, below = m.single, m.singularity
	case own == 0:
		below = m.bypass
	}
	if own > avg {
		b.charge(above, path, loc, (own-avg)*times)
	} else {
		b.charge(below, path, loc, (avg-own)*times)
	}
}
