package table

import (
	"io"
	"math"
	"strings"

	"tracerec/internal/readable"
	"tracerec/report/query"
)

// MetricLine is what there is to say about a metric of a report.
type MetricLine struct {
	Name   string   `json:"name"`
	Parent string   `json:"parent"` // name of the metric above, "" at the top
	Title  string   `json:"title"`
	Unit   string   `json:"unit"`
	Kind   string   `json:"kind"`  // as CUBE names it: EXCLUSIVE, INCLUSIVE, POSTDERIVED, …
	Total  *float64 `json:"total"` // of the whole program, in the unit; null where there is none
	Error  string   `json:"error"` // why there is none

	text  string
	depth int
}

// MetricList is the visible metrics of a report, parents before children.
type MetricList []MetricLine

// ListMetrics describes the visible metrics of a report.
func ListMetrics(m *query.Model) MetricList {
	list := MetricList{}
	for _, q := range m.Metrics {
		x := MetricLine{Name: q.Name, Title: q.Title, Unit: q.Unit, Kind: q.Kind.String(), text: "?"}
		for p := q.Parent; p != nil; p = p.Parent {
			if x.depth++; x.Parent == "" {
				x.Parent = p.Name
			}
		}
		v, err := m.Total(query.What{Metric: q})
		switch total := v.Float64(); {
		case err != nil:
			x.Error = err.Error()
		case math.IsNaN(total) || math.IsInf(total, 0):
			x.text = "–"
		default:
			x.Total, x.text = &total, readable.Quantity(total, q.Unit)
		}
		list = append(list, x)
	}
	return list
}

// Write writes the list as text or JSON.
func (list MetricList) Write(w io.Writer, f Format) error {
	if f == JSON {
		return readable.JSON(w, map[string]any{"metrics": list})
	}
	var rows [][]string
	for _, x := range list {
		rows = append(rows, []string{strings.Repeat("  ", x.depth) + readable.Clean(x.Name), readable.Clean(x.Title), x.text,
			strings.ToLower(strings.ReplaceAll(x.Kind, "_", " "))})
	}
	return readable.Table(w, rows, "lll-")
}
