package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"tracerec/analyzer"
	"tracerec/analyzer/requests"
	"tracerec/exchange/gotrace"
	"tracerec/metric"
	"tracerec/patterns"
	"tracerec/report"
	"tracerec/trace"
)

var (
	all   = flag.Bool("all", false, "five seconds of each scenario, of both sources, and a table")
	only  = flag.String("only", "", "this scenario alone")
	keep  = flag.String("keep", "", "directory to keep traces in")
	again = flag.Bool("again", false, "analyze what is kept there, without running anything")
)

// planted is what a scenario's slow requests do.
type planted struct {
	name    string
	think   time.Duration
	clients int
	paths   []string                                     // as often as they are there; the default is four of /a to one of /ping
	holder  string                                       // function that has what others wait for, "" if that is not noted
	is      func(first, second *report.LatencyPart) bool // the cause comes first
}

var services = []planted{
	{name: "mutex", think: 10 * time.Millisecond, holder: "refresh", is: reaches("refresh")},
	{name: "pool", think: 12 * time.Millisecond, is: reaches("resize")},
	{name: "down", think: 10 * time.Millisecond, is: reaches("slowUser")},
	{name: "fan", think: 10 * time.Millisecond, is: reaches("partPrice")},
	{name: "rw", think: 10 * time.Millisecond, holder: "exportAll", is: reaches("exportAll")},
	{name: "sql", think: 17 * time.Millisecond, holder: "handleReport", is: reaches("handleReport"), paths: append(slices.Repeat([]string{"/a"}, 39), "/b")},
	{name: "hot", think: 20 * time.Millisecond, is: func(first, second *report.LatencyPart) bool { // to write a response takes about as long as the lock, at times
		return first.Metric == metric.Ready || reachesOf(first, "handleHot") || second != nil && reachesOf(second, "handleHot")
	}},
	{name: "gc", think: 10 * time.Millisecond, clients: 8, is: func(first, second *report.LatencyPart) bool {
		return collects(first) && (second == nil || collects(second))
	}},
	{name: "h2", think: 10 * time.Millisecond, is: reaches("slowUser")},
}

// collects says whether a part is what a collection of garbage costs: work for it, or waiting for processors, which it has.
func collects(p *report.LatencyPart) bool {
	return p.Metric == metric.Ready || p.Metric == metric.GCAssist || p.Metric == metric.Stopped
}

// reaches finds a function on the way to the cause.
func reaches(function string) func(first, second *report.LatencyPart) bool {
	return func(first, _ *report.LatencyPart) bool { return reachesOf(first, function) }
}

// reachesOf says whether a function is in a part, or in what it was waited for.
func reachesOf(p *report.LatencyPart, function string) bool {
	in := func(path []string) bool {
		return slices.ContainsFunc(path, func(s string) bool {
			return s == function || strings.HasSuffix(s, "."+function) || strings.HasSuffix(s, ")."+function)
		})
	}
	return in(p.CallPath) || p.Causer != nil && in(p.Causer.CallPath) || slices.ContainsFunc(p.Via, func(c report.Step) bool { return in(c.CallPath) })
}

// result is what was found in a run, beside what happened.
type result struct {
	truth   Truth
	client  []time.Duration
	report  []report.Requests
	found   []requests.Request
	archive *trace.Archive
}

// TestServices: the requests of each server are found in its execution trace, their parts add up, and the planted cause is among what the slow ones do.
func TestServices(t *testing.T) {
	program := filepath.Join(t.TempDir(), "services")
	build(t, "", "go", "build", "-o", program, ".")
	each(t, func(t *testing.T, p *planted) {
		file := filepath.Join(dirFor(t, p.name), "go.trace")
		r := p.run(t, file, exec.Command(program, "-trace", file))
		f, err := os.Open(file)
		require.NoError(t, err)
		defer f.Close()
		a, damage, err := gotrace.Open(file, f)
		require.NoError(t, err)
		require.NoError(t, damage)
		defer a.Close()
		r.analyze(t, a)
		p.judge(t, r, p.name != "h2")
	})
}

// TestServicesRecorded: the same in recordings of tracerec, which know who had a lock.
func TestServicesRecorded(t *testing.T) {
	if !*all {
		t.Skip("make services records all services")
	}
	dir := t.TempDir()
	program, tracerec := filepath.Join(dir, "services"), filepath.Join(dir, "tracerec")
	build(t, "../..", "go", "build", "-o", tracerec, "./cmd/tracerec")
	build(t, "", tracerec, "build", "-o", program, ".")
	each(t, func(t *testing.T, p *planted) {
		to := filepath.Join(dirFor(t, p.name), "trace.dir")
		r := p.run(t, to, exec.Command(tracerec, "-q", "-o", to, program))
		a, err := trace.Open(to)
		require.NoError(t, err)
		defer a.Close()
		r.analyze(t, a)
		p.judge(t, r, false)
	})
}

