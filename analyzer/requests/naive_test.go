package requests

import (
	"bytes"
	"encoding/json"
	"fmt"
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
	"tracerec/report"
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

// TestHandedAddsUp: the parts of tasks that end anywhere in random traces add up to their latency, with little memory, too; and their events change nothing else.
func TestHandedAddsUp(t *testing.T) {
	limited, err := spill.New(1, t.TempDir())
	require.NoError(t, err)
	defer limited.Close()
	whole := 0
	for seed := range uint64(testkit.Cases(300)) {
		text := "process main processors 2\n" + strings.NewReplacer("enter a\n", "enter a @t.go:1("+taskOf+")\n", "enter c\n", "enter c @t.go:1("+taskOf+")\n").Replace(random.Trace(seed))
		var all [3][]Request
		var reports [3]bytes.Buffer
		lost := uint64(0)
		for i, text := range []string{text, handsOn(text, rand.New(rand.NewPCG(seed, 2))), handsOn(text, rand.New(rand.NewPCG(seed, 2)))} {
			a, err := tracetext.Open("random", text)
			require.NoError(t, err)
			f := &Finder{Each: func(q Request) {
				slices.SortFunc(q.Parts, func(x, y report.LatencyPart) int { return strings.Compare(jsonOf(t, x), jsonOf(t, y)) })
				all[i] = append(all[i], q)
			}}
			f.Collect([]*spill.Store{nil, nil, limited}[i])
			e, err := analyzer.Analyze(a, analyzer.Options{Patterns: patterns.All(), Wait: f.Wait, Queued: f.Queued})
			require.NoError(t, err)
			e.Header.Events, lost = 0, e.Header.Lost
			require.NoError(t, report.JSON(&reports[i], e))
			require.NoError(t, f.Find(a, e))
		}
		if lost == 0 { // else their share of all events is told
			require.Equal(t, reports[0].String(), reports[1].String(), "seed %d", seed)
		}
		require.Equal(t, all[1], all[2], "seed %d", seed)
		for _, q := range all[1] {
			sum := int64(0)
			for _, p := range q.Parts {
				require.Positive(t, p.Mean)
				sum += p.Mean
			}
			if !q.Cut {
				require.Equal(t, q.End-q.Begin, sum, "seed %d", seed)
				whole++
			}
		}
	}
	require.Greater(t, whole, testkit.Cases(300))
}

func jsonOf(t *testing.T, x any) string {
	text, err := json.Marshal(x)
	require.NoError(t, err)
	return string(text)
}

// handsOn has some regions be tasks that end somewhere else, or nowhere.
func handsOn(text string, r *rand.Rand) string {
	lines, number := strings.Split(text, "\n"), 0
	var out []string
	for _, line := range lines {
		if at, is := strings.CutSuffix(line, " exit"); is && r.IntN(2) == 0 {
			number++
			out = append(out, fmt.Sprintf("%s taskleft %d", at, number))
		}
		out = append(out, line)
	}
	for n := range number {
		i := r.IntN(len(out))
		if at, _, is := strings.Cut(strings.TrimSpace(out[i]), " "); is && '0' <= at[0] && at[0] <= '9' && !strings.HasSuffix(out[i], "end") {
			out = slices.Insert(out, i+1, fmt.Sprintf("  %s taskend %d", at, n+1))
		}
	}
	return strings.Join(out, "\n")
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
