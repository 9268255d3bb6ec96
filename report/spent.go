package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"tracerec/metric"
	"tracerec/trace/wire"
)

// activity is what goroutines do at a call path, or at most of it, while the critical path is on them.
type activity int

const (
	working  activity = iota // or something that is not recorded, outside all operations
	sleeping                 // in sleeps
	yielding                 // having given up their processors
	waking                   // released, and not running yet
	awaiting                 // waiting for what is not in the trace
	halted                   // waiting for others, whom the critical path could not follow
	unclear                  // in an operation, which does not say more
	nowhere                  // nobody is known to have been active
	missed                   // what is not known, as events were lost
)

// spending is what part of the critical path is spent with: a place, and one thing done there.
type spending struct {
	share          // all of the place; path is the call path to it that has most
	doing activity // most of the time
	time  int64    // in which that was done
}

// mostSpent returns what most of the critical path is spent with, and what most of the waiting for what is not in the trace, of places whatever the call paths that lead to them.
// If more than half of the path is sleep, it is that, in the place that has most, though work may have more in one place.
func (p *page) mostSpent() (top, awaited spending) {
	type place struct {
		region uint32
		doing  activity
	}
	operations := map[uint32]OperationSplit{}
	for _, o := range p.e.Operations {
		all := operations[o.Path]
		all.add(&o)
		operations[o.Path] = all
	}
	at := map[place]int{}
	var list []spending
	for _, s := range byPath(p.e.criticalPath()) {
		x := p.e.mostly(s, operations[s.path])
		key := place{p.e.Paths[s.path].Region, x.doing}
		i, known := at[key]
		if !known || isUnnamed(p.e.leaf(s.path).Name) || x.doing == nowhere { // which have nothing but the name in common
			at[key] = len(list)
			list = append(list, x)
			continue
		}
		list[i].value += x.value
		list[i].time += x.time
		if x.most > list[i].most {
			list[i].most, list[i].largest = x.most, x.largest
		}
	}
	asleep := 2*p.e.Split.Sleep > p.e.Header.Focus
	for _, x := range list {
		if is, was := asleep && x.doing == sleeping, asleep && top.doing == sleeping; is && !was || is == was && x.time > top.time {
			top = x
		}
		if x.doing == awaiting && x.time > awaited.time {
			awaited = x
		}
	}
	return top, awaited
}

// add adds what another group did on the critical path, or did at another place.
func (s *OperationSplit) add(o *OperationSplit) {
	s.Execution += o.Execution
	s.Runnable += o.Runnable
	s.Waiting += o.Waiting
	s.External += o.External
	s.Yielded += o.Yielded
	s.NotRecorded += o.NotRecorded
	s.Taken += o.Taken
}

// mostly returns what most of the critical path in a call path is spent with, of which all groups together did this in operations.
func (e *Experiment) mostly(s share, all OperationSplit) spending {
	r := e.leaf(s.path)
	switch {
	case r.Name == notRecorded:
		return spending{s, nowhere, s.value}
	case r.sleeps():
		return spending{s, sleeping, s.value}
	}
	most := spending{s, unclear, all.Execution}
	if !r.Operation {
		most = spending{s, working, s.value - all.Runnable - all.External - all.NotRecorded} // of states: for others it does not wait there
	}
	for _, x := range []spending{{s, awaiting, all.External}, {s, halted, all.Waiting}, {s, waking, all.Runnable - all.Yielded}, {s, yielding, all.Yielded}, {s, missed, all.NotRecorded}} {
		if x.time > most.time {
			most = x
		}
	}
	return most
}

// spentAt returns what most of the critical path in a call path is spent with.
func (e *Experiment) spentAt(path uint32) spending {
	here := share{path: path}
	for _, c := range e.criticalPath() {
		if c.Path == path {
			here.value += c.Value
		}
	}
	var all OperationSplit
	for _, o := range e.Operations {
		if o.Path == path {
			all.add(&o)
		}
	}
	return e.mostly(here, all)
}

