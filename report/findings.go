package report

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"

	"tracerec/metric"
	"tracerec/trace/wire"
)

// findings lists what was concluded, ranked by cost. Those that cost next to no wall time get one line each.
func (p *page) findings() {
	e := p.e
	list := slices.DeleteFunc(slices.Clone(e.Findings), func(f Finding) bool { return wire.Profiles(e.leaf(f.Path).Func) }) // who serves the trace waits for its end
	if len(list) == 0 {
		p.title("Findings", "")
		p.ready()
		p.line("No wait states were found.")
		p.awayFrom(p.slept(nil))
		return
	}
	critical := rankDeadlocks(e, list)
	for critical < len(list) && p.matters(&list[critical]) {
		critical++
	}
	measure := "critical path " + seconds(e.Header.Focus)
	if e.served(&list[0]) > 0 {
		measure = "requests " + seconds(e.requestTime())
	}
	p.title("Findings", measure)
	p.ready()
	full := list[:critical]
	external, rest := p.external(list[critical:])
	external = append(external, p.slept(full)...)
	if critical == 0 && len(rest) > 0 {
		full, rest = e.apart(rest)
		text := "Little or no waiting for others is on the critical path."
		if len(full) > 0 {
			text += " These are the longest waits in total."
		}
		p.para(0, "", text)
	}
	for i := range full[:min(len(full), p.top)] {
		if i > 0 || critical == 0 {
			p.blank()
		}
		p.finding(i+1, &full[i])
	}
	p.more(p.top, len(full), "finding")
	p.awayFrom(external)
	p.short("Waiting with little or no time on the critical path:", rest, func(f *Finding) int64 { return f.Severity })
}

// external divides findings into those that have a part of the critical path because they wait for what is not recorded, and the rest. Of the
// first it returns one for each place, for whatever is waited for there, with that part as its Critical, longest first.
func (p *page) external(list []Finding) (external, rest []Finding) {
	e := p.e
	type place struct {
		name string // of the group: who started them is of no importance
		path uint32
	}
	onPath := map[place]int64{}
	for _, o := range e.Operations {
		onPath[place{e.Groups[o.Group].Name, o.Path}] += o.External
	}
	row := map[place]int{}
	for _, f := range list {
		listed := false
		for _, l := range f.AllLines() {
			at := place{e.Groups[l.Group].Name, l.Path}
			if name := e.Metrics[l.Metric].Name; name != metric.ExternalWait && name != metric.TimerWait && name != metric.Network || !e.weighs(onPath[at]) {
				continue
			}
			listed = true
			if _, ok := row[at]; !ok {
				row[at] = len(external)
				external = append(external, Finding{Line: Line{Metric: l.Metric, Path: l.Path, Group: l.Group, Critical: onPath[at]}})
			}
			r := &external[row[at]]
			r.Locations = append(r.Locations, l.Locations...)
		}
		if !listed {
			rest = append(rest, f)
		}
	}
	for i := range external {
		slices.Sort(external[i].Locations)
		external[i].Locations = slices.Compact(external[i].Locations)
	}
	return external, rest
}

// slept returns the sleeps that have a part of the critical path, as findings for each place and group, but for those that are told as what was waited
// for. Who waits for the timer that starts it sleeps in no place.
func (p *page) slept(told []Finding) (list []Finding) {
	e := p.e
	waitedFor := map[uint32]int64{} // by region
	for i := range told[:min(len(told), p.top)] {
		for _, m := range told[i].Meanwhile {
			r := e.Paths[m.Path].Region
			waitedFor[r] = max(waitedFor[r], m.Time)
		}
	}
	type place struct {
		path  uint32
		group int32
	}
	row := map[place]int{}
	for _, c := range e.criticalPath() {
		if r := e.leaf(c.Path); !r.sleeps() || r.File == "" {
			continue
		}
		at := place{c.Path, e.Locations[c.Location].Group}
		if _, ok := row[at]; !ok {
			row[at] = len(list)
			list = append(list, Finding{Line: Line{Metric: e.MetricIndex(metric.Sleep), Path: c.Path, Group: at.group}})
		}
		f := &list[row[at]]
		f.Critical += c.Value
		f.Locations = append(f.Locations, c.Location)
	}
	all := map[uint32]int64{} // by region
	for _, f := range list {
		all[e.Paths[f.Path].Region] += f.Critical
	}
	return slices.DeleteFunc(list, func(f Finding) bool {
		r := e.Paths[f.Path].Region
		return f.Metric < 0 || !e.weighs(f.Critical) || 10*waitedFor[r] > 9*all[r]
	})
}

