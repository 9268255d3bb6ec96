package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"tracerec/internal/readable"
	"tracerec/metric"
	"tracerec/trace/wire"
)

// RequestsHelp says what requests are, to people.
const RequestsHelp = `requests finds the requests that a service answered in INPUT, a trace directory
or a Go execution trace, or shows those of a report; - is standard input. For
all of them and for each name, it shows how many there were, their latency, what
that was spent with, and what the slowest hundredth does more than the middle
tenth.

A request is what net/http handles (HTTP/1 and HTTP/2), a call of a gRPC server,
or a task of runtime/trace. Its name is the pattern of its route or, if that is
not recorded, the function that handled it, if the trace shows that. Its latency
begins when the server has read its first bytes: what it waited before, for a
connection or because all processors were busy, only the client knows. Time in
which a request waited for another goroutine is divided by what that did, and
those that it waited for.

Streams are shown apart, as how long they last says nothing about the service:
WebSockets, server-sent events and calls of streaming methods of gRPC.

With --rounds, goroutines of the program that work in a loop are shown as well:
what they do from one wait for a value, a signal or a time to the next one at
the same place is a round.`

// Words says what a part is, in a sentence.
func (p *LatencyPart) Words() string { return p.Step.words() + p.onward() }

// onward says what was waited for. Those who waited at one place for each other in turn are told as one.
func (p *LatencyPart) onward() (s string) {
	before := &p.Step
	for i := range p.Via {
		if via := &p.Via[i]; via.cause() != before.cause() {
			s += via.cause()
			before = via
		}
	}
	if p.Causer != nil {
		s += p.Causer.cause()
	}
	return s
}

// words says what a goroutine did, and where.
func (s *Step) words() string {
	if at := s.where(); at != "" {
		return s.phrase() + " in " + at
	}
	return s.phrase()
}

// cause says, behind a wait, what it was for.
func (s *Step) cause() string {
	switch {
	case len(s.CallPath) == 0:
		return ", for whom is not known"
	case s.Metric == metric.Sleep && strings.HasPrefix(s.CallPath[0], "context.WithDeadline"): // what a timer of package context calls
		return ", until a timeout of its context ran out"
	}
	return ", for " + s.where() + ", " + s.phrase()
}

// phrase says what a goroutine did, in words.
func (s *Step) phrase() string {
	if len(s.CallPath) > 0 {
		switch last := s.CallPath[len(s.CallPath)-1]; {
		case s.Metric == metric.Network && last == wire.Pipe:
			return "waiting for a pipe"
		case s.Metric == metric.ExternalWait && (Region{Name: last, Operation: true}).locks():
			return "waiting for a lock that nobody is known to hold"
		}
	}
	return phrase(s.Metric)
}

// phrase returns a metric in words.
func phrase(name string) string {
	switch name {
	case metric.Execution:
		return "running"
	case metric.Ready:
		return "waiting for a processor"
	case metric.Yielded:
		return "having given up the processor"
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
	case metric.TimerWait:
		return "waiting for a timer"
	case metric.ExternalWait:
		return "waiting for what no goroutine does, such as a timer"
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
		return "waiting for a WaitGroup"
	}
	return name
}

// where says where a call path ends: the last function, and the line. If that is of a library, the last functions of the program lead there.
func (s *Step) where() string {
	calls := s.calls()
	begin := max(len(calls)-2, 0)
	if s.library(calls) {
		begin = max(s.Own-2, 0)
	}
	for i := begin; i < min(s.Own, len(calls)-1); i++ {
		if slices.Contains(serving, calls[i]) {
			begin = i + 1
		}
	}
	return s.from(begin)
}

// calls returns the call path without a sleep, which is said already.
func (s *Step) calls() []string {
	if n := len(s.CallPath); n > 1 && s.Metric == metric.Sleep && s.CallPath[n-1] == sleepName {
		return s.CallPath[:n-1]
	}
	return s.CallPath
}

// library says whether a call path ends within a library that the program calls.
func (s *Step) library(calls []string) bool { return 0 < s.Own && s.Own < len(calls)-1 }

