package requests

import (
	"cmp"
	"maps"
	"slices"

	"tracerec/internal/spill"
	"tracerec/report"
	"tracerec/trace"
)

// class is what requests have in common.
type class struct{ kind, name string }

// title is what the requests of a class are called.
func (c class) title() string {
	if c.name == "" {
		return "(unnamed " + c.kind + ")"
	}
	return c.name
}

// collected is the requests of a class.
type collected struct {
	cut, unnamed int
	ranked       []ranked                  // in the end, by latency
	sums         [groups]map[int32]portion // by group of requests and number of the key
}

// ranked is a request that is not cut, by its number.
type ranked struct {
	latency int64
	number  int32
}

// Groups of the requests of a class.
const (
	everyone = iota
	middle   // from the 45th to the 55th of a hundred
	slowest  // one of a hundred
	groups
)

// group returns the requests of a group, when they are in order.
func (x *collected) group(which int) []ranked {
	n := len(x.ranked)
	switch {
	case n == 0 || which == everyone:
		return x.ranked
	case which == middle:
		return x.ranked[n*45/100 : max((n*55+99)/100, n*45/100+1)]
	}
	return x.ranked[n-(n+99)/100:]
}

// share is a part of a latency, by the number of its key.
type share struct {
	key int32
	portion
}

// totals adds requests up.
type totals struct {
	w       *walker
	keys    numbered[key]
	classes map[class]*collected
	each    func(Request)
}

// tell tells of a request.
func (t *totals) tell(q *request, parts map[key]portion) {
	l := t.w.r.labelOf(q)
	r := Request{Location: q.loc, Begin: q.begin, End: q.end, Kind: l.class().kind, Name: l.name, Cut: q.cut}
	for k, p := range parts {
		r.Parts = append(r.Parts, t.part(share{t.keys.number(k), p}))
	}
	t.each(r)
}

// all is the class of all requests.
var all = class{"", "(all)"}

// add adds requests. Which of them are slow is known before it is known what they wait for: so no more is kept of each than its latency.
func (t *totals) add(list []request) {
	for i := range list {
		if i%atOnce == 0 {
			t.w.r.done.store.Pace()
		}
		t.rank(&list[i], int32(i))
	}
	in := t.group(len(list))
	for i := range list {
		q, classes, parts := &list[i], t.of(&list[i]), map[key]portion(nil)
		if !q.cut {
			parts = t.w.split(q)
		}
		for k, p := range parts {
			n := t.keys.number(k)
			for j, x := range classes {
				x.add(in[i][j], n, p)
			}
		}
		if t.each != nil {
			t.tell(q, parts)
		}
	}
}

// of returns all requests, and the class of one.
func (t *totals) of(q *request) (list [2]*collected) {
	for i, c := range [2]class{all, t.w.r.labelOf(q).class()} {
		if t.classes[c] == nil {
			t.classes[c] = &collected{}
		}
		list[i] = t.classes[c]
	}
	return list
}

// rank adds a request to those of its class and, unless these are told apart, to all.
func (t *totals) rank(q *request, number int32) {
	l := t.w.r.labelOf(q)
	for i, x := range t.of(q) {
		switch {
		case i == 0 && report.Apart(l.class().kind):
			continue
		case q.cut:
			x.cut++
			continue
		case l.name == "":
			x.unnamed++
		}
		x.ranked = add(t.w.r.done.store, x.ranked, ranked{q.end - q.begin, number})
	}
}

// group says of each of so many requests in which groups it is, as bits: of all requests, and of its class.
func (t *totals) group(n int) [][2]uint8 {
	store := t.w.r.done.store
	in := spill.Make[[2]uint8](store, n)
	for c, x := range t.classes {
		of := 1
		if c == all {
			of = 0
		}
		inOrder(store, x.ranked, func(a, b ranked) int {
			return cmp.Or(cmp.Compare(a.latency, b.latency), cmp.Compare(a.number, b.number))
		})
		for g := range x.sums {
			x.sums[g] = map[int32]portion{}
			for i, r := range x.group(g) {
				if i%anywhere == 0 {
					store.Pace()
				}
				in[r.number][of] |= 1 << g
			}
		}
	}
	return in
}

// add adds a part of the latency of a request of some groups.
func (x *collected) add(in uint8, key int32, p portion) {
	for g := range x.sums {
		if in>>g&1 != 0 {
			x.sums[g][key] = x.sums[g][key].and(p)
		}
	}
}

