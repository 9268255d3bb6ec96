package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"tracerec/metric"
	"tracerec/trace/wire"
)

// Verdict says what holds a program up most.
type Verdict struct {
	Text    string `json:"text"`    // a sentence or two, words that belong on one line joined by no-break spaces; "" if nothing can be said
	Certain bool   `json:"certain"` // nothing that is not known could change it
	Metric  string `json:"metric"`  // what kind of waiting it is; execution or sleep where nobody waits for others, "" if that is not known
	Object  string `json:"object"`  // what is waited for, "" if it has no name or there is none
	File    string `json:"file"`    // where: the waiting line that costs most, or the work
	Line    int    `json:"line"`
}

// Hint says how to see more of the work of a function, or of the wait of an operation, that the verdict is about, where anything is known of that.
func (v *Verdict) Hint(say func(string), known func(file string, line int, operation bool) string) {
	switch v.Metric {
	case "", metric.Sleep, metric.Ready, metric.Yielded, metric.SystemCall:
		return
	}
	if hint := known(v.File, v.Line, v.Metric != metric.Execution); hint != "" {
		say(hint)
	}
}

// Judge sets the verdict, from all else that is in the experiment, and puts findings of deadlocks first.
func (e *Experiment) Judge() {
	rankDeadlocks(e, e.Findings)
	p := &page{e: e, files: e.shortFiles(), said: map[string]int{}}
	e.Verdict = p.verdict()
	switch h := &e.Header; {
	case e.Verdict.Text == "":
	case h.Cut:
		e.Verdict.Text = notComplete + e.Verdict.Text
	case h.Damaged > 0:
		e.Verdict.Text = fmt.Sprintf("This recording is damaged: %s of its %s events cannot be read. What follows is about the rest. ",
			grouped(int64(h.Damaged)), grouped(int64(h.Events+h.Damaged))) + e.Verdict.Text
	}
}

// notComplete begins what is said of a recording that is cut.
const notComplete = "This recording is not complete: what each goroutine did last may be missing. What follows is about the rest. "

// The critical path is mostly in one call path from this share of the focus on; waiting is worth the first sentence from that share on.
const (
	mostly = 0.9
	worth  = 0.05
)

// verdict finds what holds the program up most: the waiting that costs most, else the work that costs most.
func (p *page) verdict() Verdict {
	e := p.e
	if e.Merged {
		return Verdict{}
	}
	if v, is := p.deadlocked(); is {
		return v
	}
	if v, is := p.asleep(); is {
		return v
	}
	if v, is := p.timedOut(); is {
		return v
	}
	if v, ok := p.service(); ok {
		return v
	}
	if v, ok := p.full(); ok && e.Header.Processors > 1 {
		return v
	}
	focus := float64(e.Header.Focus)
	if v, ok := p.pool(); ok {
		return v
	}
	top, awaited := p.mostSpent()
	if v, ok := p.untilSignal(top); ok {
		return v
	}
	if v, ok := p.kept(top); ok {
		return v
	}
	if v, ok := p.quiet(top); ok {
		return v
	}
	if v, ok := p.away(awaited); ok {
		return v
	}
	if len(e.Findings) > 0 && float64(e.Findings[0].Critical) >= worth*focus && focus > 0 {
		f := &e.Findings[0]
		if p.outweighed(f, top) {
			return p.beside(f, top)
		}
		return p.of(f, p.delays("Waiting", f, p.extent(f)), e.certain(f) && e.complete(p.lead()))
	}
	if float64(top.time) < mostly*focus || !p.standsStill(top) {
		return p.work(top)
	}
	who := "the " + e.Header.worker() + " " + p.name(top.largest)
	if e.Locations[top.largest].GoID == 1 && !e.Header.Threads {
		who = "the root goroutine"
	}
	f := p.longest()
	if f == nil {
		return p.still(who, top)
	}
	return p.of(f, fmt.Sprintf("%s %s was in %s nearly all the time, so the critical path does not tell what this holds up: if it waits there for these goroutines, "+
		"instrument that wait.", p.waitMost(f), strings.Replace(who, "the", "The", 1), p.at(top.path)), false)
}

