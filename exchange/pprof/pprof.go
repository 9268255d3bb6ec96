// Package pprof writes reports as profiles for pprof (`go tool pprof`): each metric whose values can be added is a sample type,
// each call path on each location is a sample. In the stack of a sample, the innermost region has the line where it begins, and
// the others have the line of the call. The parts of the system to which a location belongs are the labels of its samples.
//
// A value is that of the metric with all metrics below it, so "flat" and "cum" in pprof are what expert stat shows without
// and with --inclusive. Profiles hold whole numbers: times in seconds become nanoseconds, and other fractions are rounded.
package pprof

import (
	"compress/gzip"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"tracerec/internal/protobuf"
	"tracerec/report/cube"
	"tracerec/report/query"
)

// Field numbers of the format, by message.
const (
	profileType, profileSample, profileMapping, profileLocation, profileFunction, profileString = 1, 2, 3, 4, 5, 6 // Profile
	profileTime, profileDuration, profileComment, profileDefault                                = 9, 10, 13, 14

	typeName, typeUnit = 1, 2 // ValueType

	sampleLocation, sampleValue, sampleLabel = 1, 2, 3 // Sample
	labelKey, labelText                      = 1, 2    // Label

	mappingID, mappingFile, mappingFunctions, mappingFiles, mappingLines = 1, 5, 7, 8, 9 // Mapping

	locationID, locationMapping, locationLine = 1, 2, 4 // Location
	lineFunction, lineNumber                  = 1, 2    // Line

	functionID, functionName, functionSystem, functionFile, functionLine = 1, 2, 3, 4, 5 // Function
)

// maxTypes is the greatest number of sample types. Every sample has a value for each.
const maxTypes = 1000

// Options are what a profile says beside the values.
type Options struct {
	Metrics  []*query.Metric // those that cannot be added are left out
	Program  string          // name of the program
	Start    int64           // of the measurement, ns since 1970; 0 unknown
	Duration int64           // of the measurement, ns; 0 unknown
}

// profile is a profile in the making.
type profile struct {
	m       *query.Model
	out     *gzip.Writer
	types   []sampleType
	strings map[string]uint64
	list    []string // strings by number
	frames  map[frame]uint64
	labels  [][]byte // by column: the labels of its samples, encoded
	buf     []byte
	inner   []byte
	err     error
}

// sampleType is a metric.
type sampleType struct {
	metric  *query.Metric
	scale   float64
	unit    string
	rounded bool // values had fractions
	clipped bool // values were too large
}

// frame is a place in a stack.
type frame struct {
	region *cube.Region
	line   int
}

// Write writes a profile, compressed with gzip. It returns what was left out or changed, and why. The same report gives the same
// bytes. It is an error if no metric can be written.
func Write(w io.Writer, m *query.Model, o Options) (notes []string, err error) {
	p := &profile{m: m, strings: map[string]uint64{"": 0}, list: []string{""}, frames: map[frame]uint64{}}
	for _, q := range o.Metrics {
		switch {
		case q.Err != nil:
			notes = append(notes, fmt.Sprintf("%s is left out: it cannot be evaluated: %v", q.Name, q.Err))
		case !q.Additive:
			notes = append(notes, q.Name+" is left out: its values cannot be added")
		default:
			p.types = append(p.types, typeOf(q))
			notes = p.withMargins(q, o.Metrics, notes)
		}
	}
	switch n := len(p.types); {
	case n == 0:
		return notes, fmt.Errorf("no metric whose values can be added")
	case n > maxTypes:
		return notes, fmt.Errorf("%d metrics; a profile may have %d, so choose some", n, maxTypes)
	}
	p.out = gzip.NewWriter(w)
	p.head(o)
	if err := p.samples(); err != nil {
		return notes, err
	}
	for _, s := range p.list {
		p.buf = protobuf.String(p.buf[:0], profileString, s)
		p.put()
	}
	for _, t := range p.types {
		if t.rounded {
			notes = append(notes, t.metric.Name+" has fractions, which were rounded")
		}
		if t.clipped {
			notes = append(notes, t.metric.Name+" has values too large for a profile, which were limited")
		}
	}
	if err := p.out.Close(); p.err == nil {
		p.err = err
	}
	return notes, p.err
}