// from says where a call path ends, from a function on: of a library, the function that the program calls tells what it is called for.
func (s *Step) from(begin int) string {
	calls := s.calls()
	n := len(calls)
	if n == 0 {
		return ""
	}
	names := calls[begin:]
	if s.library(calls) && s.Own+1 < n-1 {
		names = slices.Concat(calls[begin:s.Own+1], []string{"…", calls[n-1]})
	}
	path := strings.Join(names, readable.Arrow)
	if slices.ContainsFunc(calls[:begin], func(name string) bool { return !slices.Contains(serving, name) }) {
		path = "…" + readable.Arrow + path
	}
	if s.Metric == metric.Execution && slices.Contains(serving, calls[n-1]) {
		path += " or what it called"
	}
	if at := readable.Place(readable.Base(s.File), s.Line); at != "" {
		path += " (" + at + ")"
	}
	return readable.Clean(path)
}

// serving are functions of servers that call the program's own and hardly run themselves: where a goroutine seems to, no stack tells in which of these it was.
var serving = []string{"http.(*conn).serve", "http.serverHandler.ServeHTTP", "http.(*ServeMux).ServeHTTP", "http.HandlerFunc.ServeHTTP", "http.(*http2serverConn).runHandler",
	"http2.(*serverConn).runHandler", "grpc.(*Server).handleStream", "fasthttp.(*Server).serveConn"}

// RequestsText writes what is known of requests for people, with so many names and rows of each list.
func RequestsText(w io.Writer, e *Experiment, top int) error {
	warn(w, e.Warnings)
	if text := e.unlooked(); text != "" {
		warn(w, []string{text})
	}
	if len(e.Requests) == 0 {
		_, err := fmt.Fprintln(w, "No requests found: none of net/http, fasthttp or gRPC, and no task of runtime/trace (see expert requests --help, also for --rounds).")
		return err
	}
	list := firstNames(e.Requests, top)
	if err := requestsTable(w, list, nameColumns); err != nil {
		return err
	}
	if note := nameless(list); note != "" {
		for _, line := range readable.Hang("", note, readable.Columns) {
			fmt.Fprintln(w, line)
		}
	}
	for i, f := range firstOf(e.judged(findingsOf(list)), top) {
		if i == 0 {
			fmt.Fprintln(w)
		}
		for _, line := range readable.Hang(fmt.Sprintf("%d. ", i+1), readable.Clean(f.Text)+".", readable.Columns) {
			fmt.Fprintln(w, readable.Loose(line))
		}
		if f.Problem != "" {
			known := problem(f.Problem)
			for _, line := range readable.Hang("   → ", known.Title+" ("+known.Name+"). "+f.Advice, readable.Columns) {
				fmt.Fprintln(w, line)
			}
		}
	}
	for i := range list {
		if i == 0 && oneName(list) {
			continue
		}
		if err := list[i].text(w, top); err != nil {
			return err
		}
	}
	return nil
}

// oneName says whether nearly all requests of a list, whose first element is all of them, have the name of the second.
func oneName(list []Requests) bool {
	return len(list) > 1 && !Apart(list[1].Kind) && 100*(list[0].Count-list[1].Count) <= list[0].Count
}

// little says whether requests are few, and took next to no time of that of all.
func (r *Requests) little(all *Requests) bool {
	return !Apart(r.Kind) && r.Count < leastRequests && 100*r.Mean*int64(r.Count) < all.Mean*int64(all.Count)
}

// findingsOf returns what the slow requests of each name do that others do not, or else what most of their time is spent with. What is told of all is not told again of a name.
func findingsOf(list []Requests) (findings []SlowFinding) {
	var all *SlowFinding
	for i := range list {
		if i == 0 && oneName(list) || i > 0 && list[i].little(&list[0]) || list[i].Kind == KindStream {
			continue // nearly all have one name, it hardly matters, or it is as slow as who asked wants it to be
		}
		f, is := list[i].Finding()
		if !is {
			f, is = list[i].Usual()
		}
		if !is || all != nil && f.repeats(all) {
			continue
		}
		if findings = append(findings, f); i == 0 {
			all = &f
		}
	}
	return findings
}

// repeats says whether a finding of a name is that of all requests.
func (f *SlowFinding) repeats(all *SlowFinding) bool {
	return f.Problem != "" && f.Problem == all.Problem && f.place() == all.place()
}

// firstNames returns all requests together, and so many names of them, of streams, and of rounds.
func firstNames(list []Requests, top int) (first []Requests) {
	shown := map[string]int{}
	first = append(first, list[0])
	for _, x := range list[1:] {
		kind := ""
		if Apart(x.Kind) {
			kind = x.Kind
		}
		if shown[kind]++; shown[kind] <= top {
			first = append(first, x)
		}
	}
	return first
}