// all says whether all is recorded that goroutines do.
func (h *Header) all() bool { return h.States && !h.Cut && h.Damaged == 0 }

// focus is what the critical path is of.
func (h *Header) focus() string { return cmp.Or(h.Of, "the run") }

// delays is the sentence that nothing delays the run as the waiting of a finding does, if it is that. how says what is known of it.
func (p *page) delays(waiting string, f *Finding, how string) string {
	if idle := idleness[p.e.Metrics[f.Metric].Name]; idle != "" {
		return p.idles(idle, f)
	}
	if p.aside(f) {
		return p.limits(waiting, f)
	}
	if p.e.Groups[f.Group].tests() {
		waiting += " of " + p.waiters(f)
	}
	return fmt.Sprintf("%s %s delays %s most: %s.", waiting, p.purpose(f), p.e.Header.focus(), how)
}

// aside says whether a finding is of waiting at channels, for others of one group, by which the critical path was hardly ever led: it was on those others all the
// time, as on the slowest stage of a pipeline, and would have been there if nobody had waited for them.
func (p *page) aside(f *Finding) bool {
	const seldom = 20 // it was led by fewer than one in so many
	switch p.e.kind(f).Name {
	case metric.LateSender, metric.LateReceiver, metric.FullBuffer:
	default:
		return false
	}
	causers := p.causersOf(f)
	if len(causers) == 0 || causers[0].Group < 0 || 10*causers[0].Severity < 9*f.Severity {
		return false
	}
	taken := int64(0)
	for _, o := range p.e.Operations {
		if slices.ContainsFunc(f.AllLines(), func(l Line) bool { return l.Path == o.Path && l.Group == o.Group }) {
			taken += o.Taken
		}
	}
	return seldom*taken < int64(f.Instances)
}

// limits is the sentence for a finding whose waiting is aside: it is the work of those who were waited for that takes the time.
func (p *page) limits(waiting string, f *Finding) string {
	h := &p.e.Header
	share, waited := glue(percent(f.Critical, h.Focus)), fmt.Sprintf("(%s), %s waited %s%s.%s", glue(seconds(f.Critical)), p.waiters(f), p.purpose(f), p.waitedBecause(f), f.Busy.sentence())
	if waiting != "Waiting" || 2*f.Critical < h.Focus { // for less it is not alone in that
		return fmt.Sprintf("For %s of %s %s", share, h.focus(), waited)
	}
	c := p.causersOf(f)[0]
	return fmt.Sprintf("What limits %s is %s: for %s of it %s", h.focus(), p.who(c.Group, c.mattering()), share, waited)
}

// idleness says what the program does while something has nothing to do, by the metric of that. Who is idle does not delay anybody, but could have had a part of the work.
var idleness = map[string]string{
	metric.IdleThreads:  "is serial",
	metric.FewerThreads: "uses only some of its threads",
	metric.LateLaunch:   "leaves a GPU without work",
}

// idles is the sentence that a part of the critical path could have been shared with those who were idle, who are the waiters of a finding.
func (p *page) idles(what string, f *Finding) string {
	return fmt.Sprintf("For %s of its time (%s), %s %s: %s waited%s.", glue(percent(f.Critical, p.e.Header.Focus)), glue(seconds(f.Critical)),
		p.e.Header.focus(), what, p.waiters(f), p.waitedBecause(f))
}

// waitedBecause goes on behind what was waited for.
func (p *page) waitedBecause(f *Finding) string {
	because := p.because(f)
	if strings.HasPrefix(because, "for ") {
		return " " + because
	}
	return ", " + because
}

// extent says how much of the critical path the waiting of a finding has, and who it was for, without the last full stop.
func (p *page) extent(f *Finding) string {
	return strings.TrimSuffix(fmt.Sprintf("%s of its time (%s), %s.%s", glue(percent(f.Critical, p.e.Header.Focus)), glue(seconds(f.Critical)),
		p.because(f), f.Busy.sentence()), ".")
}