// withMargins adds sample types for what of a metric is not certain, if they are not asked for anyway: a profile has no intervals, and a value
// of which nothing is certain must not look like 0.
func (p *profile) withMargins(q *query.Metric, asked []*query.Metric, notes []string) []string {
	for _, margin := range q.Margins() {
		v, err := p.m.Total(query.What{Metric: margin})
		if err != nil || v.Zero() {
			continue
		}
		if !slices.Contains(asked, margin) {
			p.types = append(p.types, typeOf(margin))
		}
		notes = append(notes, fmt.Sprintf("%s has what is certain; what it may be besides is in %s", q.Name, margin.Name))
	}
	return notes
}

// typeOf says how a metric's values are written.
func typeOf(q *query.Metric) sampleType {
	t := sampleType{metric: q, scale: 1, unit: q.Unit}
	if seconds := query.SecondsPer(q.Unit); seconds > 0 {
		t.unit, t.scale = "nanoseconds", 1e9*seconds
	}
	switch q.Unit {
	case "", "1", "occ", "#", "events":
		t.unit = "count"
	}
	return t
}

// whole returns a value as a profile has it.
func (t *sampleType) whole(v cube.Value) int64 {
	if n := v.Int64(); t.scale == 1 && float64(n) == v.Float64() && (n < math.MaxInt64 || v == cube.Int(n)) {
		return n
	}
	f := v.Float64() * t.scale
	r := math.Round(f)
	switch {
	case math.IsNaN(f):
		return 0
	case r != f && t.unit != "nanoseconds":
		t.rounded = true
	case math.Abs(r) >= math.MaxInt64:
		t.clipped = true
		if r < 0 {
			return math.MinInt64
		}
		return math.MaxInt64
	}
	return int64(r)
}

// put writes p.buf.
func (p *profile) put() {
	if p.err == nil {
		_, p.err = p.out.Write(p.buf)
	}
}

// message writes a message of the profile.
func (p *profile) message(field int, m []byte) {
	p.inner = m
	p.buf = protobuf.Bytes(p.buf[:0], field, m)
	p.put()
}

// text returns the number of a string.
func (p *profile) text(s string) uint64 {
	id, known := p.strings[s]
	if !known {
		id = uint64(len(p.list))
		p.strings[s] = id
		p.list = append(p.list, s)
	}
	return id
}

// head writes everything but samples and strings.
func (p *profile) head(o Options) {
	for _, t := range p.types {
		p.message(profileType, protobuf.Uint(protobuf.Uint(p.inner[:0], typeName, p.text(t.metric.Name)), typeUnit, p.text(t.unit)))
	}
	p.comment()
	b := protobuf.Uint(p.buf[:0], profileDefault, p.text(p.types[0].metric.Name))
	if o.Start > 0 {
		b = protobuf.Int(b, profileTime, o.Start)
	}
	if o.Duration > 0 {
		b = protobuf.Int(b, profileDuration, o.Duration)
	}
	p.buf = b
	p.put()
	m := protobuf.Uint(p.inner[:0], mappingID, 1)
	m = protobuf.Uint(m, mappingFile, p.text(o.Program))
	for _, has := range []int{mappingFunctions, mappingFiles, mappingLines} {
		m = protobuf.Uint(m, has, 1) // nobody need look for them
	}
	p.message(profileMapping, m)
	p.functions()
	p.system()
}

// comment says which units were converted.
func (p *profile) comment() {
	var units []string
	for _, t := range p.types {
		if t.scale != 1 && !slices.Contains(units, t.metric.Unit) {
			units = append(units, t.metric.Unit)
		}
	}
	if len(units) > 0 {
		p.buf = protobuf.Uint(p.buf[:0], profileComment, p.text("Times in "+strings.Join(units, ", ")+" are nanoseconds here."))
		p.put()
	}
}

