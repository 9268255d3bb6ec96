package web

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"tracerec/report"
	"tracerec/report/cube"
	"tracerec/report/explain"
	"tracerec/report/query"
)

// The answer to "findings".
type (
	findings struct {
		Lead         []string      `json:"lead"`
		Requests     *requests     `json:"requests,omitempty"` // that were answered, if there are any
		Findings     []finding     `json:"findings"`
		Ready        *ready        `json:"ready,omitempty"`        // processors were lacking
		CriticalPath *criticalPath `json:"criticalPath,omitempty"` // what it consists of, if that is known
		NeverEnded   []neverEnded  `json:"neverEnded"`             // that may be a mistake
		Idle         string        `json:"idle"`                   // who was idle at the end, "" if nobody was
		Warnings     []string      `json:"warnings"`
		Efficiency   []efficiency  `json:"efficiency"`
		Differences  []difference  `json:"differences"`
		Properties   []property    `json:"properties,omitempty"` // of counters, most events first
		Notes        []string      `json:"notes,omitempty"`      // what could not be derived from the counters
	}
	requests struct {
		Rows  []requestRow `json:"rows"`
		Names int          `json:"names"` // how many there are; rows have the first ones
		Notes []string     `json:"notes"`
	}
	requestRow struct {
		Name  string `json:"name"`
		Count int    `json:"count"`
		Cut   int    `json:"cut"`  // that began before the trace, or had not ended with it
		Rate  float  `json:"rate"` // 1/s
		P50   int64  `json:"p50"`  // ns, here and below; -1: there are too few
		P95   int64  `json:"p95"`
		P99   int64  `json:"p99"`
		Max   int64  `json:"max"`
	}
	ready struct {
		Text   string `json:"text"`
		Advice string `json:"advice"`
	}
	criticalPath struct {
		Length  int64      `json:"length"` // ns
		Parts   []pathPart `json:"parts"`
		Counted string     `json:"counted"` // on it, "" if nothing was
		ByTime  string     `json:"byTime"`  // what of it is a guess, "" if nothing is
	}
	pathPart struct {
		What string `json:"what"`
		Time int64  `json:"time"` // ns
	}
	neverEnded struct {
		Text   string `json:"text"`
		Path   int    `json:"path"`
		Holder int    `json:"holder"` // where the lock that is waited for was acquired, -1 unknown
	}
	property struct {
		Title  string `json:"title"`
		Metric string `json:"metric"` // to look at, "" unknown
		Path   int    `json:"path"`
		Part   int64  `json:"part"` // events
		Text   string `json:"text"`
		Advice string `json:"advice"`
	}
	finding struct {
		Title     string        `json:"title"`
		Metric    string        `json:"metric"`
		Path      int           `json:"path"`
		Text      string        `json:"text"`
		Problem   *problem      `json:"problem,omitempty"` // by which it is known
		Advice    string        `json:"advice"`
		Severity  any           `json:"severity"` // in the metric's unit
		Noise     float         `json:"noise"`    // of repeated runs, half width of the band of 95 % around Severity; null if unknown
		Share     float64       `json:"share"`    // of all time
		Critical  int64         `json:"critical"` // ns of the critical path
		OnPath    float64       `json:"onPath"`   // Critical as a share of the critical path
		Instances uint64        `json:"instances"`
		Waiters   []waiter      `json:"waiters"`
		Causers   []causer      `json:"causers"`
		Awaited   int64         `json:"awaited"`   // ns that the causers were waited for
		Meanwhile []doing       `json:"meanwhile"` // what they did then
		Counted   string        `json:"counted"`   // by them on the critical path, "" if nothing was
		Lines     []waitingLine `json:"lines"`     // where the waiting is, ranked by cost, if there are several places
	}
	problem struct {
		Name  string `json:"name"`
		Title string `json:"title"`
	}
	waitingLine struct {
		Path     int   `json:"path"`
		Severity int64 `json:"severity"` // ns
	}
	waiter struct {
		Name     string `json:"name"`
		Resource int    `json:"resource"`
		Severity number `json:"severity"`
	}
	causer struct {
		Name     string  `json:"name"`
		Resource int     `json:"resource"` // -1 several or unknown
		Path     int     `json:"path"`     // -1 unknown
		Severity int64   `json:"severity"`
		Share    float64 `json:"share"`
	}
	doing struct {
		Share float64 `json:"share"` // of the time awaited
		Path  int     `json:"path"`  // -1 nowhere in particular
		What  string  `json:"what"`  // "" at work, on the critical path
	}
	efficiency struct {
		Name    string `json:"name"`
		Value   float  `json:"value"` // null if it does not apply
		Formula string `json:"formula"`
		Meaning string `json:"meaning"`
		Why     string `json:"why"` // why it does not apply
	}
)