// outweighed says whether something else has so much of the critical path that the waiting of a finding is not what delays the run most: more waiting
// for what is not recorded or for a processor, or sleep with which the waiting has nothing to do, or work that has more than twice as much where the waiting has little, or that has
// most. What the causers did meanwhile belongs to the waiting, and where they slept, all sleep there may; but not that before the time from which on a join delays the run. Nor is it
// for a join that those who were last had no processor: it would have been others.
func (p *page) outweighed(f *Finding, top spending) bool {
	beside, join := top.time, p.e.kind(f).Name == metric.JoinWait
	if join && top.doing == waking {
		return top.time > f.Critical
	}
	for _, m := range f.Meanwhile {
		if p.e.Paths[m.Path].Region == p.e.Paths[top.path].Region {
			beside -= m.Time
		}
	}
	if top.doing > sleeping || top.doing == sleeping && (beside == top.time || join) {
		return beside > f.Critical
	}
	return beside > 2*f.Critical && (4*f.Critical < p.e.Header.Focus || 2*beside > p.e.Header.Focus)
}

// beside is the verdict that something else has more of the critical path than the first finding.
func (p *page) beside(f *Finding, top spending) Verdict {
	v, doing := p.part(top)
	if 2*top.time > p.e.Split.Sleep-f.Critical { // the rest may be the sleep of those who were waited for, which is told of the waiting
		v, doing = p.alone(top)
	}
	waiting := "Of all waiting, that"
	if p.unseen(top) {
		waiting = "Of the waiting that is recorded, that"
	}
	v.Certain = v.Certain && p.e.certain(f)
	v.Text = fmt.Sprintf("%s. %s", doing, p.delays(waiting, f, p.extent(f)))
	return v
}

// quiet is the verdict that a program whose goroutines worked for less than a fiftieth of the run did next to nothing: the critical path waited for what comes from outside.
func (p *page) quiet(top spending) (Verdict, bool) {
	e, h := p.e, &p.e.Header
	if !h.all() || !e.executionKnown() || top.doing != awaiting || float64(top.time) < mostly*float64(h.Focus) || 50*e.execution() > h.Wall || e.endless(top) {
		return Verdict{}, false
	}
	v, doing := p.spent(top)
	v.Text = fmt.Sprintf("The program's goroutines worked for only %s in %s", glue(seconds(e.execution())), glue(seconds(h.Wall)))
	if len(e.Requests) > 0 && e.Requests[0].Count > 0 {
		all := &e.Requests[0]
		v.Text += fmt.Sprintf(", in which it answered %s, half of them in %s or less", glue(count(int64(all.Count), "request")), glue(seconds(all.P50)))
	}
	if slices.Contains(e.CallPath(top.path), "pprof.Trace") { // who asked for the trace waits for its end
		v.File, v.Line = "", 0
		v.Text += "."
		return v, true
	}
	v.Text += fmt.Sprintf("; %s of the critical path is %s.", glue(percent(top.time, h.Focus)), doing)
	return v, true
}

// away is the verdict that goroutines on the critical path waited more than half of the time for what is not in the trace, in many places, of which at has most: more than
// they waited for each other in the first finding, whatever those who were waited for did meanwhile.
func (p *page) away(at spending) (Verdict, bool) {
	e := p.e
	all, first := e.Split.External, int64(0)
	if len(e.Findings) > 0 {
		first = e.Findings[0].Critical
	}
	if 2*all <= e.Header.Focus || at.time == 0 || 2*at.time > all || all-first <= first {
		return Verdict{}, false
	}
	v, _ := p.spent(at)
	v.Certain = false
	v.Text = fmt.Sprintf("%s of the critical path is waiting in many places %s, %s in %s alone", glue(percent(all, e.Header.Focus)), p.beyond(),
		glue(percent(at.time, e.Header.Focus)), p.at(at.path))
	if v.Text += "."; float64(first) >= worth*float64(e.Header.Focus) {
		v.Text += " " + p.delays("Of all waiting for each other, that", &e.Findings[0], p.extent(&e.Findings[0]))
	}
	return v, true
}