// functions writes regions as functions, and all places in stacks as locations.
func (p *profile) functions() {
	number := map[*cube.Region]uint64{}
	for i, r := range p.m.Cube.Regions {
		number[r] = uint64(i + 1)
		m := protobuf.Uint(p.inner[:0], functionID, uint64(i+1))
		m = protobuf.Uint(m, functionName, p.text(r.Name))
		if r.Mangled != r.Name { // equal ones make pprof shorten what looks like C++
			m = protobuf.Uint(m, functionSystem, p.text(r.Mangled))
		}
		m = protobuf.Uint(m, functionFile, p.text(r.Module))
		p.message(profileFunction, protobuf.Int(m, functionLine, int64(max(r.Begin, 0))))
	}
	for _, c := range p.m.Cube.Paths() {
		for _, f := range [...]frame{leaf(c), caller(c)} {
			if f.region == nil || p.frames[f] != 0 {
				continue
			}
			id := uint64(len(p.frames) + 1)
			p.frames[f] = id
			line := protobuf.Uint(nil, lineFunction, number[f.region])
			line = protobuf.Int(line, lineNumber, int64(f.line))
			m := protobuf.Uint(p.inner[:0], locationID, id)
			m = protobuf.Uint(m, locationMapping, 1)
			p.message(profileLocation, protobuf.Bytes(m, locationLine, line))
		}
	}
}

// leaf is the innermost place of a call path.
func leaf(c *cube.CallPath) frame { return frame{c.Region, max(c.Region.Begin, 0)} }

// caller is where a call path is called from; without region if it is a root.
func caller(c *cube.CallPath) frame {
	switch {
	case c.Parent == nil:
		return frame{}
	case c.Line > 0:
		return frame{c.Parent.Region, c.Line}
	}
	return leaf(c.Parent)
}

// system makes the labels of all locations.
func (p *profile) system() {
	p.labels = make([][]byte, len(p.m.Cube.Locations()))
	for _, r := range p.m.Resources {
		if r.Location == nil {
			continue
		}
		column := r.Location.Column()
		seen := []string{}
		for at, key := r, "location"; at != nil; at = at.Parent {
			if at != r {
				key = at.Class
			}
			if key != "" && !slices.Contains(seen, key) {
				seen = append(seen, key)
				label := protobuf.Uint(protobuf.Uint(nil, labelKey, p.text(key)), labelText, p.text(at.Name))
				p.labels[column] = protobuf.Bytes(p.labels[column], sampleLabel, label)
			}
		}
	}
}

// value is a value of the call path in progress.
type value struct {
	column, kind int // location and sample type
	v            int64
}

// samples writes a sample for every call path and location with values.
func (p *profile) samples() error {
	var values []value
	var stack, numbers []byte
	for _, c := range p.m.Cube.Paths() {
		values = values[:0]
		for kind := range p.types {
			var err error
			if values, err = p.values(values, kind, c); err != nil {
				return err
			}
		}
		slices.SortStableFunc(values, func(a, b value) int { return a.column - b.column })
		stack = p.stack(stack[:0], c)
		for rest := values; len(rest) > 0; {
			column, kind := rest[0].column, 0
			numbers = numbers[:0]
			for len(rest) > 0 && rest[0].column == column {
				for ; kind < rest[0].kind; kind++ {
					numbers = append(numbers, 0)
				}
				numbers = protobuf.AppendVarint(numbers, uint64(rest[0].v))
				kind++
				rest = rest[1:]
			}
			for ; kind < len(p.types); kind++ {
				numbers = append(numbers, 0)
			}
			m := protobuf.Bytes(p.inner[:0], sampleLocation, stack)
			m = protobuf.Bytes(m, sampleValue, numbers)
			p.message(profileSample, append(m, p.labels[column]...))
		}
	}
	return p.err
}

// values appends a metric's values at a call path, without calls, that are not zero.
func (p *profile) values(list []value, kind int, c *cube.CallPath) ([]value, error) {
	t := &p.types[kind]
	all, err := p.m.ByLocation(query.What{Metric: t.metric}, c, false)
	if err != nil {
		return list, fmt.Errorf("%s: %w", t.metric.Name, err)
	}
	for column, v := range all {
		if n := t.whole(v); n != 0 {
			list = append(list, value{column, kind, n})
		}
	}
	return list, nil
}

// stack appends the places of a call path, the innermost first.
func (p *profile) stack(b []byte, c *cube.CallPath) []byte {
	b = protobuf.AppendVarint(b, p.frames[leaf(c)])
	for ; c.Parent != nil; c = c.Parent {
		b = protobuf.AppendVarint(b, p.frames[caller(c)])
	}
	return b
}