// awayFrom lists sleep, and waiting for what is not recorded, on the critical path, and what to do about that of which there is much. Of a service, whose requests do not wait for it, nothing is to be done.
func (p *page) awayFrom(list []Finding) {
	sort.SliceStable(list, func(i, j int) bool { return list[i].Critical > list[j].Critical })
	p.short("Waiting on the critical path for "+p.awaited(list)+":", list, func(f *Finding) int64 { return f.Critical })
	if p.e.Serves() {
		return
	}
	told, kinds := map[string]bool{}, map[string]bool{}
	shown := list[:min(len(list), p.top)]
	for i := range shown {
		kinds[p.e.kind(&shown[i]).Name] = true
	}
	for i := range shown {
		f := &shown[i]
		m := p.e.kind(f)
		polls := m.Name == metric.TimerWait || m.Name == metric.Sleep && p.e.looksAgain(f)
		if polls && !told[m.Name] && float64(f.Critical) >= worth*float64(p.e.Header.Focus) {
			told[m.Name] = true
			which := ""
			if len(kinds) > 1 {
				which = m.Name + ": "
			}
			p.styledPara(cyan, 2, "→ ", which+m.Advice)
		}
	}
}

// looksAgain says whether a sleep may be that of goroutines that look now and then whether something has happened: they slept several times, and nobody waits for them for half as long.
func (e *Experiment) looksAgain(sleep *Finding) bool {
	times, visits, asleep := int64(0), e.MetricIndex(metric.Visits), map[uint32]bool{}
	for _, l := range sleep.Locations {
		asleep[l] = true
		if visits >= 0 {
			times += e.At(visits, sleep.Path, l)
		}
	}
	return times > 2*int64(len(sleep.Locations)) && !slices.ContainsFunc(e.Findings, func(f Finding) bool {
		return slices.ContainsFunc(f.Causers, func(c Causer) bool {
			return 2*c.Severity > sleep.Critical && slices.ContainsFunc(c.Locations, func(l uint32) bool { return asleep[l] })
		})
	})
}

// awaited says what those of findings wait for who wait for nobody in the trace.
func (p *page) awaited(list []Finding) string {
	networks, timers, never := 0, 0, 0
	for i := range list {
		if p.e.leaf(list[i].Path).network() {
			networks++
		} else if name := p.e.Metrics[list[i].Metric].Name; name == metric.TimerWait || name == metric.Sleep {
			timers++
		} else if 2*p.e.unended(&list[i]) > list[i].Critical {
			never++
		}
	}
	var what []string
	for _, x := range []struct {
		n    int
		name string
	}{{networks, "the network"}, {timers, "timers"}, {never, "what had not come"},
		{len(list) - networks - timers - never, "something that is not recorded"}} {
		if x.n > 0 {
			what = append(what, x.name)
		}
	}
	return strings.Join(what, ", or for ")
}

