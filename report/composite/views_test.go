package composite_test

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/exchange/pprof"
	"tracerec/report/algebra"
	"tracerec/report/composite"
	"tracerec/report/cube"
	"tracerec/report/limit"
	"tracerec/report/query"
	"tracerec/report/table"
	"tracerec/report/web"
)

// seen is what a view tells of a metric: what is certain ("" nothing, "?" it does not say), and what the truth lies in.
type seen struct{ certain, low, high string }

// exactly is a value that is wholly certain.
func exactly(v string) seen { return seen{v, v, v} }

// uncertainViews are metrics with what is true of them in the whole program, which is that of main/solve, and on either location, worked out by hand
// from the counters of [TestViewsOfUncertainty].
var uncertainViews = []struct {
	metric string
	whole  seen
	at     [2]seen
}{
	{"certain", exactly("40"), [2]seen{exactly("30"), exactly("10")}},
	{"partly", seen{"40", "40", "45"}, [2]seen{{"30", "30", "35"}, exactly("10")}},
	{"not", seen{"", "0", "7"}, [2]seen{{"", "0", "5"}, {"", "0", "2"}}},
	{"zero", exactly("0"), [2]seen{exactly("0"), exactly("0")}},
	{"LEFT_CERTAIN", exactly("960"), [2]seen{exactly("570"), exactly("390")}},
	{"LEFT_PARTLY", seen{"960", "955", "960"}, [2]seen{{"570", "565", "570"}, exactly("390")}},
	{"LEFT_NOT", seen{"1000", "993", "1000"}, [2]seen{{"600", "595", "600"}, {"400", "398", "400"}}},
	{"LEFT_NONE", seen{"", "0", "14"}, [2]seen{{"", "0", "10"}, {"", "0", "4"}}},
	{"LEFT_ZERO", exactly("1000"), [2]seen{exactly("600"), exactly("400")}},
}

// All views tell the same of metrics that are certain, partly so, not at all, and certainly zero; of one that is absent they tell nothing. (Perfetto's view is
// of traces, not of reports: TestUncertainCounters there.)
func TestViewsOfUncertainty(t *testing.T) {
	none := [2]int64{}
	e := experiment{visits: 1, counters: []counter{{"certain", [2]int64{30, 10}, none}, {"partly", [2]int64{30, 10}, [2]int64{5, 0}}, {"not", none, [2]int64{5, 2}},
		{"zero", none, none}, {"all", [2]int64{600, 400}, none}}}
	d, err := composite.Derive(e.build(t), parse(t, "compute LEFT_CERTAIN = all - certain\ncompute LEFT_PARTLY = all - partly\n"+
		"compute LEFT_NOT = all - not\ncompute LEFT_NONE = 2 * not\ncompute LEFT_ZERO = all - zero\ncompute LACKING = all - gone"))
	require.NoError(t, err)
	m, err := query.New(d.Cube)
	require.NoError(t, err)
	require.Nil(t, m.Metric("LACKING"))
	v := &views{t, d.Cube, m, nil}
	for _, x := range uncertainViews {
		v.list = append(v.list, m.Metric(x.metric))
	}
	for name, view := range map[string]func() map[string]seen{"stat": v.stat, "stat as text": v.text, "stat as CSV": func() map[string]seen { return v.separated(table.CSV, ",") },
		"stat as TSV": func() map[string]seen { return v.separated(table.TSV, "\t") }, "calltree": v.tree, "check": v.check, "compare": v.compare,
		"compare as text": v.compareText, "totals of the page": v.totals, "calls of the page": v.calls, "dump": v.dump, "system of the page": v.system, "pprof": v.pprof} {
		got := view()
		require.GreaterOrEqual(t, len(got), 4, "%s tells of the hierarchies at least", name)
		for _, x := range uncertainViews {
			for key, want := range map[string]seen{x.metric: x.whole, x.metric + " 0": x.at[0], x.metric + " 1": x.at[1]} {
				g, told := got[key]
				if g.certain == "?" {
					want.certain = "?"
				}
				if g.low == "?" {
					want.low, want.high = "?", "?"
				}
				require.True(t, !told || g == want, "%s of %s: %v, not %v", name, key, g, want)
				delete(got, key)
			}
		}
		require.Empty(t, got, name)
	}
}

// views read what the views of a report tell, by metric, and by metric and location.
type views struct {
	*testing.T
	cube *cube.Cube
	m    *query.Model
	list []*query.Metric
}

// number returns a seen value of JSON; without bounds it is certain.
func number(certain, low, high *json.Number) seen {
	text := func(n *json.Number) string {
		if n == nil {
			return ""
		}
		return n.String()
	}
	if low == nil {
		return exactly(text(certain))
	}
	return seen{text(certain), text(low), text(high)}
}

// written reads what is written for people, which does not say what is certain of an interval.
func written(text string) seen {
	text = strings.ReplaceAll(text, ",", "")
	if high, ok := strings.CutPrefix(text, "≤"); ok {
		return seen{"?", "0", high}
	}
	if low, high, ok := strings.Cut(text, "–"); ok {
		return seen{"?", low, high}
	}
	return exactly(text)
}