// beyond says what goroutines on the critical path waited for that is not in the trace.
func (p *page) beyond() string {
	network, timers, stood := p.e.network(), p.e.timers(), int64(0)
	for _, o := range p.e.Operations {
		if !p.e.leaf(o.Path).Operation { // a state: its goroutine did not run
			stood += o.External
		}
	}
	switch all := p.e.Split.External; {
	case 10*network > 9*all:
		return "for the network"
	case 10*timers > 9*all:
		return "for timers"
	case !p.e.Header.all():
		return "for something that is not recorded"
	case 2*stood > all:
		return "in system calls or for something that is not recorded"
	case 10*network > all:
		return "for what no goroutine of the program does, such as the network (" + glue(percent(network, p.e.Header.Focus)) + "), timers, files or other programs"
	}
	return "for what no goroutine of the program does, such as timers, files or other programs"
}

// network is how much of the critical path is waiting for the network.
func (e *Experiment) network() (ns int64) {
	for _, o := range e.Operations {
		if e.leaf(o.Path).network() {
			ns += o.External
		}
	}
	return ns
}

// timers is how much of the critical path is waiting for timers whose channels are known.
func (e *Experiment) timers() (ns int64) {
	ticking := e.ticking()
	for _, o := range e.Operations {
		if ticking[e.Paths[o.Path].Region] > 0 {
			ns += o.External
		}
	}
	return ns
}

// calls is how much of the critical path is in system calls, where it is hardly anything else that is waited for.
func (e *Experiment) calls() (ns int64) {
	unknown := map[uint32]int64{} // waiting that is not recorded, by region
	for _, c := range e.Cells(e.MetricIndex(metric.UnrecordedWait)) {
		unknown[e.Paths[c.Path].Region] += c.Value
	}
	for _, o := range e.Operations {
		if !e.leaf(o.Path).Operation && rare*unknown[e.Paths[o.Path].Region] < o.External {
			ns += o.External
		}
	}
	return ns
}

// pool is the verdict that the first finding waits for workers all of whom are busy, if their work is most of the critical path. The time in which
// the path was on the very worker that was waited for says less than that: any of them could have ended the waiting.
func (p *page) pool() (Verdict, bool) {
	e := p.e
	if len(e.Findings) == 0 || e.Findings[0].Busy.Workers == 0 || e.busyProblem(&e.Findings[0]) != PoolTooSmall {
		return Verdict{}, false
	}
	f := &e.Findings[0]
	work, most := e.workers(f)
	if focus := e.Header.Focus; work == 0 || 2*work < focus || 2*min(f.Severity, f.awaited()) < focus {
		return Verdict{}, false
	}
	all := fmt.Sprintf("all"+nbsp+"%d workers were", f.Busy.Workers)
	if f.Busy.Workers == 2 {
		all = "both workers were"
	}
	return p.of(f, p.delays("Waiting", f, fmt.Sprintf("%s busy, and %s of the critical path is what they do, mostly in %s", all,
		glue(percent(work, e.Header.Focus)), p.at(most))), e.certain(f) && e.complete(work)), true
}

// workers returns how much of the critical path is what the workers did that a finding waited for, and where most of that is.
func (e *Experiment) workers(f *Finding) (work int64, most uint32) {
	if f.Busy.Workers == 0 || len(f.Causers) == 0 {
		return 0, 0
	}
	paths := map[uint32]int64{}
	for _, c := range e.criticalPath() {
		if e.Locations[c.Location].Group == f.Causers[0].Group {
			work += c.Value
			paths[c.Path] += c.Value
		}
	}
	for path, v := range paths {
		if v > paths[most] || v == paths[most] && path < most {
			most = path
		}
	}
	return work, most
}

// certain says whether all that a finding says is known: who was waited for, who ran before, and what of the critical path that is. Where
// goroutines outside all operations may have waited for something that is not recorded, the path may be another one: then it must be
// on those who were waited for most of the time. A verdict is certain if its finding is, and nothing unknown could put another one first.
func (e *Experiment) certain(f *Finding) bool {
	work, _ := e.workers(f)
	return f.Touched == 0 && e.Split.ByTime == 0 && !slices.ContainsFunc(f.Causers, func(c Causer) bool { return c.Group < 0 }) &&
		(e.executionKnown() || 2*max(work, f.Critical) > e.Header.Focus)
}

// of is the verdict that a finding comes first.
func (p *page) of(f *Finding, text string, certain bool) Verdict {
	r := p.e.leaf(f.Path)
	return Verdict{text, certain, p.e.Metrics[f.Metric].Name, f.Object.Name, r.File, r.Line}
}

