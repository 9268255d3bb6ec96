package report

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"tracerec/internal/readable"
	"tracerec/metric"
)

// KindRound is the kind of the rounds of a goroutine that does its work in a loop: it waits for a value, a signal or some time, works, and waits at the same
// place again. They are not among all requests.
const KindRound = "round"

// KindStream is the kind of requests that go on as streams: WebSockets, server-sent events, calls of streaming methods of gRPC. How long they last says nothing about
// the service, so they are not among all requests.
const KindStream = "stream"

// Apart says whether what is of a kind is not among all requests.
func Apart(kind string) bool { return kind == KindRound || kind == KindStream }

// Requests is all requests of one name that a service answered. Times are ns. Its JSON form is a contract: fields may be added, lists are never null.
type Requests struct {
	Name    string `json:"name"`
	Kind    string `json:"kind"`    // http, http2, grpc, task, stream or round; "" of all, without streams and rounds
	Count   int    `json:"count"`   // without those that are cut
	Cut     int    `json:"cut"`     // that began before the trace, or had not ended with it
	Unnamed int    `json:"unnamed"` // how many of Count have no name
	Percentiles
	Rate  float64       `json:"rate"` // 1/s
	Mean  int64         `json:"mean_ns"`
	Max   int64         `json:"max_ns"`
	Parts []LatencyPart `json:"parts"` // of the mean latency, largest first
	Slow  []SlowPart    `json:"slow"`  // of the slowest hundredth: first the waits at the one place, or else the part, with most excess
}

// Percentiles are latencies that so many per cent of requests do not exceed, by nearest rank. In 95 of 100 cases, as many requests of the same service have
// theirs between low and high, if each one's latency has nothing to do with the others'.
type Percentiles struct {
	P50     int64 `json:"p50_ns"`
	P50Low  int64 `json:"p50_low_ns"`
	P50High int64 `json:"p50_high_ns"` // here and below: 0 if there are too few requests to tell
	P95     int64 `json:"p95_ns"`
	P95Low  int64 `json:"p95_low_ns"`
	P95High int64 `json:"p95_high_ns"`
	P99     int64 `json:"p99_ns"`
	P99Low  int64 `json:"p99_low_ns"`
	P99High int64 `json:"p99_high_ns"`
}

// PercentilesOf returns the percentiles of latencies, which are ascending and at least one.
func PercentilesOf(latencies []int64) (p Percentiles) {
	for _, x := range []struct {
		percent       int
		at, low, high *int64
	}{{50, &p.P50, &p.P50Low, &p.P50High}, {95, &p.P95, &p.P95Low, &p.P95High}, {99, &p.P99, &p.P99Low, &p.P99High}} {
		n, part := len(latencies), float64(x.percent)/100
		rank := max((n*x.percent+99)/100, 1)
		wide := int(math.Ceil(1.96 * math.Sqrt(float64(n)*part*(1-part)))) // ranks are distributed binomially, nearly normally
		*x.at, *x.low = latencies[rank-1], latencies[max(rank-wide, 1)-1]
		if rank+wide <= n {
			*x.high = latencies[rank+wide-1]
		}
	}
	return p
}

// RequestQuantities are what can be asked of requests by name.
var RequestQuantities = []string{"p50", "p95", "p99", "mean", "max", "count"}

// Quantity is one of them: ns, but count is a number.
type Quantity struct {
	Value     int64
	Low, High int64 // what it lies in but for chance, see Percentiles; High is 0 if that is not known
}

// Quantity returns one of RequestQuantities.
func (r *Requests) Quantity(name string) (q Quantity, ok bool) {
	switch name {
	case "p50":
		return Quantity{r.P50, r.P50Low, r.P50High}, true
	case "p95":
		return Quantity{r.P95, r.P95Low, r.P95High}, true
	case "p99":
		return Quantity{r.P99, r.P99Low, r.P99High}, true
	case "mean":
		return Quantity{Value: r.Mean}, true
	case "max":
		return Quantity{Value: r.Max}, true
	case "count":
		return Quantity{Value: int64(r.Count)}, true
	}
	return q, false
}

// RequestNoise returns by how many ns two quantities may differ by chance, NaN if there are too few requests to tell.
func RequestNoise(a, b Quantity) float64 {
	if a.Value > b.Value {
		a, b = b, a
	}
	if a.High == 0 || b.High == 0 {
		return math.NaN()
	}
	return math.Hypot(float64(a.High-a.Value), float64(b.Value-b.Low))
}

