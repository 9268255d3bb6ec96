package requests

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/analyzer"
	"tracerec/internal/naive/random"
	"tracerec/internal/spill"
	"tracerec/internal/testkit"
	"tracerec/metric"
	"tracerec/patterns"
	"tracerec/trace/tracetext"
	"tracerec/trace/wire"
)

// TestNaive compares the parts of the requests in random traces with what was done at each single moment of them.
func TestNaive(t *testing.T) {
	found, waited, queued := 0, 0, 0
	limited, err := spill.New(1, t.TempDir())
	require.NoError(t, err)
	defer limited.Close()
	for seed := range uint64(testkit.Cases(450)) {
		text := random.Trace(seed)
		for _, name := range []string{"a", "c"} {
			text = strings.ReplaceAll(text, "enter "+name+"\n", "enter "+name+" @t.go:1("+taskOf+")\n")
		}
		a, err := tracetext.Open("random", "process main processors 2\n"+text)
		require.NoError(t, err)
		f, store := new(Finder), []*spill.Store{nil, limited}[seed%2]
		f.Collect(store)
		e, err := analyzer.Analyze(a, analyzer.Options{Patterns: patterns.All(), Wait: f.Wait, Queued: f.Queued})
		require.NoError(t, err)
		f.Find(a, e) // which sorts the waits
		r := read(a, store, false, false)
		all := r.requests()
		some := rand.New(rand.NewPCG(seed, 1)) // which are in a convoy
		for i := range f.waits.list {
			x := &f.waits.list[i]
			x.convoy = x.causer != analyzer.NoCauser && some.IntN(2) == 0
		}
		w := newWalker(r, &f.waits, e, all)
		for i := range all {
			q := &all[i]
			want := map[key]portion{}
			for x := q.begin; x < q.end; x++ {
				k, p := w.moment(q.loc, x, -1, nil), portion{time: 1}
				if k.chain >= 0 && w.inConvoy(q.loc, x) {
					p.convoy = 1
					queued++
				}
				want[k] = want[k].and(p)
			}
			require.Equal(t, want, w.split(q), "seed %d, request %+v\n%s", seed, *q, text)
			found++
			for k := range want {
				if k.chain >= 0 {
					waited++
				}
			}
		}
	}
	require.Greater(t, found, testkit.Cases(300))
	require.Greater(t, waited, testkit.Cases(300)/10)
	require.Positive(t, queued)
}

// inConvoy says whether a location waits in a convoy at a time.
func (w *walker) inConvoy(loc uint32, t int64) bool {
	return slices.ContainsFunc(w.waits.of(loc), func(x wait) bool { return x.convoy && x.begin <= t && t < x.end })
}

// moment returns what a location did at a time, as a part of a request.
func (w *walker) moment(loc uint32, t int64, chain int32, through []uint32) key {
	is := func(metric string, path int32) key { return key{chain, metric, path} }
	l := &w.r.lives[loc]
	var a *activity
	all := w.r.of(l)
	for x, end, more := all.next(); more; x, end, more = all.next() {
		if x.from <= t && t < end {
			a = &x
		}
	}
	if a == nil {
		return is(metric.UnrecordedWait, -1)
	}
	p := &w.r.paths.list[a.path]
	if p.kind == wire.Enter || p.kind == wire.Begin || a.does != wire.None && a.does != wire.Parked {
		return is(stateOf(a.does), a.path)
	}
	what := map[bool]string{true: metric.ExternalWait, false: metric.Execution}[a.blocked]
	if p.kind == wire.SleepBegin {
		what = metric.Sleep
	} else if p.kind == wire.NetworkBegin && a.blocked {
		what = metric.Network
	}
	for _, x := range w.waits.of(loc) {
		if x.operation != a.began || x.kind != p.kind {
			continue
		}
		if x.end <= t {
			what = metric.Wakeup
		}
		if x.begin > t || x.end <= t {
			continue
		}
		name := w.metrics[x.metric].Name
		if p.kind == wire.NetworkBegin && name == metric.ExternalWait {
			name = metric.Network
		}
		through = append(slices.Clone(through), loc)
		if x.causer == analyzer.NoCauser || slices.Contains(through, x.causer) {
			return is(name, a.path)
		}
		return w.moment(x.causer, t, w.extend(chain, name, a.path), through)
	}
	return is(what, a.path)
}
