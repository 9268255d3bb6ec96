package table

import (
	"cmp"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"tracerec/internal/readable"
	"tracerec/metric"
	"tracerec/metric/spec"
	"tracerec/report/cube"
	"tracerec/report/query"
)

// HPMOptions say what an HPM report shows.
type HPMOptions struct {
	Region *regexp.Regexp // sections whose region it matches; nil all
	Top    int            // at most so many sections; 0 all
}

// HPM is the report of libHPM (Mindlin et al., "Obtaining Hardware Performance Metrics for the BlueGene/L Supercomputer", figure
// 2): for each instrumented section, a region of the program with all that it calls, its counters in user and kernel mode.
type HPM struct {
	Title    string
	Sections []Section
	Notes    []string // what is missing, and why

	more int
}

// Section is an instrumented section.
type Section struct {
	Label  string
	File   string
	Line   int // -1 unknown
	Visits int64
	Time   Value // of all goroutines in it, s
	Counts []Count
	Ratios []RatioOf
}

// Count is a counter of a section, in the modes in which it was counted.
type Count struct {
	Name, Title  string
	User, Kernel Value
}

// RatioOf is what libHPM derives from the counters of user mode.
type RatioOf struct {
	Title, Unit string
	In          spec.Interval // what it lies in
}

// titles are the counters of figure 2, in its order and words.
var titles = [][2]string{
	{"BGL_INST", "Instructions completed"}, {"BGL_LOAD", "Loads completed"}, {"BGL_STORE", "Stores completed"},
	{"BGL_D1_HIT", "L1 data hits (l/s)"}, {"BGL_D1_L_MISS", "L1 data load misses"}, {"BGL_D1_S_MISS", "L1 data store misses"},
	{"BGL_I1_MISS", "L1 instruction misses"}, {"BGL_D2_MISS", "L2 data load misses"}, {"BGL_DTLB_MISS", "Data TLB misses"},
	{"BGL_ITLB_MISS", "Instruction TLB misses"}, {"BGL_FP_LOAD", "Floating point loads"}, {"BGL_FP_STORE", "Floating point stores"},
	{"BGL_FP_DIV", "Floating point divides"}, {"BGL_FMA", "Floating point multiply-add"}, {"BGL_FLOPS", "Floating point operations"},
}

// mode is a counter in one mode: a metric and its values by region.
type mode struct {
	metric *query.Metric
	values
}

// value is the value in a region, missing if nothing of it is certain.
func (m *mode) value(region int) Value {
	v, in := m.list[region], m.at(region)
	return Value{v, in == nil || !v.Zero(), in}
}

// in returns what a value lies in.
func (v Value) in() spec.Interval {
	if v.In != nil {
		return *v.In
	}
	return spec.Point(v.Float64())
}

// counter is a counter in user mode, or in all that was counted, and in kernel mode.
type counter struct {
	name, title  string
	user, kernel *mode
}

// NewHPM makes the report. It is an error if the report has no counters, or no region matches.
func NewHPM(m *query.Model, o HPMOptions) (*HPM, error) {
	h := &HPM{Title: cube.ValueOf(m.Cube.Attrs, "program")}
	counters := h.counters(m)
	if len(counters) == 0 {
		return nil, fmt.Errorf("no counters in this report; record some with tracerec -c, or all with tracerec sim")
	}
	time, visits := byRegion(m, metric.Time), m.Metric(metric.Visits)
	var count []cube.Value // without those of what is called
	if visits != nil {
		var err error
		if _, count, err = m.ByRegion(query.What{Metric: visits}, nil); err != nil {
			return nil, err
		}
	}
	seen, matched := map[*cube.Region]bool{}, false
	for _, p := range m.Cube.Paths() {
		r := p.Region
		if seen[r] || r.Paradigm != "user" || r.Begin < 0 {
			continue
		}
		seen[r] = true
		if o.Region != nil && !o.Region.MatchString(r.Name) {
			continue
		}
		matched = true
		if o.Top > 0 && len(h.Sections) == o.Top {
			h.more++
			continue
		}
		i := slices.Index(m.Cube.Regions, r)
		s := Section{Label: r.Name, File: r.Module, Line: r.Begin}
		if count != nil {
			s.Visits = count[i].Int64()
		}
		if time != nil && time.metric.Unit == "ns" {
			s.Time = Value{Value: cube.Float(time.list[i].Float64() / 1e9), Known: true}
		}
		s.count(counters, i)
		h.Sections = append(h.Sections, s)
	}
	if !matched && o.Region != nil {
		return nil, fmt.Errorf("no region matches %q", o.Region)
	}
	return h, nil
}

