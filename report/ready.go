package report

import (
	"fmt"

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
	var ready int64
	names := []string{metric.Wakeup, metric.StartLatency}
	if h.States {
		names = []string{metric.ReadyAfterWait, metric.Ready, metric.StartLatency}
	}
	for _, name := range names {
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
	them := "them"
	if h.Processors == 1 {
		them = "it"
	}
	r.Text = fmt.Sprintf("Goroutines were ready to run but had no processor for %s of all time: %.1f of them on average. The program had %s and used %.1f"+
		" of %s.", glue(percent(ready, h.Time)), r.Mean, glue(count(int64(h.Processors), "processor")), r.Used, them)
	r.Advice = "Less work or more processors make it faster, more goroutines do not. Raise GOMAXPROCS if the machine has more; else bound the " +
		"number of goroutines that work at once, so that none is kept from running while others wait for it."
	if r.Used < busy*processors {
		r.Advice = "If many goroutines become ready at once, for a short time, start fewer at once. If other programs took the rest, measure on a machine that " +
			"is not shared."
	}
	return r
}

// ready tells that processors were lacking, before the findings: it makes all waiting longer.
func (p *page) ready() {
	if r := p.e.Ready(); r != nil {
		p.para(0, "", r.Text)
		p.styledPara(cyan, 2, "→ ", r.Advice)
		p.blank()
	}
}
