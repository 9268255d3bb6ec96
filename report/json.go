package report

import (
	"io"
	"math"

	"tracerec/internal/readable"
	"tracerec/metric"
)

// The JSON form of an experiment. Its field names are a contract with scripts; fields may be added, none
// changes its meaning. Durations are ns, shares fractions of the focus, and lists are never null.
type (
	jsonExperiment struct {
		Verdict    Verdict        `json:"verdict"`
		Experiment jsonHeader     `json:"experiment"`
		Metrics    []jsonMetric   `json:"metrics"`
		Findings   []jsonFinding  `json:"findings"`
		Ready      *Ready         `json:"ready,omitempty"` // processors were lacking
		Warnings   []string       `json:"warnings"`
		Critical   Split          `json:"critical_path"` // the times add up to focus_ns
		Counts     []jsonCount    `json:"critical_path_counts,omitempty"`
		Lost       Lost           `json:"lost"`
		Processes  []Process      `json:"processes"`
		Topologies []jsonTopology `json:"topologies,omitempty"`
		Requests   []Requests     `json:"requests,omitempty"` // those that were answered, as expert requests has them
		Slow       []SlowFinding  `json:"request_findings,omitempty"`

		JSONCounters
	}
	// JSONCounters is what was made of counters, in the JSON form, if any were recorded.
	JSONCounters struct {
		Ratios     []jsonRatio    `json:"ratios,omitempty"`
		Properties []jsonProperty `json:"properties,omitempty"` // most events first
		Unlisted   []string       `json:"unlisted_counters,omitempty"`
		Notes      []string       `json:"notes,omitempty"` // what could not be derived
	}
	jsonHeader struct {
		Header
		NeverEnded []jsonNeverEnded `json:"never_ended"`
		Instances  []jsonStats      `json:"instances"`
		Samples    []jsonSamples    `json:"samples"`
	}
	jsonMetric struct {
		Name     string `json:"name"`
		Title    string `json:"title"`
		Unit     string `json:"unit"`
		Parent   string `json:"parent"`
		Total    int64  `json:"total"`    // inclusive along the metric tree
		Critical int64  `json:"critical"` // ns of the critical path spent on the causers of these waits, counted once

		Counter    bool   `json:"counter,omitempty"`
		Uncertain  bool   `json:"uncertain,omitempty"`    // by how much another metric may be more, or less (then it is negative)
		Of         string `json:"uncertain_of,omitempty"` // that metric
		AtLeast    *int64 `json:"at_least,omitempty"`     // what a metric of counters lies in, with what is uncertain of it
		AtMost     *int64 `json:"at_most,omitempty"`
		Hierarchy  string `json:"hierarchy,omitempty"`  // specification that it is derived with
		Incomplete bool   `json:"incomplete,omitempty"` // counters are lacking: a lower bound
	}
	jsonRatio struct {
		Name      string          `json:"name"`
		Unit      string          `json:"unit"`
		Hierarchy string          `json:"hierarchy"`
		Formula   string          `json:"formula"`
		Low       float64         `json:"low"` // the scale; equal: none
		High      float64         `json:"high"`
		Least     float64         `json:"least"`
		Value     *float64        `json:"value"` // of what is certain, of the whole program; null if a denominator is too small, or may be
		AtLeast   *float64        `json:"at_least"`
		AtMost    *float64        `json:"at_most"`
		CallPaths []jsonRatioPath `json:"callpaths"`
	}
	jsonRatioPath struct { // a call path that has a value, without those below it
		jsonPlace
		Value   float64 `json:"value"`
		AtLeast float64 `json:"at_least"`
		AtMost  float64 `json:"at_most"`
	}
	jsonProperty struct {
		Property string `json:"property"`
		Title    string `json:"title"`
		jsonPlace
		Part   int64  `json:"part"` // events
		Of     int64  `json:"of"`   // events, or ns if of_name is time
		Parts  string `json:"part_name"`
		Ofs    string `json:"of_name"`
		Shared bool   `json:"shared"` // the whole process was counted
		Text   string `json:"text"`
		Advice string `json:"advice"`
		Kinds  []Kind `json:"kinds,omitempty"`
	}
	jsonPlace struct {
		CallPath []string `json:"callpath"`
		File     string   `json:"file"`
		Line     int      `json:"line"`
	}
	jsonFinding struct {
		Metric string `json:"metric"`
		jsonPlace
		Severity  int64        `json:"severity_ns"`
		Critical  int64        `json:"critical_ns"`
		Share     float64      `json:"share"` // Critical as a fraction of the focus
		Instances uint64       `json:"instances"`
		Locations []string     `json:"locations"` // largest severity first
		Causers   []jsonCauser `json:"causers"`
		Object    *jsonObject  `json:"object,omitempty"`
		Certain   bool         `json:"certain"`                   // nothing that is not known could change it, also what of the critical path it is; the verdict's is besides that it comes first
		Lines     []jsonLine   `json:"lines"`                     // where it was waited for, ranked by cost; sums of severity_ns, but critical_ns counts time once
		Meanwhile []jsonTime   `json:"meanwhile"`                 // critical_ns by what the causers were doing, largest first; of the first findings
		Awaited   int64        `json:"awaited_ns"`                // that the causers were waited for, of each once: critical_ns, the sum of onward, and the rest elsewhere; of the first findings
		Onward    []jsonOnward `json:"onward"`                    // what the causers waited for themselves then, off the critical path, largest first
		InTurn    int64        `json:"head_of_line_ns,omitempty"` // of severity_ns: a goroutine that serves several in turn waited for one of them, and others for it
		Convoy    int64        `json:"convoy_ns,omitempty"`       // of severity_ns: in a queue at a lock that did not become empty, in which none had it for long
		Served    int64        `json:"served_ns,omitempty"`       // for how long requests of a service were in it, all together
		Counted   []jsonCount  `json:"counted,omitempty"`         // by the causers in critical_ns; of the first findings
		Advice    string       `json:"advice"`                    // "" if it is not worth it
		Busy      Busy         `json:"busy,omitzero"`             // all workers, or places of a semaphore; or taken: all that is taken and given back; or at_once of those workers who wait
		Problem   string       `json:"problem,omitempty"`         // by which it is known
	}
	jsonObject struct {
		Name  string `json:"name"` // as the program calls it, "" unknown
		File  string `json:"file"` // of its first use, "" unknown
		Line  int    `json:"line"`
		Type  string `json:"type"`
		Count int    `json:"count"` // how many objects it is about
		// For how many of several it is that somebody waited, and how long for the one that has most.
		Waited int   `json:"waited,omitempty"`
		Most   int64 `json:"most_ns,omitempty"`
	}
	jsonLine struct {
		Metric string `json:"metric"`
		jsonPlace
		Severity  int64        `json:"severity_ns"`
		Critical  int64        `json:"critical_ns"`
		Instances uint64       `json:"instances"`
		Locations []string     `json:"locations"` // largest severity first
		Causers   []jsonCauser `json:"causers"`
	}
	jsonCauser struct {
		jsonPlace
		Severity  int64    `json:"severity_ns"`
		Locations []string `json:"locations"` // largest severity first; empty if nobody in the trace
		Mattering int      `json:"mattering"` // the first of them that have 99 % of it together: those that the text report counts
	}
	jsonTime struct {
		jsonPlace
		Time int64 `json:"time_ns"`
	}
	jsonOnward struct {
		jsonTime
		For string `json:"for"` // group, as locations are named without their number
	}
	jsonCount struct { // of samples that lie wholly in it, and of all that have to do with it
		Metric  string `json:"metric"`
		AtLeast int64  `json:"at_least"`
		AtMost  *int64 `json:"at_most"` // null: not known
	}
	jsonNeverEnded struct {
		jsonPlace
		Location string     `json:"location"`
		Since    int64      `json:"since_ns"`
		Object   string     `json:"object"`
		Holder   *jsonPlace `json:"held_in"` // where the holder of the lock acquired it, null if not known
		HeldBy   string     `json:"held_by"` // "" if nobody
	}
	jsonStats struct {
		Metric string         `json:"metric"`
		Count  uint64         `json:"count"`
		Sum    int64          `json:"sum_ns"`
		Min    int64          `json:"min_ns"`
		Q25    int64          `json:"quartile25_ns"`
		Median int64          `json:"median_ns"`
		Q75    int64          `json:"quartile75_ns"`
		Max    int64          `json:"max_ns"`
		Mean   int64          `json:"mean_ns"`
		Worst  []jsonInstance `json:"worst"` // longest first
	}
	jsonSamples struct { // of a metric of the program, in its unit
		Metric string  `json:"metric"`
		Unit   string  `json:"unit"`
		Count  uint64  `json:"count"`
		Sum    int64   `json:"sum"`
		Min    int64   `json:"min"`
		Q25    int64   `json:"quartile25"`
		Median int64   `json:"median"`
		Q75    int64   `json:"quartile75"`
		Max    int64   `json:"max"`
		Mean   float64 `json:"mean"`
	}
	jsonInstance struct {
		jsonPlace
		Location string     `json:"location"`
		Begin    int64      `json:"begin_ns"`
		End      int64      `json:"end_ns"`
		Waited   int64      `json:"waited_ns"`
		Causer   string     `json:"causer"`    // "" if nobody
		CausedIn *jsonPlace `json:"caused_in"` // null if not known
	}
)

