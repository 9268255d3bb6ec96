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
		Lead        []string     `json:"lead"`
		Findings    []finding    `json:"findings"`
		NeverEnded  []string     `json:"neverEnded"`
		Warnings    []string     `json:"warnings"`
		Efficiency  []efficiency `json:"efficiency"`
		Differences []difference `json:"differences"`
		Properties  []property   `json:"properties,omitempty"` // of counters, most events first
		Notes       []string     `json:"notes,omitempty"`      // what could not be derived from the counters
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
		Advice    string        `json:"advice"`
		Severity  any           `json:"severity"` // in the metric's unit
		Noise     float         `json:"noise"`    // of repeated runs, half width of the band of 95 % around Severity; null if unknown
		Share     float64       `json:"share"`    // of all time
		Critical  int64         `json:"critical"` // ns of the critical path
		OnPath    float64       `json:"onPath"`   // Critical as a share of the critical path
		Instances uint64        `json:"instances"`
		Waiters   []waiter      `json:"waiters"`
		Causers   []causer      `json:"causers"`
		Meanwhile []pathTime    `json:"meanwhile"`
		Lines     []waitingLine `json:"lines"` // where the waiting is, dearest first, if there are several places
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
	pathTime struct {
		Path int   `json:"path"`
		Time int64 `json:"time"`
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
	for i := range e.Findings[:min(len(e.Findings), mostFindings)] {
		x := &e.Findings[i]
		m := &e.Metrics[x.Metric]
		out := finding{Title: words.Headline(x), Metric: m.Name, Path: a.places.path(int(x.Path)), Text: words.Finding(x), Advice: e.Advice(x),
			Severity: x.Severity, Noise: float(math.NaN()), Share: share(x.Severity, e.Header.Time), Critical: x.Critical, OnPath: share(x.Critical, e.Header.Focus),
			Instances: x.Instances, Waiters: []waiter{}, Causers: a.causersOf(words, x.Causers, x.Severity), Lines: []waitingLine{}, Meanwhile: []pathTime{}}
		for _, l := range x.Locations[:min(len(x.Locations), mostWaiters)] {
			out.Waiters = append(out.Waiters, waiter{words.Location(l), a.places.location(int(l)), number(cube.Int(waitedBy(e, x, l)))})
		}
		if lines := x.AllLines(); len(lines) > 1 {
			for _, l := range lines[:min(len(lines), mostWaiters)] {
				out.Lines = append(out.Lines, waitingLine{a.places.path(int(l.Path)), l.Severity})
			}
		}
		for _, t := range x.Meanwhile {
			out.Meanwhile = append(out.Meanwhile, pathTime{a.places.path(int(t.Path)), t.Time})
		}
		f.Findings = append(f.Findings, out)
	}
	a.properties(f, e, a.places.path)
	for _, w := range words.StillWaiting() {
		f.NeverEnded = append(f.NeverEnded, w.Text)
	}
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

// properties words what the counters of an experiment say; place turns its call paths into those of the report.
func (a *api) properties(f *findings, e *report.Experiment, place func(int) int) {
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
	if a.Merged != nil {
		a.properties(f, a.Merged, func(path int) int { return path })
	}
	x := explain.Of(a.model, a.spread)
	f.Lead = append(append(f.Lead, x.Verdict.Text), x.Lead...)
	for _, found := range x.Findings {
		out := finding{Title: found.Title, Metric: found.Metric.Name, Path: found.Path.Index(), Text: found.Text, Advice: found.Advice, Severity: number(found.Severity),
			Noise: float(found.Noise), Share: found.Share, Waiters: []waiter{}, Causers: []causer{}, Lines: []waitingLine{}, Meanwhile: []pathTime{}}
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
			out.Name = words.Who(c.Group, c.Locations)
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
	f := &findings{Lead: []string{}, Findings: []finding{}, NeverEnded: []string{}, Warnings: []string{}, Efficiency: []efficiency{}, Differences: []difference{}}
	switch {
	case a.difference():
		a.differences(f)
	case a.Experiment != nil:
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
