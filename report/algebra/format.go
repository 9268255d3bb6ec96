package algebra

import (
	"cmp"
	"io"
	"math"
	"slices"
	"strings"

	"tracerec/internal/readable"
	"tracerec/metric/spec"
)

// value writes a value in its unit; times without a metric are in seconds.
func value(v float64, c Change) string {
	switch {
	case v == 0:
		return "0"
	case c.Metric == nil:
		return readable.Quantity(v, "sec")
	case strings.HasPrefix(c.Metric.Unit, "share"): // a ratio: "share of branches"
		return readable.Percent(100 * v)
	}
	return readable.Quantity(v, c.Metric.Unit)
}

// side writes what A or B is, as far as it is certain.
func (c Change) side(i int) string {
	v := [2]float64{c.A, c.B}[i]
	if c.In == nil || c.In[i].Certain() {
		return value(v, c)
	}
	switch in := c.In[i]; {
	case math.IsNaN(in.Low):
		return "?"
	case in.Low == 0:
		return "≤" + value(in.High, c)
	default:
		return "≥" + value(in.Low, c)
	}
}

// between writes what the change from A to B lies in, if it is not certain.
func (c Change) between() string {
	in := c.Between()
	if in.Certain() || math.IsNaN(in.Low) {
		return ""
	}
	low, high := Change{Metric: c.Metric, B: in.Low}, Change{Metric: c.Metric, B: in.High}
	return ", between " + signed(low) + " and " + signed(high)
}

// signed writes the change from A to B.
func signed(c Change) string {
	switch d := c.Delta(); {
	case d > 0:
		return "+" + value(d, c)
	case d < 0:
		return value(d, c)
	}
	return "0"
}

// relative writes the change from A to B in relation to A.
func relative(c Change) string {
	switch {
	case c.A == c.B:
		return "0 %"
	case c.A == 0:
		return "new"
	case c.B == 0:
		return "gone"
	case c.B/c.A > 10:
		return "×" + readable.Count(c.B/c.A)
	}
	r := 100 * c.Delta() / math.Abs(c.A)
	switch text := readable.Percent(math.Abs(r)); {
	case strings.HasPrefix(text, "<"): // its sign is that of the change beside it
		return text
	case r > 0:
		return "+" + text
	}
	return readable.Percent(r)
}

// sortOthers puts times in front, and then what changed most, both by itself and in relation to what it was.
func sortOthers(list []Change) {
	time := func(c Change) bool { return c.Metric.Unit == "ns" || c.Metric.Unit == "sec" }
	weight := func(c Change) float64 {
		if c.A == c.B {
			return 0
		}
		part := c.size() / math.Max(math.Abs(c.A), math.Abs(c.B))
		if time(c) {
			return part * c.size()
		}
		return part
	}
	slices.SortStableFunc(list, func(a, b Change) int {
		switch {
		case time(a) && !time(b):
			return -1
		case time(b) && !time(a):
			return 1
		}
		return cmp.Compare(weight(b), weight(a))
	})
}

// jsonChange is a Change as JSON. Values are in the unit of the metric.
type jsonChange struct {
	Metric string   `json:"metric"`
	Unit   string   `json:"unit"`
	Path   []string `json:"path,omitempty"` // names of regions from the root; none: the whole program
	File   string   `json:"file,omitempty"`
	Line   int      `json:"line,omitempty"`
	A      *float64 `json:"a"` // null: not a number
	B      *float64 `json:"b"`
	Delta  *float64 `json:"delta"` // b − a
	Noise  *float64 `json:"noise"` // half width of the band of 95 %, null if unknown
	Beyond *bool    `json:"beyond_noise"`
	jsonBounds
}

// jsonBounds is what the values of a Change lie in, where that is more than one value: A and B are what is certain.
type jsonBounds struct {
	ALeast     *float64 `json:"a_at_least,omitempty"`
	AMost      *float64 `json:"a_at_most,omitempty"`
	BLeast     *float64 `json:"b_at_least,omitempty"`
	BMost      *float64 `json:"b_at_most,omitempty"`
	DeltaLeast *float64 `json:"delta_at_least,omitempty"`
	DeltaMost  *float64 `json:"delta_at_most,omitempty"`
}

// absent says that of what lies in an interval nothing is certain, so that it is no zero.
func absent(v float64, in spec.Interval) bool { return v == 0 && !in.Certain() }

func encode(c Change) jsonChange {
	x := jsonChange{Unit: "sec", Metric: "wall", A: number64(c.A), B: number64(c.B), Delta: number64(c.Delta())}
	if c.Metric != nil {
		x.Metric, x.Unit = c.Metric.Name, c.Metric.Unit
	}
	for p := c.Path; p != nil; p = p.Parent {
		x.Path = append(x.Path, p.Region.Name)
	}
	slices.Reverse(x.Path)
	if c.Path != nil {
		x.File, x.Line = source(c.Path)
	}
	if beyond, known := c.Beyond(); known {
		x.Noise, x.Beyond = &c.Noise, &beyond
	}
	if c.In != nil {
		a, b, d := c.In[0], c.In[1], c.Between()
		x.jsonBounds = jsonBounds{number64(a.Low), number64(a.High), number64(b.Low), number64(b.High), number64(d.Low), number64(d.High)}
		if absent(c.A, a) {
			x.A, x.Delta = nil, nil
		}
		if absent(c.B, b) {
			x.B, x.Delta = nil, nil
		}
	}
	return x
}

// number64 returns a number as JSON can carry it.
func number64(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

func encodeAll(list []Change, top int) []jsonChange {
	made := []jsonChange{}
	for _, c := range list[:min(top, len(list))] {
		made = append(made, encode(c))
	}
	return made
}

// JSON writes what changed for other programs. Lists have at most o.Top entries, but totals are complete.
func (x *Changes) JSON(w io.Writer, o TextOptions) error {
	totals := encodeAll(x.Totals, len(x.Totals))
	if wall, ok := x.wall(); ok {
		totals = append([]jsonChange{encode(wall)}, totals...)
	}
	return readable.JSON(w, struct {
		A       string       `json:"a"`
		B       string       `json:"b"`
		RunsA   int          `json:"runs_a"`
		RunsB   int          `json:"runs_b"`
		Totals  []jsonChange `json:"totals"`
		Calls   []jsonChange `json:"calls"`
		Others  []jsonChange `json:"others"`
		Gone    []jsonChange `json:"only_in_a"`
		New     []jsonChange `json:"only_in_b"`
		Unknown []string     `json:"unknown"`
		Notes   []string     `json:"notes"`

		Requests []jsonRequest `json:"requests,omitempty"`
	}{x.A, x.B, x.RunsA, x.RunsB, totals, encodeAll(x.Calls, o.Top), encodeAll(x.Others, o.Top),
		encodeAll(x.Gone, o.Top), encodeAll(x.New, o.Top), append([]string{}, x.Unknown...), append([]string{}, o.Notes...), x.jsonRequests()})
}
