package web

import (
	"strconv"
	"strings"

	"tracerec/metric"
	"tracerec/report/cube"
	"tracerec/report/query"
)

// The answer to "meta": the trees, and what is known of the report beside the values. Lists are columns, because there may be many call
// paths and parts of the system.
type (
	meta struct {
		Title      string         `json:"title"`
		File       string         `json:"file"`
		Kind       string         `json:"kind"` // "expert", "scalasca" or "cube"
		Difference bool           `json:"difference"`
		Attrs      [][2]string    `json:"attrs"`
		Problems   []string       `json:"problems"`
		Begin      int64          `json:"begin"`           // of what was recorded, ns since the start of the experiment
		Span       int64          `json:"span"`            // of what was recorded, ns; 0 unknown
		Hertz      uint64         `json:"hertz,omitempty"` // clock rate of cycles
		Metrics    []metaMetric   `json:"metrics"`
		Totals     metaTotals     `json:"totals"`
		External   *metaExternal  `json:"external"`
		Regions    []metaRegion   `json:"regions"`
		Paths      metaPaths      `json:"paths"`
		System     metaSystem     `json:"system"`
		Topologies []metaTopology `json:"topologies"`
		Features   metaFeatures   `json:"features"`
	}
	metaMetric struct {
		Parent     int    `json:"parent"`
		Name       string `json:"name"`
		Title      string `json:"title"`
		Unit       string `json:"unit"`
		DType      string `json:"dtype"`
		Kind       string `json:"kind"`
		Derived    bool   `json:"derived"`
		Additive   bool   `json:"additive"`
		Expression string `json:"expression"`
		Formula    string `json:"formula"` // how a stored metric was worked out, in words
		Error      string `json:"error"`
		Doc        string `json:"doc"`
		Advice     string `json:"advice"`

		Counter    bool       `json:"counter,omitempty"`    // as it was measured
		Hierarchy  string     `json:"hierarchy,omitempty"`  // specification that made it from counters
		Incomplete bool       `json:"incomplete,omitempty"` // counters are lacking
		Ratio      *metaRatio `json:"ratio,omitempty"`
	}
	metaRatio struct { // its scale; equal: none
		Low  float64 `json:"low"`
		High float64 `json:"high"`
	}
	metaTotals struct {
		Inclusive column     `json:"incl"`
		Self      column     `json:"self"`
		In        metaRanges `json:"in"`
	}
	metaRanges struct { // what they lie in
		Inclusive ranges `json:"incl"`
		Self      ranges `json:"self"`
	}
	metaExternal struct {
		File   string `json:"file"`
		Totals column `json:"totals"` // of the metrics of the same name
	}
	metaRegion struct {
		Name     string `json:"name"`
		File     string `json:"file"`
		Begin    int    `json:"begin"`
		End      int    `json:"end"`
		Paradigm string `json:"paradigm"`
		Role     string `json:"role"`
	}
	metaPaths struct {
		Parent []int    `json:"parent"`
		Region []int    `json:"region"`
		File   []int    `json:"file"` // of the call, index in Files
		Line   []int    `json:"line"`
		Files  []string `json:"files"`
		Note   []string `json:"note"` // what tells a call path from others of the same region
	}
	metaSystem struct {
		Parent []int    `json:"parent"`
		Name   []string `json:"name"`
		Class  []string `json:"cls"`
		Leaf   []int    `json:"leaf"` // column of a location, else -1
	}
	metaTopology struct {
		Name   string    `json:"name"`
		Dims   []metaDim `json:"dims"`
		Coords [][2]any  `json:"coords"` // part of the system, place
	}
	metaDim struct {
		Name     string `json:"name"`
		Size     int    `json:"size"`
		Periodic bool   `json:"periodic"`
	}
	metaFeatures struct {
		Findings bool `json:"findings"`
		Timeline bool `json:"timeline"`
		Stats    bool `json:"stats"`
		Source   bool `json:"source"`
		Noise    bool `json:"noise"`
	}
)

// meta answers with everything but values.
func (a *api) meta(q *question) (any, error) {
	if err := q.only(); err != nil {
		return nil, err
	}
	c := a.model.Cube
	m := meta{
		Title: a.Title, File: a.File, Kind: a.kind(), Difference: a.difference(),
		Attrs: [][2]string{}, Problems: append(append([]string{}, a.Problems...), c.Problems...),
		Metrics: a.metaMetrics(), Totals: a.totals(), External: a.metaExternal(),
		Regions: []metaRegion{}, Paths: a.metaPaths(), System: a.metaSystem(), Topologies: a.metaTopologies(),
		Features: a.features(),
	}
	if a.Experiment != nil {
		h := &a.Experiment.Header
		m.Begin, m.Span, m.Hertz = h.Begin, h.Span, h.Frequency
	}
	for _, attr := range c.Attrs {
		m.Attrs = append(m.Attrs, [2]string{attr.Key, attr.Value})
	}
	for _, r := range c.Regions {
		m.Regions = append(m.Regions, metaRegion{r.Name, r.Module, r.Begin, r.End, r.Paradigm, r.Role})
	}
	return &m, nil
}