// JSON writes the experiment for programs.
func JSON(w io.Writer, e *Experiment) error {
	out := jsonExperiment{
		Verdict:    e.Verdict,
		Experiment: jsonHeader{Header: e.Header, NeverEnded: []jsonNeverEnded{}, Instances: []jsonStats{}, Samples: []jsonSamples{}},
		Metrics:    e.jsonMetrics(),
		Findings:   []jsonFinding{},
		Warnings:   append([]string{}, e.Warnings...),
		Critical:   e.Split,
		Counts:     e.jsonCounts(e.PathCounts),
		Lost:       e.Lost,
		Processes:  append([]Process{}, e.Origin.Processes...),
		Topologies: e.jsonTopologies(),
		Requests:   e.Requests,
		Slow:       jsonSlow(e),
	}
	out.Verdict.Text = readable.Loose(out.Verdict.Text)
	out.Experiment.Args = append([]string{}, e.Header.Args...)
	for _, n := range e.NeverEnded {
		out.Experiment.NeverEnded = append(out.Experiment.NeverEnded, jsonNeverEnded{
			jsonPlace: e.jsonPlace(n.Path), Location: e.Locations[n.Location].Name, Since: n.Since, Object: n.Object,
			Holder: e.jsonPlaceOrNull(n.HolderPath), HeldBy: e.locationOrNone(n.Holder),
		})
	}
	for i := range e.Metrics {
		m := &e.Metrics[i]
		if i >= len(e.Stats) || e.Stats[i].Count == 0 {
			continue
		}
		if s := &e.Stats[i]; s.Sampled {
			out.Experiment.Samples = append(out.Experiment.Samples, jsonSamples{m.Name, unitName(m), s.Count, s.Sum, s.Min, s.Q25,
				s.Median, s.Q75, s.Max, math.Round(1e6*s.mean()) / 1e6})
		} else {
			out.Experiment.Instances = append(out.Experiment.Instances, e.jsonStats(m.Name, &e.Stats[i]))
		}
	}
	for i := range e.Findings {
		out.Findings = append(out.Findings, e.jsonFinding(&e.Findings[i]))
	}
	if out.Ready = e.Ready(); out.Ready != nil {
		out.Ready.Text = readable.Loose(out.Ready.Text)
	}
	out.JSONCounters = e.JSONCounters()
	return readable.JSON(w, out)
}