// short lists findings in a line each.
func (p *page) short(title string, list []Finding, cost func(*Finding) int64) {
	if len(list) == 0 {
		return
	}
	p.blank()
	p.line(p.paint(dim, title))
	shown := list[:min(len(list), p.top)]
	paths := make([]uint32, len(shown))
	for i := range shown {
		paths[i] = shown[i].Path
	}
	alike := p.alike(paths, 33, pageWidth-32)
	for i := range shown {
		f := &shown[i]
		p.line(number(seconds(cost(f)), 9), "  ", p.paint(cyan, left(clean(p.e.kind(f).Name), 20)), " ",
			p.paint(dim, left(p.waiters(f), 14)+" "+p.path(f.Path, 33)))
		p.further(f.Path, alike, 32)
	}
	p.more(p.top, len(list), "finding")
}

// negligible tells whether a finding has less than a thousandth of all time.
func (e *Experiment) negligible(f *Finding) bool { return f.Severity < e.Header.Time/1000 }

// matters tells whether a finding has half a per cent of the critical path, or of what requests took.
func (p *page) matters(f *Finding) bool { return p.e.weighs(f.Critical) || p.e.served(f) > 0 }

// weighs tells whether a time on the critical path is more than half a per cent of it.
func (e *Experiment) weighs(ns int64) bool { return ns > e.Header.Focus/200 }

// mayMatter tells whether a finding may have that: of waiting for what is not recorded, all may be on the path.
func (e *Experiment) mayMatter(f *Finding) bool {
	most := f.Critical
	if e.Metrics[f.Metric].Name == metric.ExternalWait {
		most = f.Severity
	}
	return e.weighs(most)
}

// finding tells one finding: what, who, where, how long, because of whom, and what to do.
func (p *page) finding(n int, f *Finding) {
	e := p.e
	cost := fmt.Sprintf("%s, %s of the critical path", seconds(f.Critical), percent(f.Critical, e.Header.Focus))
	switch served := e.served(f); {
	case served > 0:
		cost = fmt.Sprintf("%s, %s of all requests", seconds(served), percent(served, e.requestTime()))
	case !p.matters(f):
		cost = fmt.Sprintf("%s, %s of all time", seconds(f.Severity), percent(f.Severity, e.Header.Time))
	}
	name := fmt.Sprintf("%2d  %s", n, p.headline(f))
	p.line(p.paint(bold, left(name, pageWidth-width(cost)-1)), " ", p.paint(red, cost))

	p.para(4, "", p.sentence(f))
	known := e.Problem(f)
	if known != nil {
		p.para(4, "", "Known as: "+known.Title+" ("+known.Name+").")
	}

	p.waitingAt(f)
	if !slices.ContainsFunc(f.Lines, func(l Line) bool { return l.Group != f.Group }) {
		p.started(f.Group)
	}
	p.causedAt(f)
	p.meanwhile(f)
	p.countedMeanwhile(f)
	if known == nil && !p.matters(f) && !e.lastOnly(f) && e.executionKnown() {
		return // less of it would change nothing
	}
	advice := p.e.Advice(f)
	if first, ok := p.said[advice]; ok {
		p.styledPara(cyan, 4, "→ ", fmt.Sprintf("same as for %d", first))
	} else if advice != "" {
		p.styledPara(cyan, 4, "→ ", advice)
		p.said[advice] = n
	}
}

// causedAt shows the call paths in which most of a finding's waiting was caused, those that look alike as one.
func (p *page) causedAt(f *Finding) {
	in := map[string]*Causer{}
	var list []*Causer
	for _, c := range f.Causers[:min(len(f.Causers), enough)] {
		if c.Path < 0 {
			continue
		}
		at := p.placed(uint32(c.Path))
		if same := in[at]; same != nil {
			same.Severity += c.Severity
			continue
		}
		in[at] = &c
		list = append(list, &c)
	}
	slices.SortStableFunc(list, func(x, y *Causer) int { return cmp.Compare(y.Severity, x.Severity) })
	for i, c := range list[:min(len(list), 3)] {
		if i == 0 || f.tells(c.Severity) {
			p.place("causing", uint32(c.Path))
		}
	}
}