// build runs a command that builds something, in a directory, unless nothing is to be run.
func build(t *testing.T, dir, command string, args ...string) {
	if !*again {
		c := exec.Command(command, args...)
		c.Dir = dir
		out, err := c.CombinedOutput()
		require.NoError(t, err, string(out))
	}
}

// each runs a test of each scenario.
func each(t *testing.T, test func(t *testing.T, p *planted)) {
	for i := range services {
		if p := &services[i]; *only == "" || *only == p.name {
			t.Run(p.name, func(t *testing.T) { test(t, p) })
		}
	}
}

// dirFor returns the directory for what a scenario writes.
func dirFor(t *testing.T, name string) string {
	if *keep == "" {
		return t.TempDir()
	}
	dir := filepath.Join(*keep, name)
	require.NoError(t, os.MkdirAll(dir, 0o777))
	return dir
}

// run runs a scenario under load, which is recorded in a file. What happened lies beside that.
func (p *planted) run(t *testing.T, recording string, server *exec.Cmd) *result {
	r := new(result)
	file, client := recording+".truth.json", recording+".client.json"
	if *again {
		read(t, file, &r.truth)
		read(t, client, &r.client)
		return r
	}
	server.Args = append(server.Args, "-truth", file, "-backend", otherMachine(t), p.name)
	server.Stderr = os.Stderr
	in, err := server.StdinPipe()
	require.NoError(t, err)
	out, err := server.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, server.Start())
	lines := bufio.NewScanner(out)
	require.True(t, lines.Scan())
	l := load{cmp.Or(p.clients, 16), p.think, p.paths, time.Second / 2, p.name == "h2"}
	if *all {
		l.length = 5 * time.Second
	}
	if len(l.paths) == 0 {
		l.paths = []string{"/a", "/a", "/a", "/a", "/ping"}
	}
	r.client = l.run(t, lines.Text())
	time.Sleep(20 * time.Millisecond) // the server sees that its clients have gone
	require.NoError(t, in.Close())
	require.NoError(t, server.Wait())
	read(t, file, &r.truth)
	require.Len(t, r.truth.Requests, len(r.client))
	b, err := json.Marshal(r.client)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(client, b, 0o666))
	return r
}

// read reads a file of JSON.
func read(t *testing.T, file string, to any) {
	b, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(b, to))
}

// analyze finds the requests of a recording.
func (r *result) analyze(t *testing.T, a *trace.Archive) {
	r.archive = a
	f := &requests.Finder{Each: func(q requests.Request) { r.found = append(r.found, q) }}
	e, err := analyzer.Analyze(a, analyzer.Options{Patterns: patterns.All(), Wait: f.Wait})
	require.NoError(t, err)
	f.Find(a, e)
	r.report = e.Requests
}

// judge holds what was found against what happened. The latency of a request is from reading to writing if whole, else that of its handler.
func (p *planted) judge(t *testing.T, r *result, whole bool) {
	for i := range r.found {
		sum := int64(0)
		for _, part := range r.found[i].Parts {
			sum += part.Mean
		}
		if !r.found[i].Cut {
			require.Equal(t, r.found[i].End-r.found[i].Begin, sum)
		}
	}
	missed, spurious, pairs := r.match()
	var latencies, seen, wrapped []time.Duration // seen: without what the server cannot see itself
	for _, x := range pairs {
		latencies = append(latencies, time.Duration(x.found.End-x.found.Begin))
		seen = append(seen, latencies[len(latencies)-1]-time.Duration(unseen(x.found)))
		d := x.truth.End - x.truth.Begin
		if whole {
			d = x.truth.Written - x.truth.Read
		}
		wrapped = append(wrapped, time.Duration(d))
	}
	n := len(r.truth.Requests)
	t.Logf("%s: %d requests, missed %d, spurious %d", p.name, n, missed, spurious)
	for _, percent := range []int{50, 95, 99} {
		a, own, b, c := rank(latencies, percent), rank(seen, percent), rank(wrapped, percent), rank(r.client, percent)
		t.Logf("  p%d found %v, of which the server sees %v, wrapper %v (%+.1f %%), client %v (%+.1f %%)", percent, a, own, b, 100*(own.Seconds()/b.Seconds()-1), c, 100*(a.Seconds()/c.Seconds()-1))
	}
	wrong, waits := p.misattributed(r, pairs)
	if waits > 0 {
		t.Logf("  of %v in waits, %.1f %% are charged to the wrong one", waits, 100*wrong.Seconds()/waits.Seconds())
	}
	slow := r.report[0].Slow
	for i := range slow[:min(4, len(slow))] {
		t.Logf("  %d. %v %s", i+1, time.Duration(slow[i].Excess), slow[i].Words())
	}
	assert.LessOrEqual(t, missed+spurious, max(1, n/1000))
	if !*all {
		return // in so short a time, on a busy machine, anything may be what slow requests do more
	}
	assert.LessOrEqual(t, wrong.Seconds(), waits.Seconds()/10)
	require.NotEmpty(t, slow)
	var second *report.LatencyPart
	if len(slow) > 1 {
		second = &slow[1].LatencyPart
	}
	assert.True(t, p.is(&slow[0].LatencyPart, second), "the planted cause of %s is not first", p.name)
}