// RequestsLike returns the requests of the same name and kind, nil if there are none.
func RequestsLike(list []Requests, r *Requests) *Requests {
	if i := slices.IndexFunc(list, func(x Requests) bool { return x.Name == r.Name && x.Kind == r.Kind }); i >= 0 {
		return &list[i]
	}
	return nil
}

// Selected says whether which requests have the name of r depends on what they did: others of its kind have none, because they never waited.
func (r *Requests) Selected(list []Requests) bool {
	return r.Kind != "" && slices.ContainsFunc(list, func(x Requests) bool { return x.Kind == r.Kind && x.Unnamed > 0 })
}

// LatencyPart is a part of a latency.
type LatencyPart struct {
	Step
	Causer *Step  `json:"causer,omitempty"` // of waits for others
	Via    []Step `json:"via,omitempty"`    // the waits of others between the two
	Mean   int64  `json:"mean_ns"`
	Convoy int64  `json:"convoy_ns,omitempty"` // of Mean: the request waited for a lock in a convoy, see [Finding]
}

// Step is what a goroutine did: the one that served a request, or one that was waited for.
type Step struct {
	Metric   string   `json:"metric"`
	CallPath []string `json:"callpath"` // empty: not known
	File     string   `json:"file"`
	Line     int      `json:"line"`
	Own      int      `json:"own"` // how many of CallPath lead to the innermost function of the program itself, not of a library; 0 if that is not known
}

// SlowPart is a part of the mean latency of slow requests.
type SlowPart struct {
	LatencyPart
	Excess int64 `json:"excess_ns"` // the mean less that of the middle tenth
}

// SortSlow puts those first that have most excess. Waits at one place are together, by what they have together, and so are those of them of which the same is said.
func SortSlow(list []SlowPart) {
	type placed struct {
		SlowPart
		place, words string
	}
	var sorted []placed
	together, alike := map[string]int64{}, map[string]int64{}
	for _, p := range list {
		x := placed{p, p.place(), p.Words()}
		sorted = append(sorted, x)
		together[x.place] += p.Excess
		alike[x.words] += p.Excess
	}
	slices.SortStableFunc(sorted, func(a, b placed) int {
		return cmp.Or(-cmp.Compare(together[a.place], together[b.place]), cmp.Compare(a.place, b.place),
			-cmp.Compare(alike[a.words], alike[b.words]), cmp.Compare(a.words, b.words), -cmp.Compare(a.Excess, b.Excess))
	})
	for i := range sorted {
		list[i] = sorted[i].SlowPart
	}
}

// place says where a part is spent. All that is waited for at one place is the same, and who calls a library there, or else the innermost function of the program.
func (p *LatencyPart) place() string {
	place := p.Step.words()
	if p.Own > 0 && (waitsFor(p.Metric) || p.Metric == metric.Sleep) {
		place = p.phrase() + " in " + p.Step.from(p.shared())
	}
	if p.Causer != nil {
		place += ","
	}
	return place
}

// shared returns where a call path goes on from what others may call, too: a function of a library, or else the innermost one of the program.
func (s *Step) shared() int {
	if s.library(s.calls()) {
		return s.Own
	}
	return max(s.Own-1, 0)
}

// texts replaces all texts that come from the measured program. Lists are cloned before.
func (r *Requests) texts(replace func(*string)) {
	replace(&r.Name)
	step := func(s *Step) {
		s.CallPath = slices.Clone(s.CallPath)
		for i := range s.CallPath {
			replace(&s.CallPath[i])
		}
		replace(&s.File)
	}
	part := func(p *LatencyPart) {
		step(&p.Step)
		if p.Causer != nil {
			causer := *p.Causer
			step(&causer)
			p.Causer = &causer
		}
		p.Via = slices.Clone(p.Via)
		for i := range p.Via {
			step(&p.Via[i])
		}
	}
	r.Parts, r.Slow = slices.Clone(r.Parts), slices.Clone(r.Slow)
	for i := range r.Parts {
		part(&r.Parts[i])
	}
	for i := range r.Slow {
		part(&r.Slow[i].LatencyPart)
	}
}

// SlowFinding is what slow requests of a name do that others do not.
type SlowFinding struct {
	Request string `json:"request"`
	Text    string `json:"text"`              // words that belong on one line joined by no-break spaces
	Problem string `json:"problem,omitempty"` // by which it is known
	Advice  string `json:"advice,omitempty"`
	SlowPart
	together int64 // what these requests spent at that place
}