// sentence says that all were busy, after another sentence; "" if that is not known.
func (b Busy) sentence() string {
	switch {
	case b.Workers == 2:
		return " Both workers were busy."
	case b.Workers > 0:
		return fmt.Sprintf(" All"+nbsp+"%d workers were busy.", b.Workers)
	case b.Places == 1:
		return " Its one place was taken."
	case b.Places > 0:
		return fmt.Sprintf(" All"+nbsp+"%s were taken.", count(int64(b.Places), "place"))
	case b.Taken:
		return " All that is taken from it and given back was in use."
	case b.Of > 0 && b.AtOnce <= 1:
		return fmt.Sprintf(" No more than one of the"+nbsp+"%s was busy at once for 99"+nbsp+"%% of the time in which any was.", count(int64(b.Of), "worker"))
	case b.Of > 0:
		return fmt.Sprintf(" No more than"+nbsp+"%d of the"+nbsp+"%s were busy at once for 99"+nbsp+"%% of the time in which any was.", b.AtOnce, count(int64(b.Of), "worker"))
	}
	return ""
}

// even says whether a finding is a join of goroutines that were done hardly earlier on average than the last one.
func (e *Experiment) even(f *Finding) bool {
	return e.kind(f).Name == metric.JoinWait && e.explained(f) && !e.lastOnly(f) && 20*f.awaited() < f.Severity
}

// lastOnly says whether a finding is a join of which only the last one is known that it joins. That is all that an execution trace tells, and not the WaitGroup.
func (e *Experiment) lastOnly(f *Finding) bool {
	return e.kind(f).Name == metric.JoinWait && f.Object.Type == ""
}

// explained says whether all is known of a finding that is known of some.
func (e *Experiment) explained(f *Finding) bool {
	return slices.ContainsFunc(e.Findings[:min(Explained, len(e.Findings))], func(x Finding) bool {
		return x.Metric == f.Metric && x.Path == f.Path && x.Group == f.Group
	})
}

// later says, after another sentence, how much of a join was after the average time at which those were done that it joins: what happened meanwhile is told of that.
func (p *page) later(f *Finding) string {
	switch {
	case p.e.shared(f):
		return ""
	case p.e.lastOnly(f):
		if causers := p.causersOf(f); len(causers) == 1 && len(causers[0].Locations) == 1 {
			if lived := p.lived(causers[0].Locations[0]); lived != "" {
				return lived
			}
		}
		return " Whether others were done earlier is not known."
	case p.e.even(f):
		return " On average, they were done hardly earlier."
	case p.e.kind(f).Name == metric.JoinWait && p.e.explained(f) && 20*f.awaited() > 19*f.Severity:
		return " On average, they were done before it began."
	case p.e.kind(f).Name == metric.JoinWait && p.e.explained(f) && f.awaited() > 0:
		return " Of that, " + glue(seconds(f.awaited())) + " was after the time at which they were done on average."
	}
	return ""
}

// kind is the nearest metric that has the waiting in all lines of a finding in it: the finding's own is that of the line that costs most.
func (e *Experiment) kind(f *Finding) *metric.Metric {
	at := f.Metric
	for _, l := range f.Lines {
		for at >= 0 && !e.partOf(l.Metric, at) {
			at = e.MetricIndex(e.Metrics[at].Parent)
		}
	}
	if at < 0 {
		at = f.Metric
	}
	return &e.Metrics[at]
}

// partOf says whether a metric is another one or below it.
func (e *Experiment) partOf(m, top int) bool {
	for m >= 0 && m != top {
		m = e.MetricIndex(e.Metrics[m].Parent)
	}
	return m == top
}

// headline names a finding: "Lock competition: DB.metalock".
func (p *page) headline(f *Finding) string {
	title := clean(p.e.kind(f).Title)
	if p.e.bothSelect(f) {
		title = "Late sender or receiver"
	} else if p.e.kind(f).Name == metric.ExternalWait && p.e.leaf(f.Path).locks() {
		title = "Waiting for a lock"
	} else if p.e.kind(f).Name == metric.ExternalWait && 2*p.e.unended(f) > f.external() {
		title = "Waiting for what had not come"
	}
	if f.Object.Name != "" {
		title += ": " + clean(f.Object.Name)
	}
	return title
}