// lead is how far the first finding is ahead of the second, ns of the critical path. It need not be, of two ends of one chain.
func (p *page) lead() int64 {
	if len(p.e.Findings) > 1 {
		return max(0, p.e.Findings[0].Critical-p.e.Findings[1].Critical)
	}
	return p.e.Findings[0].Critical
}

// complete says whether all of the critical path is known but for so many ns.
func (e *Experiment) complete(but int64) bool {
	return e.Header.Lost == 0 && e.Header.Damaged == 0 && !e.Header.Cut && e.Split.ByTime == 0 && e.Split.NotRecorded <= but
}

// work is the verdict that waiting does not matter, and that what the critical path is mostly in does.
func (p *page) work(top spending) Verdict {
	e := p.e
	none, recorded := "No waiting was found", ""
	if top.time > 0 && p.unseen(top) {
		none, recorded = "No waiting is recorded", " that is recorded"
	}
	waiting := "Waiting" + recorded
	if top.doing == sleeping || top.doing == awaiting && e.ticks(top) {
		waiting = "Waiting for others"
	}
	least := waiting + " hardly delays " + e.Header.focus()
	switch waits := e.onPath(e.MetricIndex(metric.Time)); {
	case len(e.Findings) == 0 && top.time > 0 && e.leaf(top.path).Operation:
		least = "No waiting for other recorded goroutines was found"
	case len(e.Findings) == 0:
		least = none
	case float64(waits) >= worth*float64(e.Header.Focus):
		least = "No single wait" + recorded + " delays " + e.Header.focus() + " much, all together have " + glue(percent(waits, e.Header.Focus)) + " of its time"
	}
	if top.time == 0 {
		return Verdict{Text: least + ".", Certain: e.complete(e.Header.Focus / 20)}
	}
	v, doing := p.part(top)
	v.Text = fmt.Sprintf("%s; %s.", least, doing)
	if p.scattered(top) {
		return v
	}
	if top.doing == sleeping && slices.ContainsFunc(e.Findings, func(f Finding) bool {
		return len(f.Causers) > 0 && f.Causers[0].Group >= 0 && float64(f.Severity) >= worth*float64(e.Header.Focus)
	}) {
		_, v.Text, _ = strings.Cut(v.Text, "; ") // others may have waited for just that
	}
	switch {
	case top.doing == working:
		v.Text += p.uneven(top.largest)
	case 2*top.most > top.time:
		v.Text += p.lived(top.largest)
	}
	if top.doing == working || top.doing == unclear {
		v.Text += p.pollingOf(top.largest)
	}
	return v
}

// uneven says that a location worked longer than those of its group with which it lived did on average, if that is worth it; else "".
func (p *page) uneven(loc uint32) string {
	e, group := p.e, p.e.Locations[loc].Group
	longer := e.longer(group)[loc]
	if float64(longer) < worth*float64(e.Header.Focus) {
		return ""
	}
	return fmt.Sprintf(" %s worked %s longer than those of %s that lived at the same time did on average: the work is not divided evenly.", p.name(loc), glue(seconds(longer)), p.several(group, e.Groups[group].Count))
}

// lived says that a location lived much longer than the others of its group did on average, if that is worth it; else "".
func (p *page) lived(loc uint32) string {
	const much = 2 // times
	e, group := p.e, p.e.Locations[loc].Group
	i := e.MetricIndex(metric.Time)
	if i < 0 || group < 0 || e.Groups[group].Count < 2 || e.Groups[group].tests() || p.benchmarked(group) {
		return ""
	}
	if p.time == nil {
		p.time = e.inclusive(i, true)
	}
	lives, all := map[uint32]int64{}, int64(0)
	for _, c := range p.time {
		if l := &e.Locations[c.Location]; l.Group == group && l.Count <= 1 {
			lives[c.Location] += c.Value
			all += c.Value
		}
	}
	others := int64(len(lives) - 1)
	if len(lives) != e.Groups[group].Count {
		return ""
	}
	mean := (all - lives[loc]) / others
	if lives[loc] < much*mean || float64(lives[loc]-mean) < worth*float64(e.Header.Focus) {
		return ""
	}
	rest := fmt.Sprintf("other %d", others)
	if others == 1 {
		rest = "other one"
	}
	return fmt.Sprintf(" %s lived for %s, the %s of %s for %s on average.", p.name(loc), glue(seconds(lives[loc])), glue(rest), p.several(group, len(lives)), glue(seconds(mean)))
}