// leastRequests is the number of requests from which on their slowest hundredth says something.
const leastRequests = 20

// Finding returns what the slow requests do most that the others do not, if that is a tenth of what they take.
func (r *Requests) Finding() (f SlowFinding, is bool) {
	if len(r.Slow) == 0 || r.Count < leastRequests {
		return f, false
	}
	total, slower, there := int64(0), int64(0), atPlace{}
	first := r.Slow[0].place()
	for i := range r.Slow {
		s := &r.Slow[i]
		total, slower = total+s.Mean, slower+s.Excess
		if s.place() == first {
			there.add(s)
		}
	}
	if excess := min(there.excess, slower); excess <= 0 || excess*10 < total {
		return f, false
	}
	took := "The slowest hundredth of " + r.called() + " took " + averaged(total)
	if !r.reaches(99) {
		took = "The slowest of " + r.called() + " took " + lasting(total)
	}
	f = r.spent(there, total, took)
	f.together = there.mean * int64(r.slowest())
	if more := r.Slow[0].onward(); more != f.onward() && 2*there.longer[more] > there.excess {
		f.Text += "; what is more than usual was mostly spent waiting" + strings.TrimPrefix(more, ",")
	}
	return f, true
}

// slowest is how many requests the slowest hundredth is.
func (r *Requests) slowest() int { return (r.Count + 99) / 100 }

// reaches says whether there are so many requests that a percentile is not simply the longest latency.
func (r *Requests) reaches(percent int) bool { return r.Count*(100-percent) >= 100 }

// Usual returns what all requests of a name, not only slow ones, are spent with most, if that is a tenth of what they take. Its Excess is 0.
func (r *Requests) Usual() (f SlowFinding, is bool) {
	total, first := int64(0), new(atPlace)
	together := map[string]*atPlace{}
	for i := range r.Parts {
		p := &SlowPart{LatencyPart: r.Parts[i]}
		total += p.Mean
		if together[p.place()] == nil {
			together[p.place()] = new(atPlace)
		}
		together[p.place()].add(p)
	}
	for i := range r.Parts {
		if at := together[r.Parts[i].place()]; at.mean > first.mean {
			first = at
		}
	}
	if 10*first.mean < total || total == 0 {
		return f, false
	}
	all := r.Name
	if r.Kind == "" {
		all = "All requests"
	}
	f = r.spent(*first, total, all+" took "+averaged(total))
	f.together = first.mean * int64(r.Count)
	return f, true
}

// atPlace is all that requests spend at one place, how much of that in a convoy, and how much in chains that are instances of a problem, whatever these end with.
type atPlace struct {
	parts                []*SlowPart
	mean, excess, convoy int64
	known                map[string]int64 // by the name of the problem
	alike, longer        map[string]int64 // mean and excess by what is said of what was waited for, which leaves out a part of the call path
	paths                map[string]int64 // by what is said of the place itself
}

func (a *atPlace) add(p *SlowPart) {
	a.parts, a.mean, a.excess, a.convoy = append(a.parts, p), a.mean+p.Mean, a.excess+p.Excess, a.convoy+p.Convoy
	if a.known == nil {
		a.known, a.alike, a.longer, a.paths = map[string]int64{}, map[string]int64{}, map[string]int64{}, map[string]int64{}
	}
	a.known[recognise(p.chain())] += p.Mean
	a.alike[p.onward()] += p.Mean
	a.longer[p.onward()] += p.Excess
	a.paths[p.Step.words()] += p.Mean
}

// most returns the part that stands for a place: of those that wait for what has most of the time, the one with most of it.
func (a *atPlace) most() *SlowPart {
	return slices.MaxFunc(a.parts, func(x, y *SlowPart) int {
		return cmp.Or(cmp.Compare(a.alike[x.onward()], a.alike[y.onward()]), cmp.Compare(a.paths[x.Step.words()], a.paths[y.Step.words()]))
	})
}

