package report

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"tracerec/internal/readable"
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

// place says where a part is spent, all that is waited for at one place being the same.
func (p *LatencyPart) place() string {
	if p.Causer == nil {
		return p.Words()
	}
	return p.Step.words() + ","
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
}

// leastRequests is the number of requests from which on their slowest hundredth says something.
const leastRequests = 20

// Finding returns what the slow requests do most that the others do not, if that is a tenth of what they take.
func (r *Requests) Finding() (f SlowFinding, is bool) {
	if len(r.Slow) == 0 || r.Count < leastRequests {
		return f, false
	}
	total, excess, there := int64(0), int64(0), atPlace{}
	first := r.Slow[0].place()
	for i := range r.Slow {
		s := &r.Slow[i]
		total += s.Mean
		if s.place() == first {
			excess += s.Excess
			there.add(&s.LatencyPart)
		}
	}
	if excess <= 0 || excess*10 < total {
		return f, false
	}
	took := "The slowest hundredth of " + r.called() + " took " + averaged(total)
	if !r.reaches(99) {
		took = "The slowest of " + r.called() + " took " + lasting(total)
	}
	return r.spent(r.Slow[0], there, total, took), true
}

// reaches says whether there are so many requests that a percentile is not simply the longest latency.
func (r *Requests) reaches(percent int) bool { return r.Count*(100-percent) >= 100 }

// Usual returns what all requests of a name, not only slow ones, are spent with most, if that is a tenth of what they take. Its Excess is 0.
func (r *Requests) Usual() (f SlowFinding, is bool) {
	total := int64(0)
	together := map[string]*atPlace{}
	for i := range r.Parts {
		p := &r.Parts[i]
		total += p.Mean
		if together[p.place()] == nil {
			together[p.place()] = new(atPlace)
		}
		together[p.place()].add(p)
	}
	var first *LatencyPart // of those at the place that has most, the first of which that is said that is most
	for i := range r.Parts {
		p := &r.Parts[i]
		if first == nil || cmp.Or(cmp.Compare(together[p.place()].mean, together[first.place()].mean), cmp.Compare(together[p.place()].alike[p.Words()], together[first.place()].alike[first.Words()])) > 0 {
			first = p
		}
	}
	if first == nil || 10*together[first.place()].mean < total || total == 0 {
		return f, false
	}
	all := r.Name
	if r.Kind == "" {
		all = "All requests"
	}
	return r.spent(SlowPart{LatencyPart: *first}, *together[first.place()], total, all+" took "+averaged(total)), true
}

// atPlace is all that requests spend at one place, how much of that in a convoy, and how much in chains that are instances of a problem, whatever these end with.
type atPlace struct {
	mean, convoy int64
	known        map[string]int64 // by the name of the problem
	alike        map[string]int64 // by what is said of a part, which leaves out a part of the call path
}

func (a *atPlace) add(p *LatencyPart) {
	a.mean, a.convoy = a.mean+p.Mean, a.convoy+p.Convoy
	if a.known == nil {
		a.known, a.alike = map[string]int64{}, map[string]int64{}
	}
	a.known[recognise(p.chain())] += p.Mean
	a.alike[p.Words()] += p.Mean
}

// queued says whether most of the time was in a convoy.
func (a *atPlace) queued() bool { return 2*a.convoy > a.mean }

// lasting writes a time on one line, averaged one that is a mean.
func lasting(ns int64) string  { return readable.Glue(readable.Duration(ns)) }
func averaged(ns int64) string { return lasting(ns) + " on average" }

// spent says how long requests took, and that they spent so much of that total in a part, of all that they spent at its place.
func (r *Requests) spent(s SlowPart, there atPlace, total int64, took string) SlowFinding {
	share := func(part, of int64) string { return readable.Glue(readable.RoughPercent(float64(part) / float64(of))) }
	text := took + ", " + share(there.mean, total) + " of it "
	if alike := there.alike[s.Words()]; there.mean > alike && s.Causer != nil {
		text += s.Step.words() + ", " + share(alike, there.mean) + " of that" + strings.TrimPrefix(s.onward(), ",")
	} else {
		text += s.Words()
	}
	name := there.problem()
	if name == HeldAcrossWait && there.queued() {
		text += "; most of that wait is in a queue that does not end (" + LockConvoy + ")"
	}
	f := SlowFinding{Request: r.Name, Text: text, SlowPart: s}
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
