package table

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"

	"tracerec/internal/readable"
	"tracerec/metric/spec"
	"tracerec/report/cube"
	"tracerec/report/query"
)

// StatOptions say what a table of metrics shows.
type StatOptions struct {
	Metrics     []*query.Metric // columns; rows are sorted by the first
	Self        bool            // without the metrics below
	CallPaths   bool            // rows are call paths in place of regions
	Inclusive   bool            // with what is called
	Region      *regexp.Regexp  // rows whose region it matches; nil all
	Top         int             // at most so many rows; 0 all
	Percent     bool            // of the whole program
	PerLocation bool            // a row for every location
	Spread      bool            // of one metric, how its values are spread over the locations
}

// stat is a table of metrics in the making.
type stat struct {
	m    *query.Model
	o    StatOptions
	t    *Table
	list []statRow

	locations []*query.Resource // if there is a row for each
	names     []string
}

// statRow is a region or call path.
type statRow struct {
	path   *cube.CallPath // nil: a region
	region *cube.Region
	values []cube.Value     // by metric
	in     []*spec.Interval // what they lie in, nil for certain ones
}

// most is the greatest number of values in a table.
const most = 1 << 24

// Stat makes a table of metrics: a row for each region or call path that has a value, the largest first. Without calls, values
// of regions add up to those of the program. It is an error if there are too many values, or no region matches.
func Stat(m *query.Model, o StatOptions) (*Table, error) {
	s := &stat{m: m, o: o, t: &Table{Labels: []string{"region", "file", "line"}, whole: true}}
	s.t.Title = sign(m)
	if o.CallPaths {
		s.t.Labels[0] = "callpath"
	}
	if s.locations = locations(m); o.PerLocation {
		s.t.Labels = append(s.t.Labels, "location")
		s.names = locationNames(m)
	}
	rows := len(m.Cube.Regions)
	if o.CallPaths {
		rows = len(m.Cube.Paths())
	}
	if err := s.fits(rows); err != nil {
		return nil, err
	}
	if o.Spread && (len(o.Metrics) != 1 || o.PerLocation) {
		return nil, errors.New("a spread is that of one metric, over the locations")
	}
	for _, q := range o.Metrics {
		s.t.Columns = append(s.t.Columns, column(m, s.what(q), o.Percent))
	}
	if o.Region != nil && !slices.ContainsFunc(m.Cube.Regions, func(r *cube.Region) bool { return o.Region.MatchString(r.Name) }) {
		return nil, fmt.Errorf("no region matches %q", o.Region)
	}
	s.rows()
	s.sort()
	if o.Spread {
		s.spreadColumns()
	}
	all := len(s.list)
	if o.Top > 0 && all > o.Top {
		s.list = s.list[:o.Top]
		s.t.more = all - o.Top
	}
	for i := range s.list {
		switch {
		case o.PerLocation:
			s.perLocation(&s.list[i])
		case o.Spread:
			s.spread(&s.list[i])
		default:
			s.add(&s.list[i], s.list[i].values, s.list[i].in, "")
		}
		if err := s.fits(len(s.t.Rows)); err != nil {
			return nil, err
		}
	}
	s.t.note()
	return s.t, nil
}

// fits says whether a table may have so many rows.
func (s *stat) fits(rows int) error {
	if n := len(s.o.Metrics); n > 0 && rows > most/n {
		return fmt.Errorf("a table of %d metrics and %d rows is too large; name metrics, or see expert dump", n, rows)
	}
	return nil
}

func (s *stat) what(q *query.Metric) query.What { return query.What{Metric: q, Self: s.o.Self} }

