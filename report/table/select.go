package table

import (
	"cmp"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"

	"tracerec/internal/typo"
	"tracerec/metric"
	"tracerec/report/cube"
	"tracerec/report/query"
)

// Metrics returns the metrics that a list names, separated by commas, in the order of the list. Each is a unique name or a
// pattern such as "delay_*", which stands for visible metrics. An empty list is all visible metrics.
func Metrics(m *query.Model, list string) ([]*query.Metric, error) {
	if strings.TrimSpace(list) == "" {
		return m.Metrics, nil
	}
	var found []*query.Metric
	add := func(q *query.Metric) {
		if !slices.Contains(found, q) {
			found = append(found, q)
		}
	}
	for _, name := range strings.Split(list, ",") {
		name = strings.TrimSpace(name)
		if q := m.Metric(name); q != nil {
			add(q)
			continue
		}
		matched := false
		for _, q := range m.Metrics {
			ok, err := path.Match(oneWord(name), oneWord(q.Name))
			if err != nil {
				return nil, fmt.Errorf("metric %q: %w", name, err)
			}
			if ok {
				add(q)
				matched = true
			}
		}
		if !matched {
			return nil, fmt.Errorf("no metric %q in the report%s", name, like(m, name))
		}
	}
	return found, nil
}

// oneWord makes a name without slashes, at which a * would end.
func oneWord(name string) string { return strings.ReplaceAll(name, "/", "\x00") }

// like names metrics that somebody may have meant.
func like(m *query.Model, name string) string {
	var near []string
	for _, q := range m.Metrics {
		if name != "" && (strings.Contains(q.Name, name) || strings.EqualFold(q.Title, name) || typo.Near(name, q.Name)) && len(near) < 5 {
			near = append(near, q.Name)
		}
	}
	if len(near) == 0 {
		return ""
	}
	return "; it has " + strings.Join(near, ", ")
}

// Time returns the metric that time is spent in, or else the first one; nil if there is none.
func Time(m *query.Model) *query.Metric {
	for _, q := range m.Metrics {
		if q.Name == metric.Time && q.Err == nil {
			return q
		}
	}
	for _, q := range m.Metrics {
		if q.Err == nil {
			return q
		}
	}
	if len(m.Metrics) > 0 {
		return m.Metrics[0]
	}
	return nil
}

// parts is how many of the largest parts of time are shown unless metrics are named, and least the part of time that
// one must have.
const (
	parts = 5
	least = 1e-6
)

// MainMetrics returns the metrics that say most, if nobody asks for others: time, those parts of it that have most of it to
// themselves, and visits. In reports that do not divide time, other metrics of the same unit take the place of parts.
func MainMetrics(m *query.Model) []*query.Metric {
	time := Time(m)
	if time == nil {
		return nil
	}
	whole, err := m.Total(query.What{Metric: time})
	if err != nil {
		return []*query.Metric{time}
	}
	own := map[*query.Metric]float64{}
	var found []*query.Metric
	for _, q := range m.Metrics {
		if q == time || q.Unit != time.Unit || len(time.Children) > 0 && !below(q, time) {
			continue
		}
		v, err := m.Total(query.What{Metric: q, Self: true})
		if own[q] = math.Abs(v.Float64()); err == nil && own[q] > least*math.Abs(whole.Float64()) {
			found = append(found, q)
		}
	}
	slices.SortStableFunc(found, func(a, b *query.Metric) int { return cmp.Compare(own[b], own[a]) })
	list := append([]*query.Metric{time}, found[:min(parts, len(found))]...)
	if visits := m.Metric(metric.Visits); visits != nil && visits != time {
		list = append(list, visits)
	}
	return list
}

// below says whether q lies below another metric in the tree.
func below(q, other *query.Metric) bool {
	for q = q.Parent; q != nil && q != other; q = q.Parent {
	}
	return q != nil
}

// names returns the names of the regions of a call path, from the root.
func names(p *cube.CallPath) (list []string) {
	for ; p != nil; p = p.Parent {
		list = append(list, p.Region.Name)
	}
	slices.Reverse(list)
	return list
}

// source returns where a call path's region stands.
func source(r *cube.Region) (file string, line int) { return r.Module, max(r.Begin, 0) }

// locations returns the locations by column.
func locations(m *query.Model) []*query.Resource {
	list := make([]*query.Resource, len(m.Cube.Locations()))
	for _, r := range m.Resources {
		if r.Location != nil {
			list[r.Location.Column()] = r
		}
	}
	return list
}

// locationNames names the locations by column: by their own names if these are different, else with those of what they
// are in, as much as it takes.
func locationNames(m *query.Model) []string {
	list := locations(m)
	made := make([]string, len(list))
	for depth := range 4 {
		seen, same := make(map[string]bool, len(list)), false
		for i, r := range list {
			made[i] = r.Name
			for up, n := r.Parent, 0; up != nil && n < depth; up, n = up.Parent, n+1 {
				made[i] = up.Name + "/" + made[i]
			}
			same = same || seen[made[i]]
			seen[made[i]] = true
		}
		if !same {
			return made
		}
	}
	for i, r := range list {
		made[i] += fmt.Sprintf("#%d", r.Location.ID)
	}
	return made
}