// unseen returns for how long a request lay there before the server had read it, as it waits for a processor and for the system call. With HTTP/2 the server notes what its
// handler sees: nothing before the goroutine of the request first has a processor, nor until the response is written when the handler has returned.
func unseen(q *requests.Request) (ns int64) {
	for i := range q.Parts {
		p := &q.Parts[i]
		n := len(p.CallPath)
		if slices.Contains(p.CallPath, "main.(*conn).Read") || slices.Contains(p.CallPath, "http.(*http2responseWriter).handlerDone") ||
			p.Metric == metric.Ready && n > 0 && p.CallPath[n-1] == "http.(*http2serverConn).runHandler" {
			ns += p.Mean
		}
	}
	return ns
}

// pair is a request that happened and was found.
type pair struct {
	truth *Served
	found *requests.Request
}

// slack is how far the clocks of a server's notes and of its recording may be apart, beside what is constant.
const slack = int64(300 * time.Microsecond)

// match finds for each request that happened the one that was found, on the same goroutine around its handler.
func (r *result) match() (missed, spurious int, pairs []pair) {
	of := map[uint64][]*requests.Request{}
	for i := range r.found {
		q := &r.found[i]
		g := r.archive.Definitions().Locations[q.Location].GoID
		of[g] = append(of[g], q)
	}
	slices.SortFunc(r.truth.Requests, func(a, b *Served) int { return cmp.Compare(a.Begin, b.Begin) })
	start := r.start(of)
	used := 0
	for _, s := range r.truth.Requests {
		list := of[s.Goroutine]
		i := slices.IndexFunc(list, func(q *requests.Request) bool { return q.Begin-slack <= s.Begin-start && s.End-start <= q.End+slack })
		if i < 0 {
			missed++
			continue
		}
		if used++; !list[i].Cut {
			pairs = append(pairs, pair{s, list[i]})
		}
		of[s.Goroutine] = slices.Delete(slices.Clone(list), i, i+1)
	}
	return missed, len(r.found) - used, pairs
}

// start returns when the recording began by the clock of the server's notes: requests end so soon after their handlers, mostly.
func (r *result) start(found map[uint64][]*requests.Request) int64 {
	var apart []int64
	truly := map[uint64][]*Served{}
	for _, s := range r.truth.Requests {
		truly[s.Goroutine] = append(truly[s.Goroutine], s)
	}
	for g, list := range truly {
		if len(found[g]) == len(list) {
			for i, s := range list {
				apart = append(apart, max(s.End, s.Written)-found[g][i].End)
			}
		}
	}
	if len(apart) == 0 {
		return r.archive.Header().Start
	}
	slices.Sort(apart)
	return apart[len(apart)/2]
}

// misattributed returns how much of the waits for what requests compete for is charged to somebody who did not have it, and how long the waits are.
func (p *planted) misattributed(r *result, pairs []pair) (wrong, waits time.Duration) {
	if p.holder == "" {
		return 0, 0
	}
	overlap := func(a, b Span) int64 { return max(0, min(a.End, b.End)-max(a.Begin, b.Begin)) }
	of := map[uint64][]Span{}
	for _, w := range r.truth.Waits {
		of[w.Goroutine] = append(of[w.Goroutine], w)
	}
	for _, x := range pairs {
		var truly, charged, total int64 // to the holder
		for _, w := range of[x.truth.Goroutine] {
			if w.Begin < x.truth.Begin || w.End > x.truth.End {
				continue
			}
			for _, h := range r.truth.Holds {
				if h.Goroutine != x.truth.Goroutine {
					truly += overlap(w, h)
				}
			}
		}
		for i := range x.found.Parts {
			if part := &x.found.Parts[i]; part.Causer != nil && strings.Contains("lock_competition rw_reader_wait rw_writer_wait late_sender late_close", part.Metric) && !reachesOf(&report.LatencyPart{Step: part.Step}, "refresh") {
				total += part.Mean
				if reachesOf(part, p.holder) {
					charged += part.Mean
				}
			}
		}
		waits += time.Duration(total)
		wrong += time.Duration(max(charged-truly, truly-charged))
	}
	return wrong, waits
}

// rank returns a percentile, by nearest rank.
func rank(list []time.Duration, percent int) time.Duration {
	list = slices.Sorted(slices.Values(list))
	if len(list) == 0 {
		return 0
	}
	return list[(len(list)*percent+99)/100-1]
}