// kind says where a report comes from.
func (a *api) kind() string {
	if a.Experiment != nil || a.model.Ours() {
		return "expert"
	}
	if a.Stat != nil {
		return "scalasca"
	}
	if strings.HasPrefix(cube.ValueOf(a.model.Cube.Attrs, "Creator"), "Scalasca") {
		return "scalasca"
	}
	return "cube"
}

func (a *api) metaMetrics() []metaMetric {
	list := []metaMetric{}
	for _, m := range a.model.Metrics {
		x := metaMetric{Parent: -1, Name: m.Name, Title: m.Title, Unit: m.Unit, DType: string(m.DType), Kind: m.Kind.String(),
			Derived: m.Kind.Derived(), Additive: m.Additive, Expression: expression(m.Metric), Doc: m.Doc,
			Counter: query.KindOf(m.Metric) == metric.Counter, Incomplete: query.KindOf(m.Metric) == metric.Incomplete}
		if m.Parent != nil {
			x.Parent = m.Parent.Index
		}
		if m.Err != nil {
			x.Error = m.Err.Error()
		}
		for _, attr := range m.Attrs {
			switch attr.Key {
			case "advice":
				x.Advice = attr.Value
			case "formula":
				x.Formula = attr.Value
			}
			x.counters(attr.Key, attr.Value)
		}
		list = append(list, x)
	}
	return list
}

// counters takes over what an attribute says of counters, hierarchies and ratios.
func (x *metaMetric) counters(key, value string) {
	switch key {
	case query.HierarchyAttr:
		x.Hierarchy = value
	case query.RatioAttr:
		x.Ratio = x.scale()
	case query.LowAttr:
		x.scale().Low, _ = strconv.ParseFloat(value, 64)
	case query.HighAttr:
		x.scale().High, _ = strconv.ParseFloat(value, 64)
	}
}

func (x *metaMetric) scale() *metaRatio {
	if x.Ratio == nil {
		x.Ratio = &metaRatio{}
	}
	return x.Ratio
}

// expression returns how a derived metric is computed, as it stands in the file.
func expression(m *cube.Metric) string {
	text := ""
	for _, e := range m.Expressions {
		if text != "" {
			text += "\n\n"
		}
		if e.Element != "cubepl" {
			text += e.Element + ": "
		}
		text += e.Text
	}
	return text
}

func (a *api) totals() (t metaTotals) {
	t.Inclusive, t.Self = column{}, column{}
	add := func(values *column, in *ranges, w query.What) {
		v, i := total(a.model, w)
		*values, *in = append(*values, v), append(*in, i)
	}
	for _, metric := range a.model.Metrics {
		add(&t.Inclusive, &t.In.Inclusive, query.What{Metric: metric})
		add(&t.Self, &t.In.Self, query.What{Metric: metric, Self: true})
	}
	return t
}

func (a *api) metaExternal() *metaExternal {
	if a.External == nil {
		return nil
	}
	x := &metaExternal{a.External.File, column{}}
	for _, metric := range a.model.Metrics {
		v := nothing
		if other := a.External.Model.Metric(metric.Name); other != nil {
			v, _ = total(a.External.Model, query.What{Metric: other})
		}
		x.Totals = append(x.Totals, v)
	}
	return x
}

func (a *api) metaPaths() metaPaths {
	m := metaPaths{Parent: []int{}, Region: []int{}, File: []int{}, Line: []int{}, Files: []string{}, Note: []string{}}
	files := map[string]int{}
	for _, p := range a.paths {
		parent, file := -1, -1
		if p.Parent != nil {
			parent = p.Parent.Index()
		}
		if p.Module != "" {
			i, known := files[p.Module]
			if !known {
				i = len(m.Files)
				files[p.Module] = i
				m.Files = append(m.Files, p.Module)
			}
			file = i
		}
		note := ""
		for _, param := range p.Params {
			if note != "" {
				note += ", "
			}
			note += param.Key + "=" + param.Text
		}
		m.Parent, m.Region = append(m.Parent, parent), append(m.Region, a.places.regions[p.Region])
		m.File, m.Line, m.Note = append(m.File, file), append(m.Line, p.Line), append(m.Note, note)
	}
	return m
}

func (a *api) metaSystem() metaSystem {
	m := metaSystem{Parent: []int{}, Name: []string{}, Class: []string{}, Leaf: []int{}}
	for _, r := range a.model.Resources {
		parent, leaf := -1, -1
		if r.Parent != nil {
			parent = r.Parent.Index
		}
		if r.Location != nil {
			leaf = r.Location.Column()
		}
		m.Parent, m.Leaf = append(m.Parent, parent), append(m.Leaf, leaf)
		m.Name, m.Class = append(m.Name, r.Name), append(m.Class, r.Class)
	}
	return m
}

func (a *api) metaTopologies() []metaTopology {
	place := map[cube.Resource]int{}
	for _, r := range a.model.Resources {
		place[r.Of] = r.Index
	}
	list := []metaTopology{}
	for _, t := range a.model.Cube.Topologies {
		x := metaTopology{Name: t.Name, Dims: []metaDim{}, Coords: [][2]any{}}
		for _, d := range t.Dims {
			x.Dims = append(x.Dims, metaDim{d.Name, d.Size, d.Periodic})
		}
		for _, c := range t.Coords {
			if i, ok := place[c.Of]; ok {
				x.Coords = append(x.Coords, [2]any{i, c.At})
			}
		}
		list = append(list, x)
	}
	return list
}
