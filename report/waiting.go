package report

import (
	"fmt"
	"slices"
	"strings"

	"tracerec/internal/readable"
	"tracerec/metric"
)

// missing says how much of the recording is lost, if it is so much that it must be said before all else.
func (p *page) missing() {
	if l := &p.e.Lost; l.much() {
		p.styledPara(red, 0, "! ", fmt.Sprintf("%s of the events and at least %s of the goroutines' time are missing: %s lost. What is said here is "+
			"about the rest.", glue(readable.RoughPercent(l.EventsShare)), glue(readable.RoughPercent(l.TimeShare)), glue(count(int64(l.Events), "event"))))
	}
}

// neverEnded returns the waits that never ended: those that may be a mistake, and those of goroutines that were idle by design.
func (p *page) neverEnded() (suspected, idle []StillWaiting) {
	for _, w := range p.stillWaiting() {
		if w.Idle {
			idle = append(idle, w)
		} else {
			suspected = append(suspected, w)
		}
	}
	return suspected, idle
}

// suspects returns how many goroutines were waiting at the end, and perhaps should not have been.
func (p *page) suspects() (n int) {
	suspected, _ := p.neverEnded()
	for _, w := range suspected {
		n += len(w.Locations)
	}
	return n
}

// stuck lists the goroutines that were still blocked at the end.
func (p *page) stuck(waits []StillWaiting) {
	if len(waits) == 0 {
		return
	}
	p.title("Still waiting when the trace ended", "")
	for _, w := range waits[:min(len(waits), p.top)] {
		p.para(2, "", w.Text)
		p.places("waiting", w.paths)
		if w.HolderPath >= 0 {
			p.place("holding", uint32(w.HolderPath))
		}
	}
	if len(waits) > p.top {
		p.line(p.paint(dim, fmt.Sprintf("    … and %s (--top %d shows all)", p.others(waits[p.top:]), len(waits))))
	}
}

// others counts who is in some waits, behind others.
func (p *page) others(waits []StillWaiting) string {
	n := 0
	for _, w := range waits {
		n += len(w.Locations)
	}
	return glue(count(int64(n), "more "+p.e.Header.worker()))
}

// resting says who was idle at the end.
func (p *page) resting(waits []StillWaiting) {
	if text := p.idleText(waits); text != "" {
		p.blank()
		p.styledPara(dim, 0, "", text)
	}
}

// idleText says in a sentence each who waited for work at the end, who for connections, who in the middle of some, who for a timer, and who did nothing else in the trace; "" if nobody did.
func (p *page) idleText(waits []StillWaiting) string {
	var idle, accepting, signals, locked, timed, throughout, amid, killed []StillWaiting
	var goroutines int64
	for _, w := range waits {
		switch {
		case isTimer(w.object):
			timed = append(timed, w)
		case isSignals(w.object):
			signals = append(signals, w)
		case p.e.leaf(w.Path).accepts():
			accepting = append(accepting, w)
		case p.e.leaf(w.Path).locks():
			locked = append(locked, w)
		case w.throughout:
			throughout, goroutines = append(throughout, w), goroutines+int64(len(w.Locations))
		case w.killed && w.amid:
			killed = append(killed, w)
		case w.amid:
			amid = append(amid, w)
		default:
			idle = append(idle, w)
		}
	}
	slices.SortStableFunc(throughout, func(x, y StillWaiting) int { return len(y.Locations) - len(x.Locations) })
	var sentences []string
	if len(idle) > 0 {
		sentences = append(sentences, "Idle when the trace ended, as before: "+p.waitingIn(idle, 3))
	}
	if len(accepting) > 0 {
		sentences = append(sentences, "Waiting for connections when the trace ended: "+p.waitingIn(accepting, 3))
	}
	if len(signals) > 0 {
		sentences = append(sentences, "Waiting for signals when the trace ended: "+p.waitingIn(signals, 3))
	}
	if len(locked) > 0 {
		sentences = append(sentences, "Waiting for a lock when the trace ended, for a moment: "+p.waitingIn(locked, 3))
	}
	if len(amid) > 0 {
		sentences = append(sentences, "Waiting in the middle of something when the trace ended: "+p.waitingIn(amid, 3))
	}
	if len(timed) > 0 {
		sentences = append(sentences, "Waiting for timers that had not run down when the trace ended: "+p.waitingIn(timed, 3))
	}
	if len(killed) > 0 {
		processes := map[int]bool{}
		for _, w := range killed {
			processes[p.e.Locations[w.Locations[0]].Process] = true
		}
		were := " were"
		if len(processes) == 1 {
			were = " was"
		}
		sentences = append(sentences, glue(count(int64(len(processes)), "process"))+were+" killed, or not recorded to the end, with goroutines waiting: "+p.waitingIn(killed, 3))
	}
	if len(throughout) > 0 {
		sentences = append(sentences, fmt.Sprintf("%s waited throughout the trace, as idle goroutines do, and leaked ones: %s",
			glue(count(goroutines, p.e.Header.worker())), p.waitingIn(throughout, 6)))
	}
	return strings.Join(sentences, " ")
}