// report returns the requests of each name in a trace that is so long: all together first, then those that took most time together.
func (t *totals) report(span int64) (list []report.Requests) {
	for c, x := range t.classes {
		list = append(list, t.class(c, x, span))
	}
	slices.SortFunc(list, func(x, y report.Requests) int {
		return cmp.Or(cmp.Compare(order(x.Kind), order(y.Kind)), -cmp.Compare(x.Mean*int64(x.Count), y.Mean*int64(y.Count)),
			cmp.Compare(x.Name, y.Name), cmp.Compare(x.Kind, y.Kind))
	})
	return list
}

// order says which kinds come first.
func order(kind string) int {
	switch kind {
	case "":
		return 0
	case report.KindStream:
		return 2
	case report.KindRound:
		return 3
	}
	return 1
}

// class makes the row of a class.
func (t *totals) class(c class, x *collected, span int64) report.Requests {
	out := report.Requests{Name: c.name, Kind: c.kind, Count: len(x.ranked), Cut: x.cut, Unnamed: x.unnamed, Parts: []report.LatencyPart{}, Slow: []report.SlowPart{}}
	n := len(x.ranked)
	if n == 0 {
		return out
	}
	if span > 0 {
		out.Rate = float64(n) / (float64(span) / 1e9)
	}
	latencies := make([]int64, n)
	for i := range x.ranked {
		latencies[i] = x.ranked[i].latency
	}
	out.Percentiles, out.Max = report.PercentilesOf(latencies), latencies[n-1]
	for _, p := range t.mean(x, everyone) {
		out.Mean += p.time
		out.Parts = append(out.Parts, t.part(p))
	}
	usual := map[int32]int64{}
	for _, p := range t.mean(x, middle) {
		usual[p.key] = p.time
	}
	for _, p := range t.mean(x, slowest) {
		out.Slow = append(out.Slow, report.SlowPart{LatencyPart: t.part(p), Excess: p.time - usual[p.key]})
	}
	report.SortSlow(out.Slow)
	return out
}

// mean returns the parts of the mean latency of a group of requests, largest first. They add up to it, rounded down.
func (t *totals) mean(x *collected, which int) (parts []share) {
	sums := x.sums[which]
	keys := slices.SortedFunc(maps.Keys(sums), func(a, b int32) int { return cmp.Or(-cmp.Compare(sums[a].time, sums[b].time), t.compare(a, b)) })
	n, before := int64(len(x.group(which))), int64(0)
	for _, k := range keys {
		sum := sums[k]
		parts = append(parts, share{k, portion{(before+sum.time)/n - before/n, sum.convoy / n}})
		before += sum.time
	}
	return parts
}

// compare orders keys by what they say, from the request's goroutine on.
func (t *totals) compare(a, b int32) int {
	return slices.CompareFunc(t.steps(a), t.steps(b), func(x, y link) int { return cmp.Or(cmp.Compare(x.metric, y.metric), cmp.Compare(x.path, y.path)) })
}

// steps returns the waits of a key, and what was done at their end.
func (t *totals) steps(id int32) []link {
	k := t.keys.list[id]
	list := []link{{k.chain, k.metric, k.path}}
	for list[len(list)-1].before >= 0 {
		list = append(list, t.w.links.list[list[len(list)-1].before])
	}
	slices.Reverse(list)
	return list
}

// part says what a key is.
func (t *totals) part(s share) report.LatencyPart {
	list := t.steps(s.key)
	p := report.LatencyPart{Step: t.step(&list[0]), Mean: s.time, Convoy: s.convoy}
	for i := 1; i < len(list); i++ {
		p.Via = append(p.Via, t.step(&list[i]))
	}
	if n := len(p.Via); n > 0 {
		p.Causer, p.Via = &p.Via[n-1], p.Via[:n-1]
	}
	return p
}

// step says what a goroutine did. If that is an operation in a function that is no region, as it is small, the function is named, too.
func (t *totals) step(l *link) report.Step {
	s := report.Step{Metric: l.metric, CallPath: []string{}}
	if l.path < 0 {
		return s
	}
	x, r := &t.w.r.paths.list[l.path], t.region(l.path)
	s.File, s.Line, s.Own = r.File, r.Line, x.own
	for at := l.path; at >= 0; at = t.w.r.paths.list[at].parent {
		s.CallPath = append(s.CallPath, t.region(at).Name)
	}
	slices.Reverse(s.CallPath)
	if x.operation() {
		above := ""
		if x.parent >= 0 {
			above = t.region(x.parent).Func
		}
		s.CallPath = report.WithFunction(s.CallPath, r.Func, above)
		if len(s.CallPath) > x.depth && ofProgram(&r) {
			s.Own = x.depth
		}
	}
	return s
}

func (t *totals) region(path int32) trace.Region {
	x := &t.w.r.paths.list[path]
	if r := t.w.r.paths.region(x.region); r.Name != "" {
		return r
	}
	return trace.Region{Name: "(goroutine)"}
}