// JSONCounters returns what was made of counters.
func (e *Experiment) JSONCounters() JSONCounters {
	return JSONCounters{e.jsonRatios(), e.jsonProperties(), e.Unlisted, e.Notes}
}

// unitName returns the unit of a metric as its maker calls it.
func unitName(m *metric.Metric) string {
	if m.UnitName != "" {
		return m.UnitName
	}
	return m.Unit.String()
}

// JSONMetrics returns the metrics in the JSON form: those of a report made of several have counters.
func (e *Experiment) JSONMetrics() any { return e.jsonMetrics() }

func (e *Experiment) jsonMetrics() []jsonMetric {
	list := []jsonMetric{}
	for i := range e.Metrics {
		m := &e.Metrics[i]
		list = append(list, jsonMetric{m.Name, m.Title, unitName(m), m.Parent, e.Total(i), e.onPath(i),
			m.Kind == metric.Counter, m.Margin(), "", nil, nil, m.Hierarchy, m.Kind == metric.Incomplete})
		if x := &list[i]; m.Margin() {
			x.Of = m.Bounds()
		} else if m.Kind == metric.Counter || m.Hierarchy != "" {
			_, low, high := e.bounds(i)
			x.AtLeast, x.AtMost = &low, &high
		}
	}
	return list
}

func (e *Experiment) jsonPlace(path uint32) jsonPlace {
	r := e.leaf(path)
	return jsonPlace{e.CallPath(path), r.File, r.Line}
}

func (e *Experiment) jsonPlaceOrNull(path int32) *jsonPlace {
	if path < 0 {
		return nil
	}
	place := e.jsonPlace(uint32(path))
	return &place
}