// sentence tells who waited how long, where, and for whom.
func (p *page) sentence(f *Finding) string {
	text := fmt.Sprintf("%s waited %s in %s", p.waiters(f), glue(seconds(f.Severity)), p.on(f))
	if f.Instances > 1 {
		text += fmt.Sprintf(", %s, %s on average", glue(count(int64(f.Instances), "time")), glue(seconds(f.Severity/int64(f.Instances))))
	}
	return text + ", " + p.causers(f) + p.direction(f) + f.hot() + p.later(f) + f.Busy.sentence() + f.inTurn() + p.queued(f)
}

// hot says, after another sentence, that a finding about several objects is mostly about one of them; "" if that is not so.
func (f *Finding) hot() string {
	if f.Object.Waited < 2 || 3*f.Object.Most < 2*f.Severity {
		return ""
	}
	if 1000*f.Object.Most >= 999*f.Severity {
		return " One " + f.Object.Type + " has nearly all of it."
	}
	return " One " + f.Object.Type + " has " + glue(percent(f.Object.Most, f.Severity)) + " of it."
}

// inTurn says that others were ready whose turn came later, after another sentence; "" if that was not so for most of the time.
func (f *Finding) inTurn() string {
	if 2*f.HeadOfLine <= f.Severity {
		return ""
	}
	return " For " + glue(percent(f.HeadOfLine, f.Severity)) + " of that time, one was not ready whose turn it was, and others, which were, waited for theirs."
}

// convoy says whether most of a finding's waiting was in a convoy.
func (f *Finding) convoy() bool { return 2*f.Convoy > f.Severity }

// queued says that goroutines waited in a convoy, after another sentence; "" if that is not what a finding is known as, nor true of a lock that is held across a wait.
func (p *page) queued(f *Finding) string {
	if known := p.e.Problem(f); known == nil || known.Name != LockConvoy && (known.Name != HeldAcrossWait || !f.convoy()) {
		return ""
	}
	return " For " + glue(percent(f.Convoy, f.Severity)) + " of that time they stood in a queue that did not end: whoever got the lock had waited for it, too, and was back while others still waited."
}

// enough is how many causers of a finding are looked at.
const enough = 64

// causersOf returns the causers of a finding, those of one name that did one thing at one place as one, whatever the call paths that lead there, or to where they were started.
func (p *page) causersOf(f *Finding) []Causer {
	type deed struct {
		name   string
		metric int
		place  string
	}
	var all []Causer
	at := map[deed]int{}
	for i := range f.Causers[:min(len(f.Causers), enough)] {
		c := f.Causers[i]
		d := deed{"", p.causedIn(f, &c), ""}
		if c.Group >= 0 {
			d.name = p.e.Groups[c.Group].Name
		}
		if c.Path >= 0 {
			d.place = p.at(uint32(c.Path))
		}
		k, known := at[d]
		if !known {
			at[d] = len(all)
			all = append(all, c)
			continue
		}
		all[k].Severity += c.Severity
		all[k].unite(&c)
	}
	slices.SortStableFunc(all, func(x, y Causer) int { return cmp.Compare(y.Severity, x.Severity) })
	return append(all, f.Causers[min(len(f.Causers), enough):]...)
}