// mostFindings is how many findings are told; a page of more is not read.
const mostFindings = 200

// mostWaiters is how many waiting goroutines of a finding are listed; the text says how many there are.
const mostWaiters = 50

// ours words the findings of an experiment.
func (a *api) ours(f *findings) {
	e := a.Experiment
	words := e.Sentences()
	f.Lead = append(f.Lead, words.Lead()...)
	f.Warnings = append(f.Warnings, e.Warnings...)
	f.requests(words)
	for i := range e.Findings[:min(len(e.Findings), mostFindings)] {
		x := &e.Findings[i]
		m := &e.Metrics[x.Metric]
		out := finding{Title: words.Headline(x), Metric: m.Name, Path: a.places.path(int(x.Path)), Text: words.Finding(x), Advice: e.Advice(x),
			Severity: x.Severity, Noise: float(math.NaN()), Share: share(x.Severity, e.Header.Time), Critical: x.Critical, OnPath: share(x.Critical, e.Header.Focus),
			Instances: x.Instances, Waiters: []waiter{}, Causers: a.causersOf(words, x.Causers, x.Severity), Lines: a.lines(x), Meanwhile: []doing{},
			Counted: words.Counted(x.Counted)}
		if known := e.Problem(x); known != nil {
			out.Problem = &problem{known.Name, known.Title}
		}
		for _, l := range x.Locations[:min(len(x.Locations), mostWaiters)] {
			out.Waiters = append(out.Waiters, waiter{words.Location(l), a.places.location(int(l)), number(cube.Int(waitedBy(e, x, l)))})
		}
		var meanwhile []report.Doing
		meanwhile, out.Awaited = words.Meanwhile(x)
		for _, d := range meanwhile {
			out.Meanwhile = append(out.Meanwhile, doing{d.Share, a.places.path(int(d.Path)), d.What})
		}
		f.Findings = append(f.Findings, out)
	}
	a.properties(f)
	for _, w := range words.StillWaiting() {
		if !w.Idle {
			f.NeverEnded = append(f.NeverEnded, neverEnded{w.Text, a.places.path(int(w.Path)), a.places.path(int(w.HolderPath))})
		}
	}
	f.Idle = words.Idle()
	if r := e.Ready(); r != nil {
		f.Ready = &ready{r.Text, r.Advice}
	}
	if parts, byTime := words.CriticalPath(); len(parts) > 0 {
		f.CriticalPath = &criticalPath{e.Header.Focus, []pathPart{}, words.Counted(e.PathCounts), byTime}
		for _, x := range parts {
			f.CriticalPath.Parts = append(f.CriticalPath.Parts, pathPart{x.What, x.Time})
		}
	}
}

// requests tells the latency of the requests that were answered.
func (f *findings) requests(words *report.Sentences) {
	rows, notes := words.Requests()
	if len(rows) == 0 {
		return
	}
	f.Requests = &requests{[]requestRow{}, len(rows) - 1, append([]string{}, notes...)}
	for _, r := range rows[:min(len(rows), mostFindings)] {
		f.Requests.Rows = append(f.Requests.Rows, requestRow{r.Name, r.Count, r.Cut, float(r.Rate), r.Latency[0], r.Latency[1], r.Latency[2], r.Latency[3]})
	}
}

// lines returns where the waiting of a finding was, places ranked by cost, if there are several.
func (a *api) lines(x *report.Finding) []waitingLine {
	list, at := []waitingLine{}, map[uint32]int{}
	for _, l := range x.AllLines() { // one for each kind of waiting and group of goroutines
		i, seen := at[l.Path]
		if !seen {
			i = len(list)
			at[l.Path] = i
			list = append(list, waitingLine{Path: a.places.path(int(l.Path))})
		}
		list[i].Severity += l.Severity
	}
	if len(list) < 2 {
		return []waitingLine{}
	}
	return list[:min(len(list), mostWaiters)]
}

// waitedBy returns how long a location waited at the lines of a finding. What it waited there for others is in it, too.
func waitedBy(e *report.Experiment, x *report.Finding, l uint32) (sum int64) {
	type place struct {
		metric int
		path   uint32
	}
	seen := map[place]bool{}
	for _, line := range x.AllLines() {
		if at := (place{line.Metric, line.Path}); !seen[at] {
			seen[at] = true
			sum += e.At(at.metric, at.path, l)
		}
	}
	return sum
}

// properties words what the counters of an experiment say.
func (a *api) properties(f *findings) {
	e, place := a.Experiment, a.places.path
	if e == nil {
		return
	}
	if e.Merged {
		place = func(path int) int { return path }
	}
	words := e.Sentences()
	for i := range e.Properties[:min(len(e.Properties), mostFindings)] {
		p := &e.Properties[i]
		f.Properties = append(f.Properties, property{p.Title, a.operand(p.PartName), place(int(p.Path)), p.Part, words.Property(p), p.Advice})
	}
	f.Notes = e.Notes
}