// longer returns how much longer locations of a group worked than those of it that lived at the same time did on average. Tests are no parts of one work.
func (e *Experiment) longer(group int32) map[uint32]int64 {
	i := e.MetricIndex(metric.Overload)
	if i < 0 || group < 0 || e.Groups[group].Count < 2 || e.Groups[group].tests() {
		return nil
	}
	sums := map[uint32]int64{}
	for _, c := range e.Cells(i) {
		if l := &e.Locations[c.Location]; l.Group == group && l.Count == 1 {
			sums[c.Location] += c.Value
		}
	}
	return sums
}

// standsStill says whether the critical path is where a goroutine may have done nothing but wait, for all that is recorded.
func (p *page) standsStill(top spending) bool {
	e := p.e
	i := e.MetricIndex(metric.Time)
	return i >= 0 && top.doing != waking && top.doing != yielding && !e.executionKnown() && top.value > 0 && top.most == top.value && e.Header.Goroutines > 1 && e.Header.Time > 2*e.Header.Focus
}

// longest returns the finding whose waiting is longest in sum, of those that are no waiting for work or a signal; nil if none is worth it.
func (p *page) longest() (longest *Finding) {
	e := p.e
	for i := range e.Findings {
		f := &e.Findings[i]
		if len(f.Causers) > 0 && f.Causers[0].Group >= 0 && !p.idle(f) && !e.signalled(f) && (longest == nil || f.Severity > longest.Severity) {
			longest = f
		}
	}
	if longest != nil && e.negligible(longest) {
		return nil
	}
	return longest
}

// idle says whether a finding may be goroutines that have nothing to do: they receive, or wait for a condition or others' end, in
// the region that their life consists of.
func (p *page) idle(f *Finding) bool {
	switch p.e.Metrics[f.Metric].Name {
	case metric.LateSender, metric.LateClose, metric.CondWait:
		parent := p.e.Paths[f.Path].Parent
		return parent < 0 || p.e.Paths[parent].Parent < 0
	case metric.JoinWait, metric.LatePeer:
		return true
	}
	return false
}

// purpose says what a finding's waiting is for: "to receive from jobs".
func (p *page) purpose(f *Finding) string {
	object, place := p.called(&f.Object), p.at(f.Path)
	if object == "" {
		return "in " + enumeration(append([]string{place + p.calledBy(f.Path, f)}, p.sameLock(f)...))
	}
	if call := p.calling(f.Path); call != "" && f.Object.Name == "" {
		return "in " + call + p.calledBy(f.Path, f)
	}
	switch p.e.leaf(f.Path).Name {
	case recvName:
		return "to receive from " + object
	case sendName:
		return "to send to " + object
	case selectName:
		return "in select for " + object
	}
	return "for " + object
}

// calling names the region of a library in which an operation of its is whose own function is none: what the program calls tells more than what is inside; "" if
// there is none.
func (p *page) calling(path uint32) string {
	at, function := p.e.Paths[path].Parent, p.e.leaf(path).Func
	if at < 0 || wire.Package(function) == "main" {
		return ""
	}
	if r := p.e.leaf(uint32(at)); r.Func != function && function != "" && wire.Package(r.Func) == wire.Package(function) {
		return glue(p.brief(regionName(r.Name)))
	}
	return ""
}

// subject names what a finding's waiting is for: "store.lock", "recv at a.go:3".
func (p *page) subject(f *Finding) string {
	if object := p.called(&f.Object); object != "" {
		return object
	}
	return p.at(f.Path)
}