// unseen says whether there may be waiting that is not recorded, so that nothing can be said of all waiting.
func (p *page) unseen(top spending) bool { return top.doing > waking || !p.e.executionKnown() }

// What to do about time of which more could be known.
const (
	unknownWork = "at work or waiting for something that is not recorded: instrument what it may wait for there to know more"
	unknownWait = "for something that is not recorded: instrument what ends that to know more"
)

// spent says what a part of the critical path is spent with, and is the verdict of which that is the sentence.
func (p *page) spent(top spending) (v Verdict, doing string) {
	e := p.e
	r := e.leaf(top.path)
	v = Verdict{Certain: e.complete(e.Header.Focus / 20), File: r.File, Line: r.Line}
	by := p.calledBy(top.path, nil)
	at := p.at(top.path) + by
	if !r.Operation && (top.doing == waking || top.doing == yielding || top.doing == awaiting) {
		return p.stood(v, top, at)
	}
	switch top.doing {
	case nowhere:
		v.Certain, doing = false, "not recorded: instrument what runs then to learn more"
		if e.Header.States {
			doing = "not recorded, while no goroutine that is recorded was active"
		}
	case missed:
		v.Metric, doing = metric.EventsLost, "in "+at+", where events were lost: it is not known what "+p.name(top.largest)+" did there"
	case sleeping:
		v.Metric, doing = metric.Sleep, p.asleepAt(top, at)
		if r.File != "" {
			doing += p.apart(top)
		}
	case waking:
		v.Metric, v.Certain, doing = metric.Wakeup, v.Certain && e.executionKnown(), "wake-up in "+at+": ready to run, but not running yet"
		if e.Ready() != nil {
			doing = "wake-up in " + at + ": " + p.without(top)
		}
	case awaiting:
		if r.outward() {
			v.Metric, doing = metric.Network, "waiting for "+beyond(r)+" in "+at
			if place := p.where(r); place != "" { // its name says the same
				doing = "waiting for " + beyond(r) + " at" + nbsp + elide(place, placeWidth) + by
			}
			if others := e.besides(top); others != "" {
				v.Certain, doing = false, doing+", and "+others+": the other end may be one of them"
			}
			break
		}
		if e.ticks(top) && !e.endless(top) {
			v.Metric, doing = metric.TimerWait, "waiting in "+at+" for "+e.nobody(top)+p.apart(top)
			break
		}
		v.Metric, v.Certain, doing = metric.ExternalWait, false, "waiting in "+at+" "+unknownWait
		switch {
		case e.endless(top):
			doing = "waiting in " + at + ", which " + e.Header.unended()
		case e.Header.all() && (r.Name == recvName || r.Name == selectName):
			doing = "waiting in " + at + " for " + e.nobody(top) + ": a timer, a signal or another program"
			if others := e.besides(top); others != "" {
				doing = "waiting in " + at + " for what is not recorded: a timer, a signal, another program, or what this one does by other means; " + others
			}
		case e.Header.States:
			doing = "waiting in " + at + " for " + e.nobody(top)
		}
	case halted:
		v.Certain, doing = false, "waiting in "+at+" for others that could not be followed any further"
	case unclear:
		if v.Certain, doing = false, "in "+at+", "+unknownWork; e.triesAgain(top.path) {
			doing = "in " + at + ", which is tried again and again"
		}
	default:
		return p.worked(v, top)
	}
	return v, doing
}

// alone says how much of the critical path is spent so in one place, and is the verdict of which that is the sentence.
func (p *page) alone(top spending) (v Verdict, text string) {
	v, doing := p.spent(top)
	return v, glue(percent(top.time, p.e.Header.Focus)) + " of the critical path is " + doing
}

