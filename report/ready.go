package report

import (
	"fmt"
	"strings"

	"tracerec/metric"
)

// Ready says that goroutines were ready to run, and processors were lacking.
type Ready struct {
	Share      float64 `json:"share"`      // of Header.Time, that they were ready
	Mean       float64 `json:"mean"`       // how many were ready, on average over Header.Wall
	Processors int     `json:"processors"` // so many could run at once
	Used       float64 `json:"used"`       // processors that the program used, on average over Header.Wall
	Text       string  `json:"text"`
	Advice     string  `json:"advice"`
}

// Ready returns how many goroutines were ready to run for want of a processor, nil if that is not known, or not worth a word.
//
// Ready are those in wake-up and start latency. Waking takes time on idle processors, too, which is no shortage. So both must be a
// twentieth of all time, and half a goroutine on average; together with those that can have been running they must be as many as there
// are processors; and these must have been busy: the program used four fifths of them, or so many goroutines were ready that
// idle ones would all have found one. A program that used more processors than it is said to have changed their number.
func (e *Experiment) Ready() *Ready {
	const (
		share, mean = 0.05, 0.5 // at least
		busy, most  = 0.8, 1.1  // of the processors
	)
	h := &e.Header
	if h.Processors == 0 || h.CPUTime == 0 || h.Wall <= 0 || h.Time <= 0 || e.Merged {
		return nil
	}
	if h.States {
		return e.lacking()
	}
	var ready int64
	for _, name := range []string{metric.Wakeup, metric.StartLatency} {
		if i := e.MetricIndex(name); i >= 0 {
			ready += e.Total(i)
		}
	}
	wall, processors := float64(h.Wall), float64(h.Processors)
	r := &Ready{Share: float64(ready) / float64(h.Time), Mean: float64(ready) / wall, Processors: h.Processors, Used: float64(h.CPUTime) / wall}
	running := float64(min(e.execution(), h.CPUTime)) / wall
	switch {
	case r.Share < share, r.Mean < mean, running+r.Mean < processors, r.Used > most*processors:
		return nil
	case r.Used < busy*processors && r.Mean < processors:
		return nil
	}
	r.Text = fmt.Sprintf("Goroutines were ready to run but had no processor for %s of all time: %.1f of them on average. The program had %s and used %.1f"+
		" of %s.", glue(percent(ready, h.Time)), r.Mean, glue(count(int64(h.Processors), "processor")), r.Used, h.them())
	r.Advice = lessWork
	if r.Used < busy*processors {
		r.Advice = "If many goroutines become ready at once, for a short time, start fewer at once. If other programs took the rest, measure on a machine that " +
			"is not shared."
	}
	return r
}

// What to do where processors are lacking. GOMAXPROCS that is raised where other programs have the processors gets little of them.
const (
	lessWork   = "Less work or more processors make it faster, more goroutines do not. Raise GOMAXPROCS if the machine has more; else " + boundWork
	lessShared = "Less work or more processors make it faster, more goroutines do not. Other programs took a part of the processors, but these would not have been enough for all: measure on a machine that is not shared, and " + boundWork

	boundWork = "bound the number of goroutines that work at once, so that none is kept from running while others wait for it."
)

// them stands for the processors.
func (h *Header) them() string {
	if h.Processors == 1 {
		return "it"
	}
	return "them"
}

// lacking is Ready where it is measured what goroutines did when. Those that were ready while processors were idle only took their time to wake
// up. The others must be a twentieth of all time, and half a goroutine on average while all processors were busy, which they must have been for a twentieth of the run.
func (e *Experiment) lacking() *Ready {
	const share, mean = 0.05, 0.5 // at least
	h := &e.Header
	l := h.Load
	if l == nil || l.Busy == 0 || float64(l.Busy) < share*float64(h.Wall) || float64(l.Lacking) < share*float64(h.Time) || float64(l.Lacking) < mean*float64(l.Busy) {
		return nil
	}
	r := &Ready{Share: float64(l.Lacking) / float64(h.Time), Mean: float64(l.Lacking) / float64(h.Wall), Processors: h.Processors,
		Used: float64(h.CPUTime) / float64(h.Wall), Advice: lessWork}
	all := strings.ToLower(h.processors())
	if h.Processors == 1 {
		all = "its processor was"
	}
	r.Text = fmt.Sprintf("Goroutines were ready to run but had no processor for %s of all time: %.1f of them on average while %s busy, which was %s of the run.",
		glue(percent(l.Lacking, h.Time)), float64(l.Lacking)/float64(l.Busy), all, glue(percent(l.Busy, h.Wall)))
	switch {
	case e.robbed() && e.enough():
		r.Advice = "Other programs took the rest of the processors: measure on a machine that is not shared."
	case e.robbed():
		r.Advice = lessShared
	}
	return r
}