// Text writes the path for people: the steps that are a hundredth of it or more.
func (p *RequestPath) Text(w io.Writer) error {
	fmt.Fprintf(w, "%s on goroutine %d, %s after the start, took %s:\n", readable.Clean(p.Name), p.Goroutine, readable.Duration(p.Begin), readable.Duration(p.Latency))
	rows, few, rest := [][]string{{"at", "for", ""}}, 0, int64(0)
	for i := range p.Steps {
		s := &p.Steps[i]
		if 100*s.Mean < p.Latency {
			few++
			rest += s.Mean
			continue
		}
		rows = append(rows, []string{readable.Duration(s.At), readable.Duration(s.Mean), s.Words()})
	}
	if few > 0 {
		rows = append(rows, []string{"", readable.Duration(rest), "in " + readable.Plural(few, "shorter step")})
	}
	return readable.Table(w, rows, "rr-")
}

// nameless says that many requests have no name, which decides what names can tell; "" if few have none.
func nameless(list []Requests) string {
	all := &list[0]
	if all.Unnamed == 0 || 10*all.Unnamed < all.Count {
		return ""
	}
	return fmt.Sprintf("%s of %s have no name, as nothing shows what handled them. In an execution trace, those that have one are mostly the slow ones: do not compare names.",
		glue(readable.Grouped(all.Unnamed, 0)), glue(count(int64(all.Count), "request")))
}

// requestsTable writes a line for each name, which is at most so wide.
func requestsTable(w io.Writer, list []Requests, width int) error {
	rows := [][]string{{"requests", "1/s", "p50", "p95", "p99", "max", "cut", "name"}}
	for _, r := range requestRows(list, width) {
		cells := []string{readable.Grouped(r.Count, 0), readable.Digits(r.Rate)}
		for _, latency := range r.Latency {
			if latency == NoLatency {
				cells = append(cells, "–")
				continue
			}
			cells = append(cells, readable.Duration(latency))
		}
		rows = append(rows, append(cells, strconv.Itoa(r.Cut), r.Name))
	}
	return readable.Table(w, rows, "rrrrrrr-")
}

// RequestRow is what a table shows of the requests of a name.
type RequestRow struct {
	Name    string
	Count   int
	Cut     int
	Rate    float64  // 1/s
	Latency [4]int64 // p50, p95, p99 and the longest, ns, or NoLatency
}

// NoLatency stands where there are no requests, or too few for a percentile that is not the longest.
const NoLatency = -1

// requestRows returns a row for each name, which is at most so wide.
func requestRows(list []Requests, width int) (rows []RequestRow) {
	for i := range list {
		r := &list[i]
		x := RequestRow{readable.Clean(r.titled(width)), r.Count, r.Cut, r.Rate, [4]int64{r.P50, r.P95, r.P99, r.Max}}
		for k, percent := range []int{50, 95, 99, 100} {
			if r.Count == 0 || (percent == 95 || percent == 99) && !r.reaches(percent) {
				x.Latency[k] = NoLatency
			}
		}
		if r.Kind == "" && slices.ContainsFunc(list, func(x Requests) bool { return x.Kind == KindStream }) {
			x.Name = "(all but streams)"
		}
		rows = append(rows, x)
	}
	return rows
}

// requestsLines returns the table of names which are at most so wide, and how many columns there are too few for it in a page.
func requestsLines(list []Requests, names int) (lines []string, over int) {
	var table strings.Builder
	requestsTable(&table, list, names) // a builder takes everything
	for line := range strings.Lines(table.String()) {
		lines = append(lines, strings.TrimSuffix(line, "\n"))
		over = max(over, width(lines[len(lines)-1])-pageWidth)
	}
	return lines, over
}

// How wide names of requests are at most, and in a page at least, if they are so long.
const (
	nameColumns  = 40
	leastColumns = 16
)

// titled returns the name of a row, which is at most so wide.
func (r *Requests) titled(width int) string {
	if r.Kind == KindStream {
		return readable.Elide(r.Name, width-len(", stream")) + ", stream"
	}
	return readable.Elide(r.Name, width)
}

// firstOf returns the first elements of a list.
func firstOf[T any](list []T, most int) []T { return list[:min(most, len(list))] }

