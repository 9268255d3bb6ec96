package requests

import (
	"fmt"
	"io"
	"strconv"

	"tracerec/internal/readable"
	"tracerec/metric"
)

// Help says what requests are, to people.
const Help = `requests finds the requests that a service answered in INPUT, a trace directory
or a Go execution trace; - is standard input. For all of them and for each name,
it shows how many there were, their latency, what that was spent with, and what
the slowest hundredth does more than the middle tenth.

A request is what net/http handles (HTTP/1 and HTTP/2), a call of a gRPC server,
or a task of runtime/trace. Its name is the pattern of its route or, if that is
not recorded, the function that handled it, if the trace shows that. Time in
which a request waited for another goroutine is divided by what that did, and
those that it waited for.`

// Words says what a part is, in a sentence.
func (p *Part) Words() string {
	s := phrase(p.Metric)
	if at := where(p.CallPath, p.File, p.Line); at != "" {
		s += " in " + at
	}
	if p.Causer == nil {
		return s
	}
	for i := range p.Via {
		s += p.Via[i].Words()
	}
	return s + p.Causer.Words()
}

// Words says, behind a wait, what it was for.
func (c *Causer) Words() string {
	if len(c.CallPath) == 0 {
		return ", for whom is not known"
	}
	return ", for " + where(c.CallPath, c.File, c.Line) + ", " + phrase(c.Metric)
}

// phrase returns a metric in words.
func phrase(name string) string {
	switch name {
	case metric.Execution:
		return "running"
	case metric.Ready:
		return "waiting for a processor"
	case metric.SystemCall:
		return "system calls"
	case metric.GCAssist:
		return "work for the garbage collector"
	case metric.Stopped:
		return "stopped by the runtime"
	case metric.UnrecordedWait:
		return "waiting for what is not recorded"
	case metric.Sleep:
		return "sleeping"
	case metric.Network, metric.LatePeer:
		return "waiting for the network"
	case metric.ExternalWait:
		return "waiting for nobody in the trace"
	case metric.Wakeup:
		return "waking up"
	case metric.LockCompetition, metric.ReaderWait, metric.WriterWait:
		return "waiting for a lock"
	case metric.LateSender:
		return "waiting for a value"
	case metric.LateReceiver:
		return "waiting for a receiver"
	case metric.FullBuffer:
		return "waiting for room in a channel"
	case metric.LateClose:
		return "waiting for a channel to be closed"
	case metric.CondWait:
		return "waiting for a condition"
	case metric.OnceWait:
		return "waiting for a Once"
	case metric.JoinWait:
		return "waiting for goroutines to end"
	}
	return name
}

// where says where a call path ends: the last function, and the line.
func where(path []string, file string, line int) string {
	at := readable.Place(readable.Base(file), line)
	switch {
	case len(path) == 0:
		return ""
	case at == "":
		return readable.Clean(readable.PathEnd(path, 2))
	}
	return readable.Clean(readable.PathEnd(path, 2)) + " (" + at + ")"
}

// Text writes a report for people, with so many names and rows of each list.
func (r *Report) Text(w io.Writer, top int) error {
	for _, m := range r.Warnings {
		for _, line := range readable.Wrap(readable.Clean(m), readable.Columns) {
			fmt.Fprintln(w, line)
		}
	}
	if len(r.Requests) == 0 {
		_, err := fmt.Fprintln(w, "No requests found: see expert requests --help for what is one.")
		return err
	}
	rows := [][]string{{"requests", "per second", "p50", "p95", "p99", "max", "cut", "name"}}
	for _, c := range r.Requests[:min(top+1, len(r.Requests))] {
		rows = append(rows, []string{readable.Grouped(c.Count, 0), readable.Digits(c.Rate), readable.Duration(c.P50), readable.Duration(c.P95), readable.Duration(c.P99),
			readable.Duration(c.Max), strconv.Itoa(c.Cut), readable.Clean(readable.Elide(c.Name, 40))})
	}
	if err := readable.Table(w, rows, "rrrrrrr-"); err != nil {
		return err
	}
	for i, f := range r.Findings[:min(top, len(r.Findings))] {
		if i == 0 {
			fmt.Fprintln(w)
		}
		for _, line := range readable.Hang(fmt.Sprintf("%d. ", i+1), readable.Clean(f.Text)+".", readable.Columns) {
			fmt.Fprintln(w, line)
		}
	}
	for i := range r.Requests[:min(top+1, len(r.Requests))] {
		if err := r.Requests[i].text(w, top); err != nil {
			return err
		}
	}
	return nil
}

// text writes what the latency of a class is made of.
func (c *Class) text(w io.Writer, top int) error {
	if c.Count == 0 {
		return nil
	}
	fmt.Fprintf(w, "\n%s: %s on average\n", readable.Clean(c.Name), readable.Duration(c.Mean))
	rows := [][]string{{"mean", "part", "slowest 1 %", ""}}
	slow := map[string]int64{}
	for i := range c.Slow {
		slow[c.Slow[i].Words()] += c.Slow[i].Mean
	}
	for i := range c.Parts[:min(top, len(c.Parts))] {
		p := &c.Parts[i]
		rows = append(rows, []string{readable.Duration(p.Mean), readable.Percent(100 * float64(p.Mean) / float64(max(c.Mean, 1))), readable.Duration(slow[p.Words()]), p.Words()})
	}
	return readable.Table(w, rows, "rrr-")
}
