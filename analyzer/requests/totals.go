package requests

import (
	"cmp"
	"maps"
	"slices"

	"tracerec/internal/readable"
	"tracerec/trace"
)

// Report is what was found. Its JSON form is a contract: fields may be added. Times are ns, lists never null.
type Report struct {
	Requests []Class   `json:"requests"` // all together first, then those that took most time together
	Findings []Finding `json:"findings"` // what the slow ones do that the others do not
	Warnings []string  `json:"warnings"`
}

// Class is all requests of one name.
type Class struct {
	Name    string     `json:"name"`
	Kind    string     `json:"kind"`    // http, http2, grpc or task; "" of all
	Count   int        `json:"count"`   // without those that are cut
	Cut     int        `json:"cut"`     // that began before the trace, or had not ended with it
	Unnamed int        `json:"unnamed"` // how many of Count have no name
	Rate    float64    `json:"rate"`    // 1/s
	Mean    int64      `json:"mean_ns"`
	P50     int64      `json:"p50_ns"` // nearest rank
	P95     int64      `json:"p95_ns"`
	P99     int64      `json:"p99_ns"`
	Max     int64      `json:"max_ns"`
	Parts   []Part     `json:"parts"` // of the mean latency, largest first
	Slow    []SlowPart `json:"slow"`  // of the slowest hundredth, most excess first
}

// Part is a part of a latency.
type Part struct {
	Metric   string   `json:"metric"`
	CallPath []string `json:"callpath"`
	File     string   `json:"file"`
	Line     int      `json:"line"`
	Causer   *Causer  `json:"causer,omitempty"` // of waits for others
	Via      []Causer `json:"via,omitempty"`    // the waits of others between the two
	Mean     int64    `json:"mean_ns"`
}

// Causer is what a goroutine did that was waited for.
type Causer struct {
	Metric   string   `json:"metric"`
	CallPath []string `json:"callpath"` // empty: not known
	File     string   `json:"file"`
	Line     int      `json:"line"`
}

// SlowPart is a part of the mean latency of slow requests.
type SlowPart struct {
	Part
	Excess int64 `json:"excess_ns"` // the mean less that of the middle tenth
}

// class is what requests have in common.
type class struct{ kind, name string }

// collected is the requests of a class.
type collected struct {
	cut, unnamed int
	list         []split
}

// split is the latency of a request, and its parts.
type split struct {
	latency int64
	parts   []share
}

// share is a part of a latency, by the number of its key.
type share struct {
	key int32
	d   int64
}

// totals adds requests up.
type totals struct {
	w       *walker
	keys    map[key]int32
	list    []key
	classes map[class]*collected
	each    func(Request)
}

// tell tells of a request.
func (t *totals) tell(q *request, parts []share) {
	r := Request{Location: q.loc, Begin: q.begin, End: q.end, Kind: q.kind, Name: q.name, Cut: q.cut}
	for _, p := range parts {
		r.Parts = append(r.Parts, t.part(p))
	}
	t.each(r)
}

// all is the class of all requests.
var all = class{"", "(all)"}

// add adds a request.
func (t *totals) add(q *request) {
	c := class{q.kind, q.name}
	if q.name == "" {
		c.name = "(unnamed " + q.kind + ")"
	}
	var s split
	if !q.cut {
		s = t.split(q)
	}
	if t.each != nil {
		t.tell(q, s.parts)
	}
	for _, c := range []class{all, c} {
		x := t.classes[c]
		if x == nil {
			x = &collected{}
			t.classes[c] = x
		}
		switch {
		case q.cut:
			x.cut++
			continue
		case q.name == "":
			x.unnamed++
		}
		x.list = append(x.list, s)
	}
}

func (t *totals) split(q *request) split {
	s := split{latency: q.end - q.begin}
	for k, d := range t.w.split(q) {
		n, ok := t.keys[k]
		if !ok {
			n = int32(len(t.list))
			t.keys[k] = n
			t.list = append(t.list, k)
		}
		s.parts = append(s.parts, share{n, d})
	}
	return s
}

// report makes the report of a trace that is so long.
func (t *totals) report(span int64) *Report {
	r := &Report{Requests: []Class{}, Findings: []Finding{}, Warnings: []string{}}
	for c, x := range t.classes {
		r.Requests = append(r.Requests, t.class(c, x, span))
	}
	slices.SortFunc(r.Requests, func(x, y Class) int {
		return cmp.Or(cmp.Compare(min(len(x.Kind), 1), min(len(y.Kind), 1)), -cmp.Compare(x.Mean*int64(x.Count), y.Mean*int64(y.Count)),
			cmp.Compare(x.Name, y.Name), cmp.Compare(x.Kind, y.Kind))
	})
	for i := range r.Requests {
		if f, is := r.Requests[i].finding(); is {
			r.Findings = append(r.Findings, f)
		}
	}
	return r
}