// part is alone, but of sleep in several places it tells first how much all of them have.
func (p *page) part(top spending) (v Verdict, text string) {
	all, focus, most := p.e.Split.Sleep, p.e.Header.Focus, "the largest part"
	if !p.scattered(top) {
		return p.alone(top)
	}
	if 2*top.time > all {
		most = "most of it"
	}
	v, doing := p.spent(top)
	return v, fmt.Sprintf("%s of the critical path is sleep, %s (%s) in %s", glue(percent(all, focus)), most, glue(percent(top.time, focus)), doing)
}

// scattered says whether it is sleep, and others slept in other places.
func (p *page) scattered(top spending) bool {
	return top.doing == sleeping && 10*p.e.Split.Sleep > 11*top.time
}

// calledBy says which function of the program called a place in a library, if it is one for most of the time there: of the critical path, or of a finding's waits.
func (p *page) calledBy(path uint32, f *Finding) string {
	e := p.e
	if r := e.leaf(path); wire.OfProgram(r.Func, r.File) {
		return ""
	}
	times, all, most := map[string]int64{}, int64(0), ""
	add := func(at uint32, t int64) {
		if e.Paths[at].Region != e.Paths[path].Region {
			return
		}
		all += t
		for i := e.Paths[at].Parent; i >= 0; i = e.Paths[i].Parent {
			if r := e.leaf(uint32(i)); wire.OfProgram(r.Func, r.File) {
				times[r.Name] += t
				return
			}
		}
	}
	if f == nil {
		for _, c := range e.criticalPath() {
			add(c.Path, c.Value)
		}
	} else {
		for _, l := range f.AllLines() {
			add(l.Path, l.Severity)
		}
	}
	for name, t := range times {
		if t > times[most] || t == times[most] && name < most {
			most = name
		}
	}
	switch t, name := times[most], glue(p.brief(regionName(most))); {
	case 10*t > 9*all:
		return " (called by " + name + ")"
	case 2*t > all:
		return " (mostly called by " + name + ")"
	}
	return ""
}

// asleepAt says who sleeps at a place, if one goroutine has most of it. Who waits for its timer does so at no place.
func (p *page) asleepAt(top spending, at string) string {
	if p.e.leaf(top.path).timed() {
		if 2*top.most > top.value {
			return "waiting of " + p.name(top.largest) + " for its timer"
		}
		return "waiting of goroutines for the timers that start them, such as " + p.name(top.largest)
	}
	if r := p.e.leaf(top.path); r.Name == wire.LastSleep && r.File == "" {
		return "the time for which the race detector sleeps before the program exits (GORACE=atexit_sleep_ms=0 does without)"
	}
	if place, is := strings.CutPrefix(at, sleepName+" "); is {
		at = sleepName + p.sleepers(top) + " " + place
	}
	return at
}

// sleepers says whose sleep it is, if that is one goroutine's, or that of several of one group; else "".
func (p *page) sleepers(top spending) string {
	by, group := map[uint32]int64{top.largest: top.most}, p.e.Locations[top.largest].Group
	for _, c := range p.e.criticalPath() {
		if p.e.Paths[c.Path].Region == p.e.Paths[top.path].Region && c.Location != top.largest {
			by[c.Location] += c.Value
		}
	}
	const few = 50 // who has less than one part in so many of what the first one has is not worth a name, unless there are many
	minor, all := func(l uint32, v int64) bool { return few*v < top.most && l != top.largest }, int64(0)
	for l, v := range by {
		if minor(l, v) {
			all += v
		}
	}
	if few*all < top.value {
		maps.DeleteFunc(by, minor)
	}
	who := slices.Sorted(maps.Keys(by))
	if slices.ContainsFunc(who, func(l uint32) bool {
		return l != top.largest && p.e.Groups[p.e.Locations[l].Group].Name != p.e.Groups[group].Name
	}) {
		return ""
	}
	return " of " + p.who(group, who)
}

// endless says whether it was most of the time in a wait that did not end, on the one who was there longest.
func (e *Experiment) endless(top spending) bool {
	return slices.ContainsFunc(e.NeverEnded, func(n NeverEnded) bool {
		return e.Paths[n.Path].Region == e.Paths[top.path].Region && n.Location == top.largest && 2*e.Header.lasted(n.Since) > top.time
	})
}

