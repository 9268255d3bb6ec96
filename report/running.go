package report

import (
	"fmt"
	"strings"

	"tracerec/metric"
)

// MarkExecution gives the metric execution its title: it is execution where states are recorded, or the processor time that was used covers at
// least 95 % of it. Where that is not known, nothing covers it.
func (e *Experiment) MarkExecution() {
	i := e.MetricIndex(metric.Execution)
	if i < 0 {
		return
	}
	m := &e.Metrics[i]
	m.Title = metric.ExecutionTitle
	switch {
	case e.Header.Threads:
		m.Title, m.Description = metric.ComputingTitle, "Time in which threads were in no call or construct of another metric: their own work."
	case e.Header.States:
		m.Description = "Time in which goroutines ran, outside of recorded operations, as the scheduler of the runtime says."
		m.Formula += " − ready − system_call − unrecorded_wait"
	case !e.covered():
		m.Title = metric.RunningTitle
		m.Description = "Time in which goroutines were in no recorded operation: they ran, were ready to run, or waited for something " +
			"that is not recorded, such as a lock of package sync or the network. It is unknown which."
	}
	if e.numbers != nil {
		c := e.numbers.metrics[i]
		c.Title, c.Doc = m.Title, m.Description
	}
}

// covered tells whether the goroutines can have been running in nearly all of their execution.
func (e *Experiment) covered() bool {
	t := e.execution()
	return t == 0 || e.Header.CPUTime > 0 && float64(e.Header.CPUTime) >= 0.95*float64(t)
}

// execution returns the time in no recorded operation, ns.
func (e *Experiment) execution() int64 {
	if i := e.MetricIndex(metric.Execution); i >= 0 {
		return e.Total(i)
	}
	return 0
}

// executionKnown tells whether what is called execution was execution.
func (e *Experiment) executionKnown() bool {
	i := e.MetricIndex(metric.Execution)
	return i < 0 || e.Metrics[i].Title != metric.RunningTitle
}

// worker is what a location is called.
func (h *Header) worker() string {
	if h.Threads {
		return "thread"
	}
	return "goroutine"
}

// executing says what goroutines do that are in no recorded operation.
func (p *page) executing() string {
	title := metric.ExecutionTitle
	if i := p.e.MetricIndex(metric.Execution); i >= 0 {
		title = p.e.Metrics[i].Title
	}
	return strings.ToLower(title[:1]) + title[1:]
}

// running says how much of the time that is running or not recorded can have been running.
func (p *page) running() {
	e := p.e
	if e.executionKnown() {
		return
	}
	text := "The recording does not say how much processor time the program used, so it is unknown how much of it was running."
	if t := e.execution(); e.Header.CPUTime > 0 && t > 0 {
		text = fmt.Sprintf("The program used %s of processor time, so at most %s of it can have been running.", glue(seconds(e.Header.CPUTime)),
			glue(percent(e.Header.CPUTime, t)))
	}
	p.styledPara(dim, 2, "", metric.RunningTitle+": in no recorded operation. "+text)
}
