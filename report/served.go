package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"tracerec/metric"
	"tracerec/trace/wire"
)

// Serves tells whether requests were answered that are not tasks which the program notes, of which a program with an end may have some, too.
// What delays a service is what its requests wait for: it has no end to hurry to, so that its critical path says little. Tests end, and may serve some requests
// beside what they do: they are about requests if these take half of the time.
func (e *Experiment) Serves() bool {
	if e.Header.Of != "" {
		return false
	}
	answered, time := false, int64(0)
	for i := range e.Requests {
		if r := &e.Requests[i]; r.Kind != "" && r.Kind != "task" && !Apart(r.Kind) && r.Count > 0 {
			answered, time = true, time+r.Mean*int64(r.Count)
		}
	}
	return answered && (!e.tests() || 2*time >= e.Header.Focus)
}

// unlooked says that requests came in while nobody looked whether any do, "" if that was rare: the runtime looks when a processor has nothing else to do, or every 10 ms.
func (e *Experiment) unlooked() string {
	const share = 0.1 // of the run
	l := e.Header.Load
	if !e.Serves() || l == nil || float64(l.Busy) < share*float64(e.Header.Wall) {
		return ""
	}
	all := "all processors were"
	if e.Header.Processors == 1 {
		all = "its processor was"
	}
	return fmt.Sprintf("%s busy for %s of the run: requests that came in then were seen later, and have waited longer than is said here; the latency that clients measure has that, too",
		all, glue(percent(l.Busy, e.Header.Wall)))
}

// service is the verdict on a service: what its slow requests do, or else what all do.
func (p *page) service() (Verdict, bool) {
	if !p.e.Serves() || p.e.Requests[0].Count < leastRequests {
		return Verdict{}, false
	}
	all := &p.e.Requests[0]
	text := fmt.Sprintf("Half of %s%s took %s or less, ", glue(count(int64(all.Count), "request")), p.e.kinds(), glue(seconds(all.P50)))
	if all.reaches(99) {
		text += "one in a hundred " + glue(seconds(all.P99)) + " or more"
	} else {
		text += "the slowest " + glue(seconds(all.Max))
	}
	if 4*all.helping() >= all.Mean && all.Mean > 0 {
		text += "; " + glue(percent(all.helping(), all.Mean)) + " of their time went into helping the garbage collector, or waiting for it"
	}
	f, is := all.Finding()
	if !is {
		text += "; the slow ones do nothing that the others do not"
		f, is = all.Usual()
	}
	if !is || p.e.wakes(&f) {
		return Verdict{Text: text + "."}, true
	}
	return Verdict{Text: text + ". " + f.Text + ".", Metric: f.Metric, File: f.File, Line: f.Line}, true
}

// kinds says how many requests there are of each kind, of which some may serve others; "" if all are of one.
func (e *Experiment) kinds() string {
	of := map[string]int{}
	for i := range e.Requests {
		if r := &e.Requests[i]; r.Kind != "" && !Apart(r.Kind) && r.Count > 0 {
			of[r.Kind] += r.Count
		}
	}
	if len(of) < 2 {
		return ""
	}
	var list []string
	for _, kind := range slices.Sorted(maps.Keys(of)) {
		list = append(list, glue(grouped(int64(of[kind]))+" "+kind))
	}
	return " (" + enumeration(list) + ")"
}

// RunsTest says whether goroutines that begin with a function run a test or a benchmark.
func RunsTest(function string) bool {
	return function == "testing.tRunner" || function == "testing.(*B).run1.func1" || function == "testing.(*B).launch"
}

// tests says whether the goroutines of a group run tests or benchmarks.
func (g *Group) tests() bool { return RunsTest(cmp.Or(g.Begun, g.Name)) }

// tests tells whether the program is the tests of a package.
func (e *Experiment) tests() bool {
	return slices.ContainsFunc(e.Groups, func(g Group) bool { return g.tests() })
}

// benchmarked says whether a benchmark started the goroutines of a group: it does so in rounds, each of which has more to do than those before.
func (p *page) benchmarked(group int32) bool {
	path := p.e.Groups[group].Creator
	return path >= 0 && strings.HasPrefix(p.e.leaf(uint32(p.root(path))).Name, "Benchmark")
}

// spot is where somebody waits for something. At one line, goroutines that serve requests may wait, and others: so it is a call path.
type spot struct {
	metric, path, file string
	line               int
}

// spot returns where a step was.
func (s *Step) spot() spot { return spot{s.Metric, strings.Join(s.CallPath, "\x00"), s.File, s.Line} }