// operand returns the first metric of an expression that the report has.
func (a *api) operand(expression string) string {
	for _, name := range strings.Fields(expression) {
		if a.model.Metric(name) != nil {
			return name
		}
	}
	return ""
}

// explained words the findings of a report that has none of its own.
func (a *api) explained(f *findings) {
	a.properties(f)
	x := explain.Of(a.model, a.spread)
	f.Lead = append(append(f.Lead, x.Verdict.Text), x.Lead...)
	for _, found := range x.Findings {
		out := finding{Title: found.Title, Metric: found.Metric.Name, Path: found.Path.Index(), Text: found.Text, Advice: found.Advice, Severity: number(found.Severity),
			Noise: float(found.Noise), Share: found.Share, Waiters: []waiter{}, Causers: []causer{}, Lines: []waitingLine{}, Meanwhile: []doing{}}
		for _, w := range found.Waiters[:min(len(found.Waiters), mostWaiters)] {
			out.Waiters = append(out.Waiters, waiter{w.Name, w.Resource.Index, number(w.Severity)})
		}
		f.Findings = append(f.Findings, out)
	}
}

// causersOf lists who a finding's waits were spent waiting for.
func (a *api) causersOf(words *report.Sentences, causers []report.Causer, all int64) []causer {
	list := []causer{}
	for _, c := range causers {
		out := causer{Name: "nobody in the trace", Resource: -1, Path: a.places.path(int(c.Path)), Severity: c.Severity, Share: share(c.Severity, all)}
		if c.Group >= 0 {
			out.Name = words.Causer(&c)
		}
		if len(c.Locations) == 1 {
			out.Resource = a.places.location(int(c.Locations[0]))
		}
		list = append(list, out)
	}
	return list
}

func share(part, whole int64) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// findings answers with what was concluded, in words.
func (a *api) findings(q *question) (any, error) {
	if err := q.only(); err != nil {
		return nil, err
	}
	f := &findings{Lead: []string{}, Findings: []finding{}, NeverEnded: []neverEnded{}, Warnings: []string{}, Efficiency: []efficiency{}, Differences: []difference{}}
	switch {
	case a.difference():
		a.differences(f)
	case a.Experiment != nil && !a.Experiment.Merged:
		a.ours(f)
	default:
		a.explained(f)
	}
	for _, x := range a.model.Efficiency() {
		e := efficiency{x.Name, float(x.Value), x.Formula, x.Meaning, x.Why}
		if x.Why != "" {
			e.Value = float(math.NaN())
		}
		f.Efficiency = append(f.Efficiency, e)
	}
	return f, nil
}

// causers answers with those who were waited for in a wait state, or those below it, at a call path or those below it.
func (a *api) causers(q *question) (any, error) {
	w, p := q.what(), q.path()
	if p == nil {
		q.fail("there is no call path")
	}
	if err := q.only("metric", "path"); err != nil {
		return nil, err
	}
	list := []causer{}
	if a.Experiment == nil {
		return list, nil
	}
	words := a.Experiment.Sentences()
	type who struct {
		name string
		path int
	}
	at, all := map[who]int{}, int64(0)
	for i := range a.Experiment.Findings {
		for _, l := range a.Experiment.Findings[i].AllLines() {
			if !within(a.model.Metric(a.Experiment.Metrics[l.Metric].Name), w.Metric) || !below(a.paths, a.places.path(int(l.Path)), p) {
				continue
			}
			all += l.Severity
			for _, c := range a.causersOf(words, l.Causers, l.Severity) {
				k, seen := at[who{c.Name, c.Path}]
				if !seen {
					k = len(list)
					at[who{c.Name, c.Path}] = k
					list = append(list, c)
					continue
				}
				if list[k].Severity += c.Severity; list[k].Resource != c.Resource {
					list[k].Resource = -1
				}
			}
		}
	}
	for i := range list {
		list[i].Share = share(list[i].Severity, all)
	}
	slices.SortStableFunc(list, func(x, y causer) int { return cmp.Compare(y.Severity, x.Severity) })
	return list, nil
}

// within says whether a metric is another one or below it.
func within(m, top *query.Metric) bool {
	for m != nil && m != top {
		m = m.Parent
	}
	return m != nil
}

// below says whether a call path is another one or below it.
func below(paths []*cube.CallPath, i int, top *cube.CallPath) bool {
	if i < 0 {
		return false
	}
	p := paths[i]
	for p != nil && p != top {
		p = p.Parent
	}
	return p != nil
}