// nobody is for whom those of a finding wait whom no recorded goroutine or thread lets go on, and what that may be, if anything can be said of it.
func (p *page) nobody(f *Finding) (who, such string) {
	h := &p.e.Header
	switch {
	case p.e.leaf(f.Path).locks() && p.e.own(f) && len(f.Locations) == 1:
		return "a lock that it holds itself", ""
	case p.e.leaf(f.Path).locks() && p.e.own(f):
		return "locks that they hold themselves", ""
	case p.e.leaf(f.Path).locks():
		return "a lock that no other " + h.worker() + " is known to hold", ""
	case 2*p.e.unended(f) > f.external():
		return "what had not come when the trace ended", ""
	case h.all():
		return "what no " + h.worker() + " of the program does", " (a timer, a signal or another program)"
	}
	return "nobody in the trace", " (a timer, the network, or code that is not instrumented)"
}

// external is how long those of a finding waited for nobody in the trace.
func (f *Finding) external() (ns int64) {
	for _, c := range f.Causers {
		if c.Group < 0 {
			ns += c.Severity
		}
	}
	return ns
}

// lasted is how long what began then, ns since the start of the experiment, had lasted when the last process ended.
func (h *Header) lasted(since int64) int64 { return h.Begin + h.Span - since }

// unended is how long those who were in a finding's operations at the end had been in these. A select that has not ended is on no object.
func (e *Experiment) unended(f *Finding) (ns int64) {
	e.never(f, func(n *NeverEnded) { ns += e.Header.lasted(n.Since) })
	return ns
}

// never calls a function with the waits of a finding that never ended.
func (e *Experiment) never(f *Finding, each func(*NeverEnded)) {
	lines := f.AllLines()
	for i := range e.NeverEnded {
		n := &e.NeverEnded[i]
		if f.Object != (Object{}) && e.leaf(n.Path).Name == selectName {
			continue
		}
		if slices.ContainsFunc(lines, func(l Line) bool { return l.Path == n.Path && l.Group == e.Locations[n.Location].Group }) {
			each(n)
		}
	}
}

// causers ends a finding's sentence with those who were waited for.
func (p *page) causers(f *Finding) string {
	causers := p.causersOf(f)
	nobody, such := p.nobody(f)
	if p.e.leaf(f.Path).forever() {
		return neverEnds + "."
	}
	if p.e.Metrics[f.Metric].Name == metric.TimerWait {
		return "for a timer."
	}
	if len(causers) == 0 {
		return "for " + nobody + "."
	}
	if p.e.Metrics[f.Metric].Name == metric.Network {
		if p.e.leaf(f.Path).accepts() {
			return "for connections."
		}
		return "for the other end of a connection, a pipe or the like."
	}
	const most = 3
	var parts []string
	var told int64
	for i := range causers[:min(len(causers), most)] {
		c := &causers[i]
		if i > 0 && !f.tells(c.Severity) {
			break // they are ranked
		}
		who := nobody + such
		if c.Group >= 0 {
			who = p.who(c.Group, c.mattering())
		}
		if c.Group >= 0 && c.Path >= 0 {
			who += ", " + p.causing(f, c) + " " + p.at(uint32(c.Path))
		}
		if len(causers) > 1 && f.Severity-c.Severity > f.Severity/1000 {
			who = glue(percent(c.Severity, f.Severity)) + " of it for " + who
		} else {
			who = "for " + who
		}
		parts = append(parts, who)
		told += c.Severity
	}
	text := strings.Join(parts, "; ")
	if len(causers) > len(parts) && f.tells(f.Severity-told) {
		text += "; " + glue(percent(f.Severity-told, f.Severity)) + " for others"
	}
	return text + "."
}

// tells says whether a part of a finding's waiting is worth words: a hundredth of it.
func (f *Finding) tells(part int64) bool { return part > 0 && part >= f.Severity/100 }

// who names locations of a group: one by its name, several as "worker ×7", and those that have names of their own, such as tests, by these.
func (p *page) who(group int32, locations []uint32) string {
	if len(locations) > 1 && p.e.named(group, locations) {
		return p.firstTests(locations)
	}
	return p.kind(group, locations)
}