// text writes what the latency of a name is made of.
func (r *Requests) text(w io.Writer, top int) error {
	if r.Count == 0 {
		return nil
	}
	fmt.Fprintf(w, "\n%s: %s on average\n", readable.Clean(r.Name), readable.Duration(r.Mean))
	rows := [][]string{{"mean", "part", "slowest 1 %", ""}}
	if !r.reaches(99) {
		rows[0][2] = "slowest"
	}
	for _, p := range firstOf(r.alike(), top) {
		rows = append(rows, []string{readable.Duration(p.mean), readable.Percent(100 * float64(p.mean) / float64(max(r.Mean, 1))), readable.Duration(p.slow), p.words})
	}
	return readable.Table(w, rows, "rrr-")
}

// told is what is said of some parts of a latency, their mean, and that of the slowest.
type told struct {
	words      string
	mean, slow int64
}

// alike puts the parts together of which the same is said, as they differ only in what leads to their end. Those with most come first.
func (r *Requests) alike() (list []told) {
	at := map[string]int{}
	for i := range r.Parts {
		words := r.Parts[i].Words()
		if _, known := at[words]; !known {
			at[words] = len(list)
			list = append(list, told{words: words})
		}
		list[at[words]].mean += r.Parts[i].Mean
	}
	for i := range r.Slow {
		if at, known := at[r.Slow[i].Words()]; known {
			list[at].slow += r.Slow[i].Mean
		}
	}
	slices.SortStableFunc(list, func(x, y told) int { return -cmp.Compare(x.mean, y.mean) })
	return list
}

// warn shows warnings.
func warn(w io.Writer, warnings []string) {
	for _, m := range warnings {
		for _, line := range readable.Wrap(readable.Clean(m), readable.Columns) {
			fmt.Fprintln(w, line)
		}
	}
}

// WriteRequests writes the requests of an experiment, or of one of them the path, as text or JSON.
func WriteRequests(w io.Writer, e *Experiment, path *RequestPath, format string, top int) error {
	switch {
	case path != nil && format == "json":
		return readable.JSON(w, struct {
			*RequestPath
			Warnings []string `json:"warnings"`
		}{path, append([]string{}, e.Warnings...)})
	case path != nil:
		warn(w, e.Warnings)
		return path.Text(w)
	case format == "json":
		return readable.JSON(w, struct {
			Requests []Requests    `json:"requests"` // all together first, then those that took most time together
			Findings []SlowFinding `json:"findings"` // what the slow ones do that the others do not
			Warnings []string      `json:"warnings"`
		}{append([]Requests{}, e.Requests...), jsonSlow(e), append([]string{}, e.Warnings...)})
	}
	return RequestsText(w, e, top)
}

// jsonSlow returns what slow requests do, for programs.
func jsonSlow(e *Experiment) []SlowFinding {
	findings := e.judged(SlowFindings(e.Requests))
	for i := range findings {
		findings[i].Text = readable.Loose(findings[i].Text)
	}
	return findings
}

// requests shows the requests with most time, and what the slow ones of all do.
func (p *page) requests() {
	if len(p.e.Requests) == 0 {
		return
	}
	list := p.e.Requests[:min(p.top, len(p.e.Requests)-1)+1]
	p.title("Requests", "")
	names := 0
	for i := range list {
		names = max(names, width(list[i].titled(nameColumns)))
	}
	lines, over := requestsLines(list, names)
	if over > 0 {
		lines, _ = requestsLines(list, max(names-over, leastColumns))
	}
	for _, line := range lines {
		p.line(line)
	}
	p.more(len(list)-1, len(p.e.Requests)-1, "name")
	for _, note := range p.ofRequests() {
		p.styledPara(plain, 0, "", note)
	}
	p.styledPara(dim, 0, "", "expert requests shows what they are made of.")
}

// ofRequests says what is to be known of the requests beside their latency: how many have no name, and what the slow ones do that no other sentence says.
func (p *page) ofRequests() (notes []string) {
	if note := nameless(p.e.Requests); note != "" {
		notes = append(notes, note)
	}
	for _, f := range firstOf(p.e.judged(SlowFindings(p.e.Requests)), 1) {
		if !strings.Contains(p.e.Verdict.Text, f.Text) {
			notes = append(notes, f.Text+".")
		}
	}
	return notes
}