// named makes a map of a list of values in the order of the metrics.
func (v *views) named(list []seen) map[string]seen {
	require.Len(v, list, len(v.list))
	got := map[string]seen{}
	for i, q := range v.list {
		got[q.Name] = list[i]
	}
	return got
}

func (v *views) table(f table.Format) string {
	x, err := table.Stat(v.m, table.StatOptions{Metrics: v.list})
	require.NoError(v, err)
	var b bytes.Buffer
	require.NoError(v, x.Write(&b, f))
	return b.String()
}

func (v *views) stat() map[string]seen {
	var x struct {
		Columns []struct {
			Total *json.Number `json:"total"`
			Least *json.Number `json:"at_least"`
			Most  *json.Number `json:"at_most"`
		} `json:"columns"`
	}
	require.NoError(v, json.Unmarshal([]byte(v.table(table.JSON)), &x))
	var list []seen
	for _, c := range x.Columns {
		list = append(list, number(c.Total, c.Least, c.Most))
	}
	return v.named(list)
}

func (v *views) text() map[string]seen {
	var list []seen
	for line := range strings.Lines(v.table(table.Text)) {
		if values, ok := strings.CutSuffix(strings.TrimSpace(line), "(whole program)"); ok {
			for _, word := range strings.Fields(values) {
				list = append(list, written(word))
			}
		}
	}
	return v.named(list)
}

func (v *views) separated(f table.Format, comma string) map[string]seen {
	lines := strings.Split(strings.TrimSpace(v.table(f)), "\n")
	head, got := strings.Split(lines[0], comma), map[string]seen{}
	for _, line := range lines[1:] {
		if cells := strings.Split(line, comma); cells[0] == "solve" {
			for i, name := range head {
				switch {
				case v.m.Metric(name) == nil:
				case i+1 < len(head) && head[i+1] == name+":at_least":
					got[name] = seen{cells[i], cells[i+1], cells[i+2]}
				default:
					got[name] = exactly(cells[i])
				}
			}
		}
	}
	require.Len(v, got, len(v.list))
	return got
}

func (v *views) tree() map[string]seen {
	got := map[string]seen{}
	for _, q := range v.list {
		var b bytes.Buffer
		require.NoError(v, table.CallTree(v.m, table.TreeOptions{Metric: q}).Write(&b, table.Text))
		for line := range strings.Lines(b.String()) {
			if words := strings.Fields(line); len(words) > 1 && strings.Contains(line, "solve") {
				got[q.Name] = written(words[0])
			}
		}
	}
	return got
}

func (v *views) check() map[string]seen {
	got := map[string]seen{}
	for _, q := range v.list {
		l, err := limit.Parse(q.Name + "=5000")
		require.NoError(v, err)
		r, err := limit.Check(&limit.Report{Name: "r", Model: v.m}, []limit.Limit{l}, limit.Options{})
		require.NoError(v, err)
		var b bytes.Buffer
		require.NoError(v, limit.JSON(&b, r))
		var x struct {
			Limits []struct {
				Value *json.Number `json:"value"`
				Least *json.Number `json:"at_least"`
				Most  *json.Number `json:"at_most"`
			} `json:"limits"`
		}
		require.NoError(v, json.Unmarshal(b.Bytes(), &x))
		got[q.Name] = number(x.Limits[0].Value, x.Limits[0].Least, x.Limits[0].Most)
	}
	return got
}

func (v *views) comparison() *composite.Comparison {
	c, err := composite.Compare(true, algebra.Input{Name: "r", Cube: v.cube})
	require.NoError(v, err)
	return c
}

func (v *views) compare() map[string]seen {
	var b bytes.Buffer
	require.NoError(v, v.comparison().JSON(&b))
	var x struct {
		Metrics []struct {
			Name   string `json:"name"`
			Values []struct {
				Value *json.Number `json:"value"`
				Least *json.Number `json:"at_least"`
				Most  *json.Number `json:"at_most"`
			} `json:"values"`
		} `json:"metrics"`
	}
	require.NoError(v, json.Unmarshal(b.Bytes(), &x))
	got := map[string]seen{}
	for _, r := range x.Metrics {
		if strings.HasPrefix(r.Name, "LEFT_") {
			got[r.Name] = number(r.Values[0].Value, r.Values[0].Least, r.Values[0].Most)
		}
	}
	require.Len(v, got, 5, "compare is of hierarchies")
	return got
}

func (v *views) compareText() map[string]seen {
	var b bytes.Buffer
	require.NoError(v, v.comparison().Text(&b, false))
	got := map[string]seen{}
	for line := range strings.Lines(b.String()) {
		if words := strings.Fields(line); len(words) > 1 && strings.HasPrefix(words[0], "LEFT_") {
			got[words[0]] = written(words[1])
		}
	}
	require.Len(v, got, 5)
	return got
}