// waitingIn says who waits where, of so many places at most.
func (p *page) waitingIn(waits []StillWaiting, most int) string {
	var parts []string
	places := p.byPlace(waits)
	for _, w := range places[:min(len(places), most)] {
		parts = append(parts, p.those(w.Locations)+" in "+p.at(w.Path))
	}
	if len(places) > most {
		parts = append(parts, p.others(places[most:]))
	}
	return strings.Join(parts, ", ") + "."
}

// byPlace puts waits at one place together, whatever they are for.
func (p *page) byPlace(waits []StillWaiting) (list []StillWaiting) {
	at := map[uint32]int{}
	for _, w := range waits {
		region := p.e.Paths[w.Path].Region
		i, known := at[region]
		if !known {
			i = len(list)
			at[region] = i
			list = append(list, StillWaiting{Path: w.Path})
		}
		list[i].Locations = append(list[i].Locations, w.Locations...)
	}
	return list
}

// crashed is the exit status of a Go program that panicked, or in which all goroutines were asleep.
const crashed = 2

// waitsForEnd says whether it is main that waits at a call path, for something to come over a channel, while the program serves requests: it goes on when the service is to end.
func (p *page) waitsForEnd(path uint32, locations []uint32) bool {
	leaf := p.e.leaf(path)
	return p.e.Serves() && (leaf.Name == recvName || leaf.Name == selectName || leaf.forever()) && len(locations) == 1 && p.e.Locations[locations[0]].GoID == 1
}

// byDesign tells whether goroutines that have waited since a time when the trace ended did what they do between two pieces of work: they received there before, or were
// told by a condition variable, or wait for a timer, or for connections or other things that come from outside; or whether they wait no longer than requests that did end. A program that crashed, as one does in
// which all goroutines are asleep, may have been waiting in vain.
func (p *page) byDesign(path uint32, object string, since int64, locations []uint32) bool {
	switch {
	case p.e.Header.Exit == crashed:
		return false
	case p.waitsForEnd(path, locations), isTimer(object), isSignals(object), p.e.leaf(path).accepts():
		return true
	case p.e.listens(path, p.e.Locations[locations[0]].Group), p.e.passing(since):
		return true
	}
	return p.asBefore(path, object, locations)
}

// passing says whether a wait since then is no longer than requests that did end.
func (e *Experiment) passing(since int64) bool {
	return e.Serves() && e.Header.lasted(since) <= e.Requests[0].Max
}