// byRegion returns a metric's inclusive values, nil if there is none of that name.
func byRegion(m *query.Model, name string) *mode {
	q := m.Metric(name)
	if q == nil || q.Err != nil {
		return nil
	}
	all, err := ask(m, query.What{Metric: q}, func(w query.What) ([]cube.Value, error) {
		inclusive, _, err := m.ByRegion(w, nil)
		return inclusive, err
	})
	if err != nil {
		return nil
	}
	return &mode{q, all}
}

// Cycles on the simulator, and the kernel's part of them.
const allCycles, kernelCycles = "PAPI_TOT_CYC", "SIM_KERNEL_CYC"

// divide takes the kernel's part, if it was counted as well, out of counters that were counted in both modes together.
func divide(byName map[string]*counter, both map[*counter]bool) {
	if c, k := byName[allCycles], byName[kernelCycles]; c != nil && k != nil && k.kernel == nil {
		k.user, k.kernel = nil, k.user
		if both[c] && c.kernel == nil {
			c.kernel = k.kernel
		}
	}
	for c, is := range both {
		if !is || c.kernel == nil || c.user == nil {
			continue
		}
		c.user = c.user.without(c.kernel)
	}
}

// without returns what a mode has more than another one, which is part of it.
func (m *mode) without(part *mode) *mode {
	rest := &mode{m.metric, values{list: make([]cube.Value, len(m.list)), in: make([]spec.Interval, len(m.list))}}
	for i, v := range m.list {
		rest.list[i] = v.Sub(part.list[i])
		all, of := m.value(i).in(), part.value(i).in()
		rest.in[i] = spec.Interval{Low: all.Low - of.High, High: all.High - of.Low}
	}
	return rest
}

// counters collects the counters as they were measured: those of figure 2 in its order, then the others in the report's.
func (h *HPM) counters(m *query.Model) (list []*counter) {
	byName, both := map[string]*counter{}, map[*counter]bool{}
	for _, q := range m.Metrics {
		if query.KindOf(q.Metric) != metric.Counter {
			continue
		}
		values := byRegion(m, q.Name)
		if values == nil {
			h.Notes = append(h.Notes, q.Name+" cannot be evaluated")
			continue
		}
		name, kernel := strings.CutSuffix(q.Name, ":k")
		name, user := strings.CutSuffix(name, ":u")
		c := byName[name]
		if c == nil {
			c = &counter{name: name}
			byName[name], list = c, append(list, c)
		}
		switch {
		case kernel:
			c.kernel = values
		case user || c.user == nil:
			c.user, both[c] = values, !user
		}
	}
	divide(byName, both)
	place := func(c *counter) int {
		if i := slices.IndexFunc(titles, func(t [2]string) bool { return t[0] == c.name }); i >= 0 {
			c.title = titles[i][1]
			return i
		}
		return len(titles)
	}
	slices.SortStableFunc(list, func(a, b *counter) int { return place(a) - place(b) })
	return list
}

// count sets what was counted in the region of that number.
func (s *Section) count(counters []*counter, region int) {
	user := map[string]spec.Interval{}
	for _, c := range counters {
		x := Count{Name: c.name, Title: c.title}
		if c.user != nil {
			x.User = c.user.value(region)
			user[c.name] = x.User.in()
		}
		if c.kernel != nil {
			x.Kernel = c.kernel.value(region)
		}
		s.Counts = append(s.Counts, x)
	}
	if s.Time.Known {
		user["s"] = spec.Point(s.Time.Float64())
	}
	for _, d := range derived {
		if v, ok := d.of(user); ok {
			s.Ratios = append(s.Ratios, RatioOf{d.title, d.unit, v})
		}
	}
}

// derivation is a ratio of sums of counters.
type derivation struct {
	title, unit string
	factor      float64
	over, under []string
}