// unended says of a wait that it did not end. What the program did behind the end of its trace is not known unless it ended, too.
func (h *Header) unended() string {
	if h.Exit < 0 {
		return "had not ended when the trace did"
	}
	return "never ended"
}

// beyond says what an operation waits for that is outward.
func beyond(r Region) string {
	switch r.Name {
	case wire.Pipe:
		return "a pipe, a terminal or the like"
	case wire.Accept:
		return "connections"
	}
	return "the network"
}

// besides says how long goroutines ran that the critical path was not on, if that is half as long as the path waited for what is not in the trace:
// then the program was at work, perhaps at the same time, and what it waited for may be that. Else it returns "".
func (e *Experiment) besides(top spending) string {
	if !e.Header.States || !e.executionKnown() {
		return ""
	}
	work := e.execution() - e.Split.Execution
	if 2*work < top.time {
		return ""
	}
	return "other goroutines of the program worked for " + glue(seconds(work)) + " in the whole run"
}

// apart says of a wait for time, which may be looking now and then for what others do, that others were at work, and where most of that was; else it returns "".
func (p *page) apart(top spending) string {
	e := p.e
	others := e.besides(top)
	if others == "" {
		return ""
	}
	work, most := e.workIn() // less that of the critical path
	for _, c := range e.criticalPath() {
		work[e.Paths[c.Path].Region] -= c.Value
	}
	for _, r := range slices.Sorted(maps.Keys(most)) {
		if 2*work[r] > e.execution()-e.Split.Execution {
			return "; " + others + ", mostly in " + p.at(most[r].Path)
		}
	}
	return "; " + others
}

// stood completes spent for time outside all operations in which goroutines did not run, as the scheduler says.
func (p *page) stood(v Verdict, top spending, at string) (Verdict, string) {
	where := "in " + at
	if isUnnamed(p.e.leaf(top.path).Name) {
		where = "outside all regions"
	}
	switch top.doing {
	case yielding:
		v.Metric = metric.Yielded
		return v, where + ", " + byItself
	case waking:
		if v.Metric = metric.Ready; !p.e.Header.States {
			v.Metric = metric.StartLatency
			return v, where + ", started, but not running yet"
		}
		return v, where + ", " + p.without(top)
	}
	v.Metric = metric.SystemCall
	others := p.e.besides(top)
	if others != "" {
		v.Certain, others = false, ", and "+others+": it may have waited for these"
	}
	if r := p.e.leaf(top.path); r.Func == "os/exec.(*Cmd).Wait" || strings.HasPrefix(r.Func, "os.(*Process).") && strings.Contains(strings.ToLower(r.Func), "wait") {
		return v, where + ", waiting for another process to end"
	}
	what := ""
	v.Metric, what = p.e.outside(top)
	return v, where + ", " + what + others
}

// rare is how small a part is that does not count: less than one in so many.
const rare = 20

// outside says what those wait for who wait for nobody outside of operations, and the metric of that.
func (e *Experiment) outside(top spending) (name, text string) {
	call, unknown := e.sumAt(metric.SystemCall, top), e.sumAt(metric.UnrecordedWait, top)
	switch {
	case rare*unknown < top.time:
		return metric.SystemCall, "in system calls"
	case rare*call < top.time:
		return metric.UnrecordedWait, "waiting for something that is not recorded"
	}
	return metric.SystemCall, "in system calls or waiting for something that is not recorded"
}

// sumAt returns a metric's severity at a place, on and off the critical path.
func (e *Experiment) sumAt(name string, at spending) (sum int64) {
	for _, c := range e.Cells(e.MetricIndex(name)) {
		if e.Paths[c.Path].Region == e.Paths[at.path].Region {
			sum += c.Value
		}
	}
	return sum
}

// ticks says whether most of the waiting for nobody at a place was for timers.
func (e *Experiment) ticks(at spending) bool { return e.ticking()[e.Paths[at.path].Region] > 0 }

