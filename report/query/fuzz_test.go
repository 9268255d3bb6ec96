package query

import "testing"

// Whatever a specification says, it is refused or followed, and metrics have values or errors.
func FuzzRemap(f *testing.F) {
	f.Add(imbalanceSpec)
	f.Add(`<metrics><metric type="PREDERIVED_INCLUSIVE"><uniq_name>a</uniq_name><cubepl>metric::time(i) * metric::fixed::work()</cubepl>
		<cubeplaggr cubeplaggrtype="aggr">arg1 - arg2</cubeplaggr><metric><uniq_name>work</uniq_name></metric></metric></metrics>`)
	f.Add(`<metrics><metric type="POSTDERIVED"><uniq_name>a</uniq_name><cubepl>{ cube::metric::prederived::b(e) << metric::a() >>; return metric::b(e, e); }</cubepl></metric></metrics>`)
	f.Add(`<metrics><metric type="SIMPLE" viztype="GHOST"><uniq_name>time</uniq_name><val>VOID</val><cubeplinit>{ global(x); ${x}[3] = "a"; }</cubeplinit></metric></metrics>`)
	c := random(f, 7)
	f.Fuzz(func(t *testing.T, spec string) {
		d, err := Remap(c, spec)
		if err != nil {
			return
		}
		m, err := New(d)
		if err != nil {
			t.Fatal(err)
		}
		for _, q := range m.all {
			w := What{Metric: q, Self: q.Index%2 == 0}
			_, _, err := m.ByPath(w, nil)
			if _, other := m.Total(w); q.Err != nil && (err == nil || other == nil) {
				t.Fatalf("%s: %v, but there are values", q.Name, q.Err)
			}
			m.ByRegion(w, m.Resources[0])
			m.ByResource(w, nil, true)
		}
		m.Findings(3)
		m.Efficiency()
	})
}