// derived is what is derived. BGL_FLOPS counts a multiply-add once, so BGL_FMA is added where it is two operations.
var derived = []derivation{
	{"Instructions per load/store", "", 1, []string{"BGL_INST"}, []string{"BGL_LOAD", "BGL_STORE", "BGL_FP_LOAD", "BGL_FP_STORE"}},
	{"Instructions per second", "M", 1e-6, []string{"BGL_INST"}, []string{"s"}},
	{"Floating point operations per second", "M", 1e-6, []string{"BGL_FLOPS", "BGL_FMA"}, []string{"s"}},
	{"Floating point multiply-add percentage", "%", 200, []string{"BGL_FMA"}, []string{"BGL_FLOPS", "BGL_FMA"}},
	{"Computation intensity", "", 1, []string{"BGL_FLOPS", "BGL_FMA"}, []string{"BGL_LOAD", "BGL_STORE", "BGL_FP_LOAD", "BGL_FP_STORE"}},
	{"L1 data hit rate", "%", 100, []string{"BGL_D1_HIT"}, []string{"BGL_D1_HIT", "BGL_D1_L_MISS", "BGL_D1_S_MISS"}},
	{"Loads per L1 load miss", "", 1, []string{"BGL_LOAD", "BGL_FP_LOAD"}, []string{"BGL_D1_L_MISS"}},
	{"Stores per L1 store miss", "", 1, []string{"BGL_STORE", "BGL_FP_STORE"}, []string{"BGL_D1_S_MISS"}},
	{"Loads and stores per data TLB miss", "", 1, []string{"BGL_LOAD", "BGL_STORE", "BGL_FP_LOAD", "BGL_FP_STORE"}, []string{"BGL_DTLB_MISS"}},
}

// of computes a ratio; false if a counter is missing or the denominator may be 0.
func (d *derivation) of(counts map[string]spec.Interval) (spec.Interval, bool) {
	sum := func(names []string) string { return `("` + strings.Join(names, `" + "`) + `")` }
	e, err := spec.ParseExpr(strconv.FormatFloat(d.factor, 'f', -1, 64) + " * " + sum(d.over) + " / " + sum(d.under))
	if err != nil {
		return spec.Interval{}, false
	}
	return e.Interval(0, func(name string) (spec.Interval, bool) { i, ok := counts[name]; return i, ok })
}

// Write writes the report.
func (h *HPM) Write(w io.Writer, f Format) error {
	if f == Text {
		return h.text(w)
	}
	t := &Table{Labels: []string{"section", "file", "line", "counter", "description"}, Notes: h.Notes,
		Columns: []Column{{Name: "user", Title: "User"}, {Name: "kernel", Title: "Kernel"}}}
	for _, s := range h.Sections {
		for _, c := range s.Counts {
			for i, v := range []Value{c.User, c.Kernel} {
				t.Columns[i].bounded = t.Columns[i].bounded || v.In != nil
			}
			t.Rows = append(t.Rows, Row{Labels: []any{s.Label, s.File, s.Line, c.Name, c.Title}, Values: []Value{c.User, c.Kernel}})
		}
	}
	return t.Write(w, f)
}

// text writes the report as figure 2 has it.
func (h *HPM) text(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "libHPM output summary of %s\n", readable.Clean(h.Title))
	width := len("Counter")
	for _, s := range h.Sections {
		for _, c := range s.Counts {
			width = max(width, len(c.label()))
		}
	}
	for i, s := range h.Sections {
		fmt.Fprintf(&b, "\nInstrumented section: %d - Label: %s\n  file: %s, line %d\n  Count: %d\n", i+1, readable.Clean(s.Label), readable.Clean(s.File), s.Line, s.Visits)
		if s.Time.Known {
			fmt.Fprintf(&b, "  Time of all goroutines: %.9f seconds\n", s.Time.Float64())
		}
		fmt.Fprintf(&b, "\n  %-*s %16s %14s\n", width+2, "Counter", "User", "Kernel")
		for _, c := range s.Counts {
			fmt.Fprintf(&b, "  %-*s : %16s %14s\n", width, c.label(), whole(c.User), whole(c.Kernel))
		}
		if len(s.Ratios) > 0 {
			b.WriteByte('\n')
		}
		for _, r := range s.Ratios {
			text := fmt.Sprintf("%.3f", r.In.Low)
			if high := fmt.Sprintf("%.3f", r.In.High); high != text {
				text = readable.Between(text, high)
			}
			fmt.Fprintf(&b, "  %-*s : %16s %s\n", width, r.Title, text, r.Unit)
		}
	}
	if h.more > 0 {
		fmt.Fprintf(&b, "\n… %d more sections\n", h.more)
	}
	for _, note := range h.Notes {
		fmt.Fprintf(&b, "! %s\n", readable.Clean(note))
	}
	_, err := io.WriteString(w, strings.ReplaceAll(b.String(), " \n", "\n"))
	return err
}

func (c *Count) label() string {
	if c.Title == "" {
		return readable.Clean(c.Name)
	}
	return c.Name + " (" + c.Title + ")"
}

// whole shows a count, or what it lies in; "-" if there is none.
func whole(v Value) string {
	if v.In == nil {
		return cmp.Or(v.text(), "-")
	}
	low, high := v.ends()
	return readable.Between(low.text(), high.text())
}
