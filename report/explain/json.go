package explain

import (
	"fmt"
	"io"
	"math"
	"strings"

	"tracerec/internal/readable"
	"tracerec/report"
	"tracerec/report/cube"
	"tracerec/report/query"
)

// The JSON form of an explanation: that of an experiment, as far as it is known. What is not is null; lists never are.
type (
	jsonExplanation struct {
		Verdict    report.Verdict `json:"verdict"`
		Experiment jsonHeader     `json:"experiment"`
		Metrics    any            `json:"metrics"` // []jsonMetric, or those of a merged experiment
		Findings   []jsonFinding  `json:"findings"`
		Warnings   []string       `json:"warnings"`
		report.JSONCounters
	}
	jsonHeader struct {
		Program   string   `json:"program"` // "" unknown
		Args      []string `json:"args"`
		Time      *int64   `json:"time_ns"` // of all locations together
		Locations int      `json:"locations"`
		Lead      []string `json:"lead"` // sentences behind the verdict
	}
	jsonMetric struct {
		Name   string `json:"name"`
		Title  string `json:"title"`
		Unit   string `json:"unit"` // times are in ns, whatever the report has
		Parent string `json:"parent"`
		Total  any    `json:"total"` // inclusive along the metric tree; an integer if it is a time
	}
	jsonPlace struct {
		CallPath []string `json:"callpath"`
		File     string   `json:"file"`
		Line     int      `json:"line"`
	}
	jsonFinding struct {
		Metric string `json:"metric"`
		jsonPlace
		Severity  *int64     `json:"severity_ns"`
		Critical  *int64     `json:"critical_ns"` // not known
		Share     *float64   `json:"share"`       // of the critical path, not known
		TimeShare float64    `json:"time_share"`  // severity_ns as a fraction of time_ns
		Noise     *int64     `json:"noise_ns"`    // half width of the band of 95 % around severity_ns
		Instances *uint64    `json:"instances"`   // not known
		Locations []string   `json:"locations"`   // largest severity first
		Causers   []struct{} `json:"causers"`     // not known
		Certain   bool       `json:"certain"`
		Lines     []jsonLine `json:"lines"`
		Meanwhile []struct{} `json:"meanwhile"` // not known
		Text      string     `json:"text"`
		Advice    string     `json:"advice"`
	}
	jsonLine struct {
		Metric string `json:"metric"`
		jsonPlace
		Severity *int64 `json:"severity_ns"`
	}
)

// JSON writes the explanation for programs. merged is what a report made of several says of counters, nil without.
func (x *Explanation) JSON(w io.Writer, merged *report.Experiment) error {
	metrics, failed := x.jsonMetrics()
	out := jsonExplanation{Verdict: x.Verdict, Metrics: metrics, Findings: []jsonFinding{}, Warnings: append(append([]string{}, x.Warnings...), failed...),
		Experiment: jsonHeader{Program: x.attr("program"), Args: append([]string{}, strings.Fields(x.attr("args"))...), Lead: []string{},
			Locations: len(x.model.Cube.Locations())}}
	if x.time > 0 {
		out.Experiment.Time = integer(x.time)
	}
	out.Verdict.Text = readable.Loose(x.Verdict.Text)
	for _, sentence := range x.Lead {
		out.Experiment.Lead = append(out.Experiment.Lead, readable.Loose(sentence))
	}
	for i := range x.Findings {
		out.Findings = append(out.Findings, jsonFindingOf(&x.Findings[i]))
	}
	if merged != nil {
		out.Metrics, out.JSONCounters = merged.JSONMetrics(), merged.JSONCounters()
	}
	return readable.JSON(w, out)
}

func jsonFindingOf(f *Finding) jsonFinding {
	r := f.Path.Region
	out := jsonFinding{Metric: f.Metric.Name, jsonPlace: jsonPlace{callPath(f.Path), r.Module, max(0, r.Begin)}, Severity: nanoseconds(f.Severity.Float64(), f.Metric),
		TimeShare: math.Round(1e6*f.Share) / 1e6, Noise: nanoseconds(f.Noise, f.Metric), Locations: []string{}, Causers: []struct{}{},
		Meanwhile: []struct{}{}, Text: readable.Loose(f.Text), Advice: f.Advice}
	out.Lines = []jsonLine{{out.Metric, out.jsonPlace, out.Severity}}
	for _, w := range f.Waiters {
		out.Locations = append(out.Locations, w.Name)
	}
	return out
}

// jsonMetrics returns the metrics, and a warning for each that has no value because it cannot be evaluated.
func (x *Explanation) jsonMetrics() (list []jsonMetric, failed []string) {
	list = []jsonMetric{}
	for _, q := range x.model.Metrics {
		out := jsonMetric{Name: q.Name, Title: q.Title, Unit: q.Unit}
		if q.Parent != nil {
			out.Parent = q.Parent.Name
		}
		v, err := x.model.Total(query.What{Metric: q})
		if err != nil {
			failed = append(failed, fmt.Sprintf("%s cannot be evaluated: %v", q.Name, err))
		}
		switch timed := query.SecondsPer(q.Unit) > 0; {
		case timed:
			if out.Unit = "ns"; err == nil {
				out.Total = nanoseconds(v.Float64(), q)
			}
		case err == nil && finite(v):
			out.Total = v.Float64()
			if v.Integer() {
				out.Total = v.Int64()
			}
		}
		list = append(list, out)
	}
	return list, failed
}

func finite(v cube.Value) bool { return !math.IsNaN(v.Float64()) && !math.IsInf(v.Float64(), 0) }

// nanoseconds returns a value of a metric of time, nil if it is none that an integer can hold.
func nanoseconds(v float64, q *query.Metric) *int64 {
	return integer(v * query.SecondsPer(q.Unit) * 1e9)
}

func integer(v float64) *int64 {
	if !(math.Abs(v) < 1<<63) {
		return nil
	}
	i := int64(math.Round(v))
	return &i
}