// words says what is done at the place and where: if several lead there, what they call, and how much of the time each of them had.
func (a *atPlace) words() string {
	s, above := &a.parts[0].Step, 0
	if len(a.paths) == 1 {
		return s.words()
	}
	callers := a.callers(above)
	if len(callers) == 1 { // a function of the program that several call
		above++
		callers = a.callers(above)
	}
	by := slices.SortedFunc(maps.Keys(callers), func(x, y string) int { return cmp.Or(-cmp.Compare(callers[x], callers[y]), cmp.Compare(x, y)) })
	var names []string
	for _, name := range firstOf(by, mostCallers) {
		names = append(names, readable.Clean(name)+nbsp+"("+portion(callers[name], a.mean)+")")
	}
	if others := len(by) - mostCallers; others > 0 {
		names = append(names, readable.Plural(others, "other"))
	}
	return s.phrase() + " in " + s.from(max(s.shared()-above, 0)) + ", called by " + enumeration(names)
}

// callers returns who called what is shared at the place, so many functions above it.
func (a *atPlace) callers(above int) map[string]int64 {
	list := map[string]int64{}
	for _, p := range a.parts {
		if at := p.Step.shared() - 1 - above; at >= 0 {
			list[p.CallPath[at]] += p.Mean
		}
	}
	return list
}

// mostCallers is how many of those that call a place are named.
const mostCallers = 2

// portion writes a share.
func portion(part, of int64) string {
	return readable.Glue(readable.RoughPercent(float64(part) / float64(of)))
}

// queued says whether most of the time was in a convoy.
func (a *atPlace) queued() bool { return 2*a.convoy > a.mean }

// lasting writes a time on one line, averaged one that is a mean.
func lasting(ns int64) string  { return readable.Glue(readable.Duration(ns)) }
func averaged(ns int64) string { return lasting(ns) + " on average" }

// spent says how long requests took, and that they spent so much of that total at a place, and for what most of it.
func (r *Requests) spent(there atPlace, total int64, took string) SlowFinding {
	s := there.most()
	text := took + ", " + portion(there.mean, total) + " of it " + there.words()
	if alike := there.alike[s.onward()]; there.mean > alike && s.Causer != nil {
		text += ", " + portion(alike, there.mean) + " of that" + strings.TrimPrefix(s.onward(), ",")
	} else {
		text += s.onward()
	}
	name := there.problem()
	if name == HeldAcrossWait && there.queued() {
		text += "; most of that wait is in a queue that does not end (" + LockConvoy + ")"
	}
	f := SlowFinding{Request: r.Name, Text: text, SlowPart: *s}
	f.know(name)
	return f
}

// problem returns the name of the problem that most of the time at a place is an instance of, "" for none that is known. In a convoy, each one gets the lock from
// another, and has to have a processor then: that it waits for one does not mean that there are too few.
func (a *atPlace) problem() (name string) {
	for known, mean := range a.known {
		if 2*mean > a.mean {
			name = known
		}
	}
	if (name == "" || name == TooFewProcessors) && a.queued() {
		return LockConvoy
	}
	return name
}

// chain is what the request did, and those that were waited for.
func (p *LatencyPart) chain() []did {
	list := []did{{p.Metric, p.CallPath}}
	for _, s := range p.Via {
		list = append(list, did{s.Metric, s.CallPath})
	}
	if p.Causer != nil {
		list = append(list, did{p.Causer.Metric, p.Causer.CallPath})
	}
	return list
}

// know names the problem that a finding is an instance of, "" for none that is known.
func (f *SlowFinding) know(name string) {
	if known := problem(name); known != nil {
		f.Problem, f.Advice = known.Name, known.Advice
	}
}

// called is what requests are called in a sentence.
func (r *Requests) called() string {
	if r.Kind == "" {
		return "all requests"
	}
	return r.Name
}

// SlowFindings returns what the slow requests of each name do that others do not.
func SlowFindings(list []Requests) []SlowFinding {
	findings := []SlowFinding{}
	for i := range list {
		if f, is := list[i].Finding(); is && list[i].Kind != KindStream {
			findings = append(findings, f)
		}
	}
	return findings
}

// RequestPath is one request, and the way of its critical path through time.
type RequestPath struct {
	Name      string     `json:"name"`
	Kind      string     `json:"kind"`
	Goroutine uint64     `json:"goroutine"`
	Begin     int64      `json:"begin_ns"` // after the start of the recording
	Latency   int64      `json:"latency_ns"`
	Steps     []PathStep `json:"steps"` // in the order of time; they add up to the latency
}

// PathStep is what was done at a time after the begin of a request. Its Mean is how long it lasted.
type PathStep struct {
	At int64 `json:"at_ns"`
	LatencyPart
}