// spot returns where the waits of a line are.
func (e *Experiment) spot(l *Line) spot {
	r := e.leaf(l.Path)
	return (&Step{Metric: e.Metrics[l.Metric].Name, CallPath: e.pathOf(l.Path), File: r.File, Line: r.Line}).spot()
}

// WithFunction returns a call path that ends in an operation with the name of the function that has the operation: that is no region, as it is small, if
// another one is above the operation.
func WithFunction(calls []string, function, above string) []string {
	name, n := wire.ShortName(function), len(calls)
	if function == "" || function == above || n > 1 && calls[n-2] == name {
		return calls
	}
	return slices.Insert(slices.Clone(calls), n-1, name)
}

// spots returns where the waits of a finding are, as far as that is known, and how much of its waiting was there.
func (e *Experiment) spots(f *Finding) map[spot]int64 {
	spots := map[spot]int64{}
	for _, l := range f.AllLines() {
		if at := e.spot(&l); at.line > 0 {
			spots[at] += l.Severity
		}
	}
	return spots
}

// servedProblem returns the name of the problem that most waits of requests in a finding are instances of.
func (e *Experiment) servedProblem(f *Finding) string {
	if e.served(f) == 0 {
		return ""
	}
	all, spots, there := &e.Requests[0], e.spots(f), atPlace{}
	for i := range all.Parts {
		p := &all.Parts[i]
		if spots[p.spot()] > 0 {
			there.add(&SlowPart{LatencyPart: *p})
		}
	}
	if name := there.problem(); name != TooFewProcessors || e.lacked(there.mean*int64(all.Count)) {
		return name
	}
	return ""
}

// judged judges findings of requests by what is known of the whole program. Those that only woke up are left out, and processors were not too few if they were
// not busy. Those that wait where places or workers are shared have the problem that all who wait there have: what those who have the
// places do, which is where the chain of a request ends, is not why there are none left.
func (e *Experiment) judged(list []SlowFinding) []SlowFinding {
	list = slices.DeleteFunc(list, func(f SlowFinding) bool { return e.wakes(&f) })
	for i := range list {
		if f := &list[i]; f.Problem == TooFewProcessors && !e.lacked(f.together) {
			f.Problem, f.Advice = "", ""
		}
	}
	for i := range e.Findings {
		f := &e.Findings[i]
		if f.Busy.Workers == 0 && f.Busy.Places == 0 && !f.Busy.Taken {
			continue
		}
		known, spots := e.Problem(f), e.spots(f)
		for k := range list {
			if x := &list[k]; known != nil && spots[x.spot()] > 0 {
				x.know(known.Name)
			}
		}
	}
	return list
}

// wakes says whether requests of a finding only took their time to wake up: they were ready to run for a short time in which processors were not busy.
func (e *Experiment) wakes(f *SlowFinding) bool {
	const short = 1e6 // ns
	return f.Metric == metric.Ready && f.LatencyPart.Mean < short && !e.lacked(f.together)
}

// RankServed sets what the requests of a service have of the findings, and puts those first of which they have most. Several findings may be at one spot, of
// goroutines that were started at several places: which of them served how many requests is not known here, so they have parts as large as their waiting.
func (e *Experiment) RankServed() {
	if !e.Serves() {
		return
	}
	all, of := &e.Requests[0], map[spot]int64{}
	for i := range all.Parts {
		p := &all.Parts[i]
		of[p.spot()] += p.Mean * int64(all.Count)
	}
	waiting := map[spot]int64{}
	for i := range e.Findings {
		for at, d := range e.spots(&e.Findings[i]) {
			waiting[at] += d
		}
	}
	for i := range e.Findings {
		f := &e.Findings[i]
		f.Served = 0
		for at, d := range e.spots(f) {
			if d > 0 {
				f.Served += int64(float64(of[at]) * (float64(d) / float64(waiting[at])))
			}
		}
	}
	slices.SortStableFunc(e.Findings, func(x, y Finding) int { return -cmp.Compare(e.served(&x), e.served(&y)) })
}

// served is the part of the time of all requests that a finding has, 0 if it is not worth telling.
func (e *Experiment) served(f *Finding) int64 {
	if all := e.requestTime(); all > 0 && f.Served > all/200 {
		return f.Served
	}
	return 0
}

// requestTime is how long all requests took together.
func (e *Experiment) requestTime() int64 {
	if len(e.Requests) == 0 {
		return 0
	}
	return e.Requests[0].Mean * int64(e.Requests[0].Count)
}