// ticking returns how much longer goroutines waited for timers than for what else is not in the trace, by region.
func (e *Experiment) ticking() map[uint32]int64 {
	i := e.MetricIndex(metric.TimerWait)
	if i < 0 {
		return nil
	}
	more := map[uint32]int64{}
	for _, c := range e.Cells(i) {
		more[e.Paths[c.Path].Region] += c.Value
	}
	for _, c := range e.Cells(e.MetricIndex(metric.ExternalWait)) {
		more[e.Paths[c.Path].Region] -= c.Value
	}
	return more
}

// byItself says that a goroutine was ready to run, and why others ran instead.
const byItself = "ready to run after it gave up its processor by itself (runtime.Gosched)"

// collected says, behind that processors are lacking, that the garbage collector had them.
func (p *page) collected() string {
	if own := p.e.collecting(); own > 0 {
		return ", as the garbage collector took up to " + glue(percent(own, p.e.Header.CPUTime)) + " of the processor time"
	}
	return ""
}

// without says that goroutines had no processor at a place, and what the garbage collector has to do with that.
func (p *page) without(top spending) string {
	text, share := p.collected(), p.helping(top)
	if text == "" && share != "" {
		text = "; there, " + share
	}
	return "ready to run, but without a processor" + text
}

// helping says how much of the time at work at a place is for the garbage collector, from a tenth on.
func (p *page) helping(top spending) string {
	assist := p.e.sumAt(metric.GCAssist, top)
	if work := p.e.sumAt(metric.Execution, top) + assist; assist > 0 && 10*assist >= work {
		if p.e.helpersWaited() {
			return "goroutines had to help the garbage collector, or to wait for it, for " + glue(seconds(assist))
		}
		return glue(percent(assist, work)) + " of the time at work goes into helping the garbage collector, or waiting for it"
	}
	return ""
}

// worked completes spent for what is outside all operations.
func (p *page) worked(v Verdict, top spending) (Verdict, string) {
	known, at := p.e.executionKnown(), p.at(top.path)
	if known {
		v.Metric = metric.Execution
	}
	switch {
	case isUnnamed(p.e.leaf(top.path).Name):
		return p.outside(v, top)
	case !known:
		v.Certain = false
		return v, "in " + at + ", " + unknownWork
	}
	if share := p.helping(top); share != "" {
		return v, "work in " + at + ", where " + share
	}
	return v, "work in " + at + p.belowToo()
}

// belowToo says, behind a function that is at work, that others may be: visits of some were not recorded, and their time is that of who called them.
func (p *page) belowToo() string {
	if slices.ContainsFunc(p.e.Warnings, wire.TellsVisits) {
		return " (with what it calls that was too short to record)"
	}
	return ""
}

// outside completes worked for work outside all regions. Where states are known, a build of ours made regions of functions, main.main among them.
func (p *page) outside(v Verdict, top spending) (Verdict, string) {
	who := p.name(top.largest)
	if p.e.Header.States && p.e.Locations[top.largest].GoID == 1 {
		doing := "starts or ends the program"
		if p.e.tests() {
			doing = "runs package testing, or starts or ends the program"
		}
		return v, "outside all regions, where " + who + " " + doing
	}
	v.Certain = false
	return v, "outside all regions: instrument what " + who + " does there to know more"
}

// still is the verdict that somebody stood still at a call path nearly all the time, for all that is recorded.
func (p *page) still(who string, top spending) Verdict {
	v, _ := p.spent(top)
	v.Certain = false
	how := ", " + unknownWork
	switch top.doing {
	case sleeping:
		how = ""
	case awaiting:
		how = ", waiting " + unknownWait
	case halted:
		how = ", waiting for others that could not be followed any further"
	}
	v.Text = "Waiting that is recorded hardly delays " + p.e.Header.focus() + "; " + who + " was in " + p.at(top.path) + " nearly all the time" + how + "."
	return v
}