// lacked says whether processors can have been busy for most of the time for which some goroutines were ready to run, if that is known. To wake up takes time on idle processors, too.
func (e *Experiment) lacked(ready int64) bool {
	l := e.Header.Load
	return l == nil || 2*l.Lacking >= ready
}

// starved says whether the causers of a finding were ready to run, but did not run, for more than half of the time in which they were waited for: at each of the places where they were most, for as much of
// their time as of all that the critical path has there.
func (e *Experiment) starved(f *Finding) bool {
	ready := 0.0
	for _, t := range firstOf(e.meanwhileOf(f), 3) {
		if x := e.spentAt(t.Path); x.doing == waking && x.value > 0 {
			ready += float64(t.Time) * float64(x.time) / float64(x.value)
		}
	}
	return 2*ready > float64(f.awaited())
}

// short says whether processors are known to be lacking: or so many goroutines were ready to run all the time that each of the processors would have found one. While one is in a system call that keeps its
// processor, nobody runs on that, so it is not busy.
func (e *Experiment) short() bool {
	h, ready := &e.Header, int64(0)
	for name, sign := range map[string]int64{metric.Wakeup: 1, metric.StartLatency: 1, metric.Ready: 1, metric.Yielded: -1} {
		if i := e.MetricIndex(name); i >= 0 {
			ready += sign * e.Total(i)
		}
	}
	return e.Ready() != nil || h.States && h.Processors > 0 && h.Wall > 0 && ready >= int64(h.Processors)*h.Wall
}

// notYetRunning is the advice for a finding whose causers are starved where it is not known that processors are too few.
const notYetRunning = "Those who were waited for could have gone on for most of that time, but did not run yet: it helps little if they come earlier, have less to do, or are more. If processors are busy, also with other programs, " +
	"less work or more processors help. If they are idle, it is the time that it takes to wake up: let goroutines wait for each other less often, such as by passing on several values at once."

// surelyRan returns for how long goroutines ran, at least: who helps the garbage collector may wait there for others that do.
func (e *Experiment) surelyRan() int64 {
	helped := int64(0)
	if i := e.MetricIndex(metric.GCAssist); i >= 0 {
		helped = e.Total(i)
	}
	return e.Header.Load.Running - helped
}

// robbed says whether other programs had a fifth of the processors while goroutines ran, or more.
func (e *Experiment) robbed() bool {
	return e.Header.Load != nil && e.Header.CPUTime > 0 && float64(e.Header.CPUTime) < 0.8*float64(e.surelyRan())
}

// enough says whether the processors that other programs had would have been enough for two thirds of the goroutines that were ready while processors were busy: of more goroutines, many would have been
// ready without those programs, too.
func (e *Experiment) enough() bool {
	h, ran := &e.Header, float64(e.surelyRan())
	taken := float64(h.Processors) * (ran - float64(h.CPUTime)) / ran // processors, on average
	return 3*taken*float64(h.Load.Busy) >= 2*float64(h.Load.Lacking)
}

// ready tells that processors were lacking, the garbage collector in the way, or processors busy with polling, before the findings: it makes all waiting longer.
func (p *page) ready() {
	if r := p.e.Ready(); r != nil {
		p.para(0, "", r.Text)
		p.styledPara(cyan, 2, "→ ", r.Advice)
		p.blank()
	}
	if text, advice := p.e.Collector(); text != "" {
		p.para(0, "", text)
		p.styledPara(cyan, 2, "→ ", advice)
		p.blank()
	}
	p.polling()
}