// asBefore says whether goroutines wait for a message, a condition or what comes from outside where they had got one before, so that it is what they do between two pieces of work.
func (p *page) asBefore(path uint32, object string, locations []uint32) bool {
	visits, messages, leaf := p.e.MetricIndex(metric.Visits), p.e.MetricIndex(metric.Messages), p.e.leaf(path)
	if visits < 0 {
		return false
	}
	switch leaf.Name {
	case recvName, selectName, condWaitName:
		if object == "" {
			return false
		}
	default: // main asked for something itself
		if !leaf.outward() || p.e.Header.Exit >= 0 || p.e.Locations[locations[0]].GoID == 1 {
			return false
		}
	}
	times, seen := int64(0), map[uint32]bool{}
	for _, l := range locations { // several may be one place in the report
		if !seen[l] {
			seen[l] = true
			times += p.e.At(visits, path, l)
			if leaf.Name == selectName && messages >= 0 { // who sent then, and sends now, did not do what he does between two pieces of work
				times -= p.e.At(messages, path, l)
			}
		}
	}
	return times > int64(len(locations))
}

// haveBeen names goroutines, with their verb: "main has been", "worker ×3 have been".
func (p *page) haveBeen(locations []uint32) string {
	who, l := p.those(locations), &p.e.Locations[locations[0]]
	switch {
	case len(locations) > 1:
		return who + " have been"
	case l.Count <= 1 && l.GoID != 0 && !isUnnamed(l.Name):
		who += fmt.Sprintf(" (%s"+nbsp+"%d)", p.e.Header.worker(), l.GoID)
	}
	return who + " has been"
}

// howLong words for how long some have been waiting, the first of them since then, and the others if they began together: who does from the very begin may have done so before.
func (p *page) howLong(since int64, together bool) string {
	h := &p.e.Header
	if since <= h.Begin {
		return " since the trace began"
	}
	text := " for the last " + glue(seconds(max(0, h.Begin+h.Wall-since)))
	if !together {
		text += " or less"
	}
	return text
}

// neverEnds is what is said of a select without cases.
const neverEnds = "which never ends"

// unnamedObject ends the description of an object in an execution trace.
const unnamedObject = "that the trace does not name"

// asksForSignals says whether the program has called signal.Notify.
func (e *Experiment) asksForSignals() bool {
	return slices.ContainsFunc(e.Groups, func(g Group) bool { return g.Name == "signal.loop" })
}

// mayRest says whether a wait is one in which goroutines may stay for as long as a program goes on: for a message, a condition, or what comes from outside, and not for
// somebody to take what they send, or to end.
func (p *page) mayRest(n *NeverEnded) bool {
	switch leaf := p.e.leaf(n.Path); leaf.Name {
	case recvName, selectName:
		return n.Object != "" // which would be a nil channel
	case condWaitName:
		return true
	default:
		return leaf.sleeps() || leaf.outward() || leaf.forever()
	}
}

// isLock tells whether the description of an object is that of a lock, which somebody can hold.
func isLock(object string) bool {
	return strings.HasPrefix(object, "mutex") || strings.HasPrefix(object, "RWMutex")
}

// isSignals tells whether the description of an object is that of a channel to which signals are sent.
func isSignals(object string) bool { return strings.HasPrefix(object, "signal channel") }

// awaitsSignal says whether signals came at an operation.
func (e *Experiment) awaitsSignal(path uint32) bool {
	return slices.ContainsFunc(e.Findings, func(f Finding) bool {
		return isSignals(f.Object.Type) && e.Paths[f.Path].Region == e.Paths[path].Region
	})
}

// signalled says whether the causers of a finding waited for a signal for most of the time in which they were waited for: they let others go on because it came.
func (e *Experiment) signalled(f *Finding) bool {
	d, ok := e.mainly(f)
	return ok && d.group < 0 && e.leaf(uint32(d.path)).Operation && e.awaitsSignal(uint32(d.path))
}

// afterSignal is the advice for such a finding.
const afterSignal = "The one who was waited for waited for a signal, and let the others go on when that came, as it is meant to: it was not late. What takes long is what the program did before the signal."

// isTimer tells whether the description of an object is that of a timer.
func isTimer(object string) bool { return strings.HasPrefix(object, "timer") }

// timeout is the function of the goroutine that ends tests which take too long.
const timeout = "testing.(*M).startAlarm.func1"