// page asks what the page asks, and decodes the answer.
func (v *views) page(question string, answer any) {
	l, err := web.Listen("")
	require.NoError(v, err)
	defer l.Close()
	s := web.NewServer(l)
	require.NoError(v, s.Show(&web.Report{Model: v.m}))
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, httptest.NewRequest("GET", s.URL()+"api/"+question, nil))
	require.Equal(v, 200, w.Code, w.Body)
	require.NoError(v, json.Unmarshal(w.Body.Bytes(), answer))
}

// inPage returns one of the values of an answer.
func inPage(values []*json.Number, in [][]*json.Number, i int) seen {
	if in == nil || in[i] == nil {
		return number(values[i], nil, nil)
	}
	return number(values[i], in[i][0], in[i][1])
}

func (v *views) totals() map[string]seen {
	var x struct {
		Totals struct {
			Incl []*json.Number
			In   struct{ Incl [][]*json.Number }
		}
	}
	v.page("meta", &x)
	var list []seen
	for _, q := range v.list {
		list = append(list, inPage(x.Totals.Incl, x.Totals.In.Incl, q.Index))
	}
	return v.named(list)
}

func (v *views) calls() map[string]seen {
	var list []seen
	for _, q := range v.list {
		var x struct {
			Excl []*json.Number
			In   struct{ Excl [][]*json.Number }
		}
		v.page(fmt.Sprintf("calls?metric=%d&self=0", q.Index), &x)
		list = append(list, inPage(x.Excl, x.In.Excl, 1))
	}
	return v.named(list)
}

func (v *views) system() map[string]seen {
	got := map[string]seen{}
	for _, q := range v.list {
		var x struct {
			Values []*json.Number
			In     [][]*json.Number
		}
		v.page(fmt.Sprintf("system?metric=%d&self=0&path=1&incl=1", q.Index), &x)
		for _, r := range v.m.Resources {
			if r.Location != nil {
				got[fmt.Sprint(q.Name, " ", r.Location.Column())] = inPage(x.Values, x.In, r.Index)
			}
		}
		got[q.Name] = inPage(x.Values, x.In, 0)
	}
	return got
}

// dump has what is certain, and the margins as metrics of their own.
func (v *views) dump() map[string]seen {
	var b bytes.Buffer
	_, err := table.Dump(&b, v.m, table.DumpOptions{Metrics: v.list, Zero: true, Paths: regexp.MustCompile("solve"), Format: table.CSV})
	require.NoError(v, err)
	rows, err := csv.NewReader(&b).ReadAll()
	require.NoError(v, err)
	got := map[string]seen{}
	for _, r := range rows[1:] {
		got[r[0]+" "+strings.Trim(r[4][strings.IndexByte(r[4], '['):], "[]")] = seen{r[5], "?", "?"}
	}
	require.Len(v, got, 2*len(v.list))
	return got
}

// pprof has what is certain, and the margins as sample types of their own: where there is one, nothing but 0 is nothing certain.
func (v *views) pprof() map[string]seen {
	var b bytes.Buffer
	_, err := pprof.Write(&b, v.m, pprof.Options{Metrics: v.list})
	require.NoError(v, err)
	z, err := gzip.NewReader(&b)
	require.NoError(v, err)
	profile, err := io.ReadAll(z)
	require.NoError(v, err)
	var names []string
	var types []uint64 // names of the sample types
	sums := map[uint64]int64{}
	fields(profile, func(field int, _ uint64, text []byte) {
		switch field {
		case 1:
			fields(text, func(field int, n uint64, _ []byte) {
				if field == 1 {
					types = append(types, n)
				}
			})
		case 6:
			names = append(names, string(text))
		}
	})
	fields(profile, func(field int, _ uint64, sample []byte) {
		if field != 2 {
			return
		}
		fields(sample, func(field int, _ uint64, values []byte) {
			for i := 0; field == 2 && len(values) > 0; i++ {
				n, size := binary.Uvarint(values)
				values = values[size:]
				sums[types[i]] += int64(n)
			}
		})
	})
	of := map[string]int64{}
	for _, name := range types {
		of[names[name]] += sums[name]
	}
	got := map[string]seen{}
	for _, q := range v.list {
		certain, more, less := of[q.Name], of[q.Name+"_uncertain"], of[q.Name+"_uncertain_less"]
		x := seen{strconv.FormatInt(certain, 10), strconv.FormatInt(certain+less, 10), strconv.FormatInt(certain+more, 10)}
		if certain == 0 && (more != 0 || less != 0) {
			x.certain = ""
		}
		got[q.Name] = x
	}
	return got
}

// fields reads the fields of a message of protocol buffers.
func fields(b []byte, f func(field int, number uint64, text []byte)) {
	for len(b) > 0 {
		key, n := binary.Uvarint(b)
		b = b[n:]
		value, n := binary.Uvarint(b)
		b = b[n:]
		if key&7 == 0 {
			f(int(key>>3), value, nil)
			continue
		}
		f(int(key>>3), 0, b[:value])
		b = b[value:]
	}
}