// because says who a finding's waiting was for, first of all.
func (p *page) because(f *Finding) string {
	if p.e.leaf(f.Path).forever() {
		return neverEnds
	}
	causers := p.causersOf(f)
	if p.e.Metrics[f.Metric].Name == metric.TimerWait {
		return "for a timer"
	}
	if len(causers) == 0 || causers[0].Group < 0 {
		who, _ := p.nobody(f)
		return "for " + who
	}
	if isLock(f.Object.Type) {
		return p.held(f)
	}
	c := &causers[0]
	who := p.who(c.Group, c.mattering())
	switch n := len(causers); {
	case n > 1 && 3*c.Severity < f.Severity: // none of them says much
		return "for " + count(int64(n), "other")
	case n > 1 && 2*c.Severity < f.Severity:
		return fmt.Sprintf("%s of the waiting for %s, the rest for %s", glue(percent(c.Severity, f.Severity)), who, count(int64(n-1), "other"))
	}
	if meanwhile := p.meanwhileFor(f, causers); meanwhile != "" {
		return meanwhile
	}
	if c.Path < 0 {
		return "for " + who
	}
	return fmt.Sprintf("for %s, %s %s", who, p.causing(f, c), p.at(uint32(c.Path)))
}

// meanwhileFor says for whom a finding's waiting was that delayed the run, and what they mostly did then; "" if that is not one thing.
func (p *page) meanwhileFor(f *Finding, causers []Causer) string {
	path, ok := p.e.mostlyIn(f)
	if !ok {
		return p.eitherFor(f, causers)
	}
	if p.e.elsewhere(f, path) {
		return ""
	}
	those, times := p.e.whoWas(path, causers)
	if len(those) == 0 {
		return ""
	}
	all := int64(0)
	for _, t := range times {
		all += t
	}
	first := those[0].mattering()
	if p.passedOn(f, those[0]) {
		if on := p.e.onPathAt(path, those[0].Locations); len(on) > 0 {
			first = on
		}
	}
	who := p.who(those[0].Group, first)
	there := p.e.meanwhileOf(f)[0].Time
	others := those[1:]
	switch {
	case 2*there <= f.awaited() && p.e.spentAt(path).doing == waking: // not of all that time
		return ""
	case len(others) > 0:
		rest := count(int64(len(others)), "other")
		if len(others) == 1 {
			rest = p.who(others[0].Group, others[0].mattering())
		}
		return fmt.Sprintf("%s of it for %s, the rest for %s, mostly %s then", glue(percent(times[0], all)), who, rest, p.doingAt(path))
	case len(causers) > 1 && 3*there < 2*f.Critical:
		return fmt.Sprintf("%s of it for %s, which was %s then, and the rest in other places", glue(percent(there, f.Critical)), who, p.doingAt(path))
	}
	return fmt.Sprintf("for %s, which was mostly %s then", who, p.doingAt(path))
}

// eitherFor is meanwhileFor of those who were in two places about equally long.
func (p *page) eitherFor(f *Finding, causers []Causer) string {
	first, second, ok := p.e.inTwo(f)
	if !ok || p.e.elsewhere(f, first) && p.e.elsewhere(f, second) {
		return ""
	}
	there, _ := p.e.whoWas(first, causers)
	too, _ := p.e.whoWas(second, causers)
	if len(there) != 1 || len(too) != 1 || there[0] != too[0] || p.passedOn(f, there[0]) {
		return ""
	}
	return fmt.Sprintf("for %s, which was %s and %s then", p.who(there[0].Group, there[0].mattering()), p.doingAt(first), p.doingAt(second))
}

// causing says what a causer of a finding did to cause it.
func (p *page) causing(f *Finding, c *Causer) string {
	m := &p.e.Metrics[p.causedIn(f, c)]
	switch {
	case p.e.shared(f):
		return "which made the call for all, in"
	case p.passedOn(f, c):
		return "which ran it or waited for it, too, in"
	case !p.released(f, c):
	case p.e.leaf(uint32(c.Path)).Name == unlockName:
		return "which released it at"
	default:
		return "which released it in"
	}
	if words := m.Causing; words != "" {
		return words
	}
	return "which was in"
}

// causedIn returns the metric of the waiting that a causer of a finding caused, if it is of several that in which it is blamed most.
func (p *page) causedIn(f *Finding, c *Causer) int {
	metric, most := f.Metric, int64(0)
	for _, l := range f.Lines {
		for _, x := range l.Causers {
			if x.Group == c.Group && x.Path == c.Path && x.Severity > most {
				metric, most = l.Metric, x.Severity
			}
		}
	}
	return metric
}