// timedOut is the verdict on tests that go test ended because they took too long: which of them were waiting, and goroutines that they had started.
func (p *page) timedOut() (v Verdict, is bool) {
	e := p.e
	if e.Header.Exit != crashed || !slices.ContainsFunc(e.Groups, func(g Group) bool { return g.Name == timeout }) {
		return v, false
	}
	const most = 3
	var text []string
	began := map[uint32]bool{} // the regions of tests that wait
	waits := p.equalWaits()
	group := func(w *StillWaiting) *Group { return &e.Groups[e.Locations[w.Locations[0]].Group] }
	for i := range waits {
		if w := &waits[i]; group(w).tests() && e.leaf(w.Path).forTests() == 0 {
			began[e.Paths[p.root(int32(w.Path))].Region] = true
			text = append(text, p.word(w).Text)
			if !is {
				v.File, v.Line = e.leaf(w.Path).File, e.leaf(w.Path).Line
			}
			is = true
		}
	}
	for i := range waits {
		if w := &waits[i]; !group(w).tests() && group(w).Creator >= 0 && began[e.Paths[p.root(group(w).Creator)].Region] {
			text = append(text, p.word(w).Text)
		}
	}
	v.Text = "The tests took too long, so go test ended them. " + strings.Join(text[:min(len(text), most)], " ")
	return v, is
}

// allAsleep says whether all goroutines that are recorded were waiting when the program ended as Go ends one in which nobody can go on.
func (h *Header) allAsleep() bool { return h.Exit == crashed && h.Asleep }

// asleep names all goroutines that are recorded if all were waiting when the program ended as Go ends one in which nobody can go on. A
// goroutine that is not recorded may have crashed, or a signal ended the program with the same status, so it is no proof.
func (p *page) asleep() (v Verdict, is bool) {
	if !p.e.Header.allAsleep() {
		return v, false
	}
	const most = 4
	waits := p.stillWaiting()
	text := "All recorded goroutines were waiting when the program ended with exit status" + nbsp + "2, as Go ends a deadlock:"
	for i, w := range waits[:min(len(waits), most)] {
		if i > 0 {
			text += ";"
		}
		text += " " + p.those(w.Locations) + " in " + p.at(w.Path) + w.awaits
	}
	if n := len(waits) - most; n > 0 {
		text += "; and " + glue(count(int64(n), "other wait"))
	}
	r := p.e.leaf(waits[0].Path)
	return Verdict{Text: text + ".", File: r.File, Line: r.Line}, true
}

// waitMost says of a finding that it is the longest wait in sum.
func (p *page) waitMost(f *Finding) string {
	return fmt.Sprintf("Goroutines wait most for %s: %s waited %s in total, %s of all time, %s.%s", p.subject(f), p.waiters(f),
		glue(seconds(f.Severity)), glue(percent(f.Severity, p.e.Header.Time)), p.because(f), f.Busy.sentence())
}

// untilSignal is the verdict on a program that goes on until a signal comes, as services do: whoever waits for that ends it, so the critical path is mostly his waiting, which
// tells nothing of what the others do.
func (p *page) untilSignal(top spending) (Verdict, bool) {
	if top.doing != awaiting || 2*top.time < p.e.Header.Focus || !p.e.awaitsSignal(top.path) {
		return Verdict{}, false
	}
	waited := fmt.Sprintf("For %s of %s, %s waited for a signal in %s, so the critical path does not tell what", glue(percent(top.time, p.e.Header.Focus)), p.e.Header.focus(), p.name(top.largest), p.at(top.path))
	if f := p.longest(); f != nil {
		return p.of(f, p.waitMost(f)+" "+waited+" this holds up.", false), true
	}
	if most, share, known := p.mostWork(); known && p.e.executionKnown() && 50*p.e.execution() > p.e.Header.Wall { // else it was quiet
		at := p.e.leaf(most.Path)
		return Verdict{Text: waited + " the others did until then; " + share + ".", Metric: metric.Execution, File: at.File, Line: at.Line}, true
	}
	return Verdict{}, false
}