// class makes the row of a class.
func (t *totals) class(c class, x *collected, span int64) Class {
	out := Class{Name: c.name, Kind: c.kind, Count: len(x.list), Cut: x.cut, Unnamed: x.unnamed, Parts: []Part{}, Slow: []SlowPart{}}
	n := len(x.list)
	if n == 0 {
		return out
	}
	if span > 0 {
		out.Rate = float64(n) / (float64(span) / 1e9)
	}
	slices.SortStableFunc(x.list, func(a, b split) int { return cmp.Compare(a.latency, b.latency) })
	rank := func(percent int) int64 { return x.list[max((n*percent+99)/100, 1)-1].latency }
	out.P50, out.P95, out.P99, out.Max = rank(50), rank(95), rank(99), x.list[n-1].latency
	mean := t.mean(x.list)
	for _, p := range mean {
		out.Mean += p.d
		out.Parts = append(out.Parts, t.part(p))
	}
	middle := map[int32]int64{}
	for _, p := range t.mean(x.list[n*45/100 : max((n*55+99)/100, n*45/100+1)]) {
		middle[p.key] = p.d
	}
	for _, p := range t.mean(x.list[n-(n+99)/100:]) {
		out.Slow = append(out.Slow, SlowPart{t.part(p), p.d - middle[p.key]})
	}
	slices.SortStableFunc(out.Slow, func(a, b SlowPart) int { return -cmp.Compare(a.Excess, b.Excess) })
	return out
}

// mean returns the parts of the mean latency of some requests, largest first. They add up to it, rounded down.
func (t *totals) mean(list []split) (parts []share) {
	sums := map[int32]int64{}
	for i := range list {
		for _, p := range list[i].parts {
			sums[p.key] += p.d
		}
	}
	keys := slices.SortedFunc(maps.Keys(sums), func(a, b int32) int { return cmp.Or(-cmp.Compare(sums[a], sums[b]), t.compare(a, b)) })
	n, before := int64(len(list)), int64(0)
	for _, k := range keys {
		parts = append(parts, share{k, (before+sums[k])/n - before/n})
		before += sums[k]
	}
	return parts
}

// compare orders keys by what they say, from the request's goroutine on.
func (t *totals) compare(a, b int32) int {
	return slices.CompareFunc(t.steps(a), t.steps(b), func(x, y link) int { return cmp.Or(cmp.Compare(x.metric, y.metric), cmp.Compare(x.path, y.path)) })
}

// steps returns the waits of a key, and what was done at their end.
func (t *totals) steps(id int32) []link {
	k := t.list[id]
	list := []link{{k.chain, k.metric, k.path}}
	for list[len(list)-1].before >= 0 {
		list = append(list, t.w.links[list[len(list)-1].before])
	}
	slices.Reverse(list)
	return list
}

// part says what a key is.
func (t *totals) part(s share) Part {
	list := t.steps(s.key)
	head := t.causer(&list[0])
	p := Part{Metric: head.Metric, CallPath: head.CallPath, File: head.File, Line: head.Line, Mean: s.d}
	for i := 1; i < len(list); i++ {
		p.Via = append(p.Via, t.causer(&list[i]))
	}
	if n := len(p.Via); n > 0 {
		p.Causer, p.Via = &p.Via[n-1], p.Via[:n-1]
	}
	return p
}

// causer says what a goroutine did.
func (t *totals) causer(l *link) Causer {
	c := Causer{Metric: l.metric}
	c.CallPath, c.File, c.Line = t.place(l.path)
	return c
}

// place returns the names of a path's regions, and where in the source it is.
func (t *totals) place(path int32) (names []string, file string, line int) {
	names = []string{}
	if path >= 0 {
		r := t.region(path)
		file, line = r.File, r.Line
	}
	for ; path >= 0; path = t.w.r.paths.list[path].parent {
		names = append(names, t.region(path).Name)
	}
	slices.Reverse(names)
	return names, file, line
}

func (t *totals) region(path int32) trace.Region {
	x := &t.w.r.paths.list[path]
	if r := t.w.r.paths.region(x.region); r.Name != "" {
		return r
	}
	return trace.Region{Name: "(goroutine)"}
}

// Finding is what slow requests of a name do that others do not.
type Finding struct {
	Request string `json:"request"`
	Text    string `json:"text"`
	SlowPart
}

// least is the number of requests from which on their slowest hundredth says something.
const least = 20

// finding returns what the slow requests do most that the others do not, if that is a tenth of what they take.
func (c *Class) finding() (f Finding, is bool) {
	if len(c.Slow) == 0 || c.Count < least {
		return f, false
	}
	total := int64(0)
	for i := range c.Slow {
		total += c.Slow[i].Mean
	}
	s := c.Slow[0]
	if s.Excess <= 0 || s.Excess*10 < total {
		return f, false
	}
	text := readable.RoughPercent(float64(s.Mean)/float64(total)) + " of the slowest hundredth of " + c.Name + ", " + readable.Duration(total) + " on average, is " + s.Part.Words()
	return Finding{c.Name, text, s}, true
}