func (e *Experiment) locationOrNone(l int32) string {
	if l < 0 {
		return ""
	}
	return e.Locations[l].Name
}

func (e *Experiment) locationNames(locations []uint32) []string {
	names := []string{}
	for _, l := range locations {
		names = append(names, e.Locations[l].Name)
	}
	return names
}

func (e *Experiment) jsonFinding(f *Finding) jsonFinding {
	m := &e.Metrics[f.Metric]
	out := jsonFinding{
		Metric: m.Name, jsonPlace: e.jsonPlace(f.Path), Severity: f.Severity, Critical: f.Critical,
		Instances: f.Instances, Locations: e.locationNames(f.Locations), Causers: e.jsonCausers(f.Causers), Lines: []jsonLine{},
		Meanwhile: []jsonTime{}, Awaited: f.Awaited, Onward: []jsonOnward{}, InTurn: f.HeadOfLine, Convoy: f.Convoy, Served: f.Served, Advice: e.Advice(f), Busy: f.Busy, Certain: e.certain(f),
		Counted: e.jsonCounts(f.Counted),
	}
	if known := e.Problem(f); known != nil {
		out.Problem = known.Name
	}
	if o := &f.Object; *o != (Object{}) {
		out.Object = &jsonObject{o.Name, o.File, o.Line, o.Type, o.Count, o.Waited, o.Most}
	}
	for _, l := range f.AllLines() {
		out.Lines = append(out.Lines, jsonLine{e.Metrics[l.Metric].Name, e.jsonPlace(l.Path), l.Severity, l.Critical, l.Instances,
			e.locationNames(l.Locations), e.jsonCausers(l.Causers)})
	}
	for _, t := range f.Meanwhile {
		out.Meanwhile = append(out.Meanwhile, jsonTime{e.jsonPlace(t.Path), t.Time})
	}
	for _, o := range f.Onward {
		out.Onward = append(out.Onward, jsonOnward{jsonTime{e.jsonPlace(o.Path), o.Time}, e.Groups[o.Group].Name})
	}
	if e.Header.Focus > 0 {
		out.Share = math.Round(1e6*float64(f.Critical)/float64(e.Header.Focus)) / 1e6
	}
	return out
}

func (e *Experiment) jsonCausers(causers []Causer) []jsonCauser {
	list := []jsonCauser{}
	for _, c := range causers {
		causer := jsonCauser{jsonPlace: jsonPlace{CallPath: []string{}}, Severity: c.Severity, Locations: e.locationNames(c.Locations), Mattering: len(c.mattering())}
		if place := e.jsonPlaceOrNull(c.Path); place != nil {
			causer.jsonPlace = *place
		}
		list = append(list, causer)
	}
	return list
}

func (e *Experiment) jsonStats(metric string, s *Stats) jsonStats {
	out := jsonStats{metric, s.Count, s.Sum, s.Min, s.Q25, s.Median, s.Q75, s.Max, s.Mean, []jsonInstance{}}
	for _, w := range s.Worst {
		out.Worst = append(out.Worst, jsonInstance{e.jsonPlace(w.Path), e.Locations[w.Location].Name, w.Begin, w.End, w.Waited,
			e.locationOrNone(w.Causer), e.jsonPlaceOrNull(w.CauserPath)})
	}
	return out
}

func (e *Experiment) jsonRatios() (list []jsonRatio) {
	if len(e.Ratios) == 0 {
		return nil
	}
	sums := e.Sums()
	for i := range e.Ratios {
		r := &e.Ratios[i]
		out := jsonRatio{r.Name, r.Unit, r.Hierarchy, r.Formula, r.Low, r.High, r.Least, nil, nil, nil, []jsonRatioPath{}}
		if v, ok := sums.Ratio(r, -1); ok {
			out.Value, out.AtLeast, out.AtMost = &v.Value, &v.Low, &v.High
		}
		for path := range e.Paths {
			if v, ok := sums.Ratio(r, path); ok {
				out.CallPaths = append(out.CallPaths, jsonRatioPath{e.jsonPlace(uint32(path)), v.Value, v.Low, v.High})
			}
		}
		list = append(list, out)
	}
	return list
}

func (e *Experiment) jsonProperties() (list []jsonProperty) {
	words := e.Sentences()
	for i := range e.Properties {
		f := &e.Properties[i]
		list = append(list, jsonProperty{f.Property, f.Title, e.jsonPlace(f.Path), f.Part, f.Of, f.PartName, f.OfName, f.Shared,
			readable.Loose(words.Property(f)), f.Advice, f.Kinds})
	}
	return list
}