// kind names locations of a group by its name, one by its own.
func (p *page) kind(group int32, locations []uint32) string {
	if len(locations) == 1 && p.e.Locations[locations[0]].Count <= 1 {
		return p.name(locations[0])
	}
	n, all := 0, max(1, p.groupsOf(group, locations))
	for _, l := range locations {
		n += max(1, p.e.Locations[l].Count)
	}
	if n == len(locations) || all == 1 {
		return p.someOf(group, min(n, all), all)
	}
	some := "some or all" // of a collapsed location, which may have others, too, it is not known how many
	if n < all {
		some = "some"
	}
	return glue(fmt.Sprintf("%s (%s of %s)", p.groupName(group), some, grouped(int64(all))))
}

// those names goroutines that are listed one by one, kind by kind, also if several are one location.
func (p *page) those(locations []uint32) string {
	return p.kinds(locations, func(group int32, locations []uint32) string {
		if slices.ContainsFunc(locations, func(l uint32) bool { return p.e.Locations[l].Count > 1 }) {
			return p.someOf(group, len(locations), p.groupsOf(group, locations))
		}
		return p.who(group, locations)
	})
}

// named says whether each of some locations of a group runs another test, so that the name of the group says less than theirs.
func (e *Experiment) named(group int32, locations []uint32) bool {
	return e.Groups[group].Begun != "" && !slices.ContainsFunc(locations, func(l uint32) bool {
		return e.Locations[l].Count > 1 || strings.HasSuffix(e.Locations[l].Name, "]") // one of several that have its name
	})
}

// firstTests names the first of some tests: "TestPush, TestPop and 3 others".
func (p *page) firstTests(locations []uint32) string {
	const most = 3
	var names []string
	for _, l := range locations[:min(len(locations), most)] {
		names = append(names, p.name(l))
	}
	if n := len(locations) - most; n > 0 {
		names = append(names[:most-1], glue(count(int64(n)+1, "other")))
	}
	return enumeration(names)
}

// groupsOf returns how many goroutines there are in the groups of locations, which are one group or have its name.
func (p *page) groupsOf(group int32, locations []uint32) int {
	var groups []int32
	sum := 0
	for _, l := range locations {
		if g := p.e.Locations[l].Group; !slices.Contains(groups, g) {
			groups, sum = append(groups, g), sum+p.e.Groups[g].Count
		}
	}
	if len(groups) > 1 {
		return sum
	}
	return p.e.Groups[group].Count
}

// several names a number of goroutines of a group: "worker ×7 (of 8)".
func (p *page) several(group int32, n int) string { return p.someOf(group, n, p.e.Groups[group].Count) }

// someOf names n goroutines out of all of the name of a group.
func (p *page) someOf(group int32, n, all int) string {
	s := fmt.Sprintf("%s ×%s", p.groupName(group), grouped(int64(n)))
	if n < all {
		s += fmt.Sprintf(" (of %s)", grouped(int64(all)))
	}
	return glue(s)
}

// groupName names a group without a number.
func (p *page) groupName(group int32) string {
	if name := p.e.Groups[group].Name; name != unnamed {
		return p.brief(goName(name))
	}
	return "unnamed " + p.e.Header.worker()
}

// place writes a call path below a finding.
func (p *page) place(what string, path uint32) {
	p.line(p.paint(dim, "      "+left(what, 9)), p.placed(path))
}

// placed is a call path as place shows it.
func (p *page) placed(path uint32) string { return p.path(path, pageWidth-15) }

// started says where a group's goroutines came from, if its name alone does not tell it from another group.
func (p *page) started(group int32) {
	g := p.e.Groups[group]
	for i, other := range p.e.Groups {
		if int32(i) != group && other.Name == g.Name && g.Creator >= 0 {
			p.place("started", uint32(g.Creator))
			return
		}
	}
}

// shorten shortens the source file named in the description of an object.
func (p *page) shorten(object string) string {
	for file, short := range p.files { // at most one of them is in it
		object = strings.Replace(object, " at "+file+":", " at "+clean(short)+":", 1)
	}
	return object
}