// rows collects the rows that have a value.
func (s *stat) rows() {
	if s.o.CallPaths {
		for _, p := range s.m.Cube.Paths() {
			s.list = append(s.list, statRow{path: p, region: p.Region})
		}
	} else {
		for _, r := range s.m.Cube.Regions {
			s.list = append(s.list, statRow{region: r})
		}
	}
	for i := range s.list {
		s.list[i].values, s.list[i].in = make([]cube.Value, len(s.o.Metrics)), make([]*spec.Interval, len(s.o.Metrics))
	}
	for k, q := range s.o.Metrics {
		if s.t.Columns[k].Error != "" {
			continue
		}
		by := s.m.ByRegion
		if s.o.CallPaths {
			by = s.m.ByPath
		}
		all, err := ask(s.m, s.what(q), func(w query.What) ([]cube.Value, error) {
			inclusive, exclusive, err := by(w, nil)
			if s.o.Inclusive {
				exclusive = inclusive
			}
			return exclusive, err
		})
		if err != nil {
			s.t.Columns[k].Error = err.Error()
			continue
		}
		for i := range s.list {
			s.list[i].values[k], s.list[i].in[k] = all.list[i], all.at(i)
		}
	}
	s.list = slices.DeleteFunc(s.list, func(r statRow) bool {
		return s.o.Region != nil && !s.o.Region.MatchString(r.region.Name) ||
			!slices.ContainsFunc(r.values, func(v cube.Value) bool { return !empty(v) }) &&
				!slices.ContainsFunc(r.in, func(in *spec.Interval) bool { return in != nil })
	})
}

// sort puts the largest values first, by the first metric that tells rows apart.
func (s *stat) sort() {
	slices.SortStableFunc(s.list, func(a, b statRow) int {
		for k := range a.values {
			if c := cmp.Compare(size(b.values[k], b.in[k]), size(a.values[k], a.in[k])); c != 0 {
				return c
			}
		}
		return 0
	})
}

// add adds a row.
func (s *stat) add(r *statRow, values []cube.Value, in []*spec.Interval, location string) {
	file, line := source(r.region)
	row := Row{Labels: []any{r.region.Name, file, line}}
	name := readable.Elide(readable.Clean(r.region.Name), 60)
	if r.path != nil {
		list := names(r.path)
		row.Labels[0] = list
		name = shortPath(list)
	}
	row.Shown = name
	if where := readable.Place(readable.Base(file), line); where != "" {
		row.Shown += "  " + where
	}
	if s.o.PerLocation {
		row.Labels = append(row.Labels, location)
		row.Shown += "  on " + readable.Clean(location)
	}
	for k := range values {
		row.Values = append(row.Values, s.t.Columns[k].value(values[k], in[k]))
	}
	s.t.Rows = append(s.t.Rows, row)
}

// shortPath writes a call path for people: a few of its ends.
func shortPath(list []string) string {
	names := slices.Clone(list)
	for i, name := range names {
		names[i] = readable.Elide(readable.Clean(name), 40)
	}
	return readable.PathEnd(names, 4)
}

// perLocation adds a row for every location on which there is a value.
func (s *stat) perLocation(r *statRow) {
	n := len(s.o.Metrics)
	rows, in := make([][]cube.Value, len(s.locations)), make([][]*spec.Interval, len(s.locations))
	for k := range s.o.Metrics {
		all := s.onLocations(r, k)
		for i, v := range all.list {
			bounds := all.at(i)
			if empty(v) && bounds == nil {
				continue
			}
			if rows[i] == nil {
				rows[i], in[i] = make([]cube.Value, n), make([]*spec.Interval, n)
			}
			rows[i][k], in[i][k] = v, bounds
		}
	}
	for i, values := range rows {
		if values != nil {
			s.add(r, values, in[i], s.names[i])
		}
	}
}

// onLocations returns the values of a row's metric by location; without any if there are none.
func (s *stat) onLocations(r *statRow, k int) values {
	if s.t.Columns[k].Error != "" {
		return values{}
	}
	all, err := ask(s.m, s.what(s.o.Metrics[k]), func(w query.What) (list []cube.Value, err error) {
		var of []cube.Value
		if r.path != nil {
			of, err = s.m.ByResource(w, r.path, s.o.Inclusive)
		} else {
			of, err = s.m.RegionByResource(w, r.region, s.o.Inclusive)
		}
		return byLocation(of, s.locations), err
	})
	if err != nil {
		s.t.Columns[k].Error = err.Error()
		return values{}
	}
	return all
}

// byLocation picks the values of locations from those of all parts of the system.
func byLocation(of []cube.Value, locations []*query.Resource) []cube.Value {
	if of == nil {
		return nil
	}
	list := make([]cube.Value, len(locations))
	for i, l := range locations {
		list[i] = of[l.Index]
	}
	return list
}
