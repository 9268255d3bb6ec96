package limit

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"tracerec/internal/readable"
	"tracerec/internal/typo"
	"tracerec/report"
	"tracerec/report/cube"
	"tracerec/report/query"
)

// ofRequests matches a limit of requests: QUANTITY(NAME)[=BOUND]. Names of requests may contain any characters.
var ofRequests = regexp.MustCompile(`^\s*((` + strings.Join(report.RequestQuantities, "|") + `)\((.*)\))\s*(?:=(.*))?$`)

// everything is the name of all requests together in a limit.
const everything = "*"

// parseRequests reads a limit of requests; is says whether the text is one.
func parseRequests(text string) (l Limit, is bool, err error) {
	m := ofRequests.FindStringSubmatch(text)
	if m == nil {
		return l, false, nil
	}
	l = Limit{Metric: m[1], Bound: Bound{Kind: same}}
	if m[4] != "" {
		l.Bound, err = parseBound(m[4])
	}
	return l, true, err
}

// requests returns the requests that a metric of a limit is of, and the name of the quantity; nil if it is not of requests.
func (r *Report) requests(metric string) (q *report.Requests, quantity string, err error) {
	m := ofRequests.FindStringSubmatch(metric)
	if m == nil {
		return nil, "", nil
	}
	if len(r.Requests) == 0 {
		return nil, "", fmt.Errorf("%s has no requests; expert requests says what is one", r.Name)
	}
	quantity = m[2]
	if m[3] == everything {
		if q = &r.Requests[0]; q.Count == 0 && quantity != "count" {
			return nil, "", fmt.Errorf("%s has only requests that its begin or end cut off", r.Name)
		}
		return q, quantity, nil
	}
	most := int64(-1)
	for i := range r.Requests[1:] { // several have one name if they are of several kinds: the limit is for each
		if x := &r.Requests[i+1]; x.Name == m[3] && x.Count > 0 {
			if v, _ := x.Quantity(quantity); v.Value > most {
				q, most = x, v.Value
			}
		}
	}
	if q == nil {
		return nil, "", r.noRequests(m[3])
	}
	return q, quantity, nil
}

// noRequests says that there are no requests of a name, and which there are that may be meant.
func (r *Report) noRequests(name string) error {
	var names, like []string
	for _, q := range r.Requests[1:] {
		names = append(names, fmt.Sprintf("%q", q.Name))
		if typo.Near(name, q.Name) || strings.Contains(q.Name, name) {
			like = append(like, fmt.Sprintf("%q", q.Name))
		}
	}
	if len(like) == 0 {
		like = names
	}
	like = slices.Compact(like[:min(5, len(like))])
	return fmt.Errorf("%s has no requests %q, but %s", r.Name, name, strings.Join(append(like, everything), ", "))
}

// measureRequests evaluates a quantity of requests.
func (r *Report) measureRequests(metric string) (*measured, error) {
	q, quantity, err := r.requests(metric)
	if q == nil || err != nil {
		return nil, err
	}
	unit := "ns"
	if quantity == "count" {
		unit = "occ"
	}
	value, _ := q.Quantity(quantity)
	m := &query.Metric{Metric: &cube.Metric{Name: metric, Unit: unit}}
	return &measured{model: r.Model, metric: m, whole: true, paths: r.Model.Cube.Roots, value: float64(value.Value), of: q, chance: &value}, nil
}

// slow is where the slow requests spend most that others do not.
func (at *measured) slow() *Spot {
	f, is := at.of.Finding()
	if !is || at.metric.Unit != "ns" {
		return nil
	}
	return &Spot{Path: f.CallPath, File: f.File, Line: f.Line, Value: float64(f.LatencyPart.Mean), Slow: readable.Loose(f.Text)}
}
