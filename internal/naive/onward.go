package naive

import (
	"fmt"

	"tracerec/trace/wire"
)

// line is where a group waited, and for what.
type line struct {
	cause, metric, path string
	group               int
}

func (n *analysis) lineOf(w *wait) line {
	return line{n.cause(w), w.metric, w.op.path, n.result.Group[w.op.loc.id]}
}

// cause is what waits for one thing, and for one reason, have in common. Objects are told apart by process, kind and the place of
// their first use, if that is known.
func (n *analysis) cause(w *wait) string {
	if w.op.object == 0 {
		return "" // for nobody
	}
	o := n.defs.Objects[w.op.object-1]
	if o.Kind == wire.Stream || o.Kind == wire.Waits { // it is of no importance which, or not known
		return n.place(w)
	}
	class := fmt.Sprint("object ", w.op.object)
	if int(o.Region) < len(n.defs.Regions) && n.defs.Regions[o.Region].File != "" {
		r := n.defs.Regions[o.Region]
		class = fmt.Sprint(o.Process, " ", o.Kind, " ", r.File, " ", r.Line)
	}
	if o.Kind == wire.Mutex || o.Kind == wire.RWMutex {
		return class
	}
	return w.metric + " " + class
}

// onward looks at every ns in which somebody was waited for.
func (n *analysis) onward(p *pathfinder) {
	type moment struct {
		cause  string
		causer *location
		t      int64
	}
	awaited := map[moment]bool{}
	for _, w := range n.waits {
		if w.causer != nil && n.lines[n.lineOf(w)] && p.held(w) {
			for t := w.from; t < w.end; t++ {
				awaited[moment{n.cause(w), w.causer.loc, t}] = true
			}
		}
	}
	for m := range awaited {
		n.result.Onward[Onward{Cause: m.cause, Group: -1}]++
		if p.begin <= m.t && m.t < p.end && p.on[m.t-p.begin].l == m.causer {
			continue
		}
		if c := p.innermost(m.causer, m.t); c != nil {
			n.result.Onward[Onward{m.cause, c.op.path, n.result.Group[c.causer.id]}]++
		}
	}
}

// innermost returns the wait of l for another at t, of several the one that ends first, then the innermost.
func (p *pathfinder) innermost(l *location, t int64) (best *crossing) {
	for _, c := range p.crossings {
		if c.op.loc != l || t < c.begin || c.end <= t {
			continue
		}
		if best == nil || c.end < best.end || c.end == best.end && (c.begin > best.begin ||
			c.begin == best.begin && len(c.op.path) > len(best.op.path)) {
			best = c
		}
	}
	return best
}

// took counts a wait that the path was led on by.
func (n *analysis) took(c *crossing) {
	at := Cell{"", c.op.path, n.result.Group[c.op.loc.id]}
	inside := n.result.Operations[at]
	inside.Taken++
	n.result.Operations[at] = inside
}
