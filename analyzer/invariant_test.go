package analyzer_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/internal/naive"
	"tracerec/internal/naive/random"
	"tracerec/metric"
	"tracerec/report"
	"tracerec/trace"
	"tracerec/trace/tracetext"
)

// blocks is a trace text taken apart: what precedes the first location of each process, and the locations.
type blocks struct {
	processes []*processBlock
}

type processBlock struct {
	head      []string
	locations []*locationBlock
}

type locationBlock struct {
	name   string
	events []eventLine
}

type eventLine struct {
	at   int64
	text string
}

// takeApart parses as much of a trace text as random traces have.
func takeApart(t *testing.T, text string) *blocks {
	b := &blocks{processes: []*processBlock{{}}}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		p := b.processes[len(b.processes)-1]
		word, rest, _ := strings.Cut(line, " ")
		at, err := strconv.ParseInt(word, 10, 64)
		switch {
		case word == "process":
			b.processes = append(b.processes, &processBlock{head: []string{line}})
		case word == "location":
			p.locations = append(p.locations, &locationBlock{name: rest})
		case err == nil:
			l := p.locations[len(p.locations)-1]
			l.events = append(l.events, eventLine{at, rest})
		default:
			p.head = append(p.head, line)
		}
	}
	require.Equal(t, text, b.String())
	return b
}

func (b *blocks) String() string {
	var s strings.Builder
	for _, p := range b.processes {
		for _, h := range p.head {
			fmt.Fprintln(&s, h)
		}
		for _, l := range p.locations {
			fmt.Fprintln(&s, "location", l.name)
			for _, e := range l.events {
				fmt.Fprintf(&s, "  %d %s\n", e.at, e.text)
			}
		}
	}
	return s.String()
}

// names are the locations in the order of their indexes; those without events have none.
func (b *blocks) names() (names []string) {
	for _, p := range b.processes {
		for _, l := range p.locations {
			if len(l.events) > 0 {
				names = append(names, l.name)
			}
		}
	}
	return names
}

// stretch makes times of different locations different, so that no rule for ties decides anything. A
// relabelling changes which of equal times comes first. It stretches no more than that takes: the oracle goes from ns to ns.
func (b *blocks) stretch() {
	all := 0
	for _, p := range b.processes {
		all += len(p.locations)
	}
	n := 0
	for _, p := range b.processes {
		for _, l := range p.locations {
			n++
			for i := range l.events {
				l.events[i].at = l.events[i].at*int64(all+1) + int64(n)
			}
		}
	}
}

// severities analyzes b and returns all severities, critical shares and never-ended waits that are to be
// kept, by name of location.
func (b *blocks) severities(t *testing.T, keep func(naive.Cell) bool) map[string]int64 {
	text := b.String()
	a, err := tracetext.Open("random", text)
	require.NoError(t, err, text)
	r := result(a, analyze(t, a, 2))
	names := b.names()
	all := map[string]int64{"time": r.Time, "focus": r.Focus}
	for kind, cells := range map[string]map[naive.Cell]int64{"": r.Severity, "critical ": r.Critical, "never ended ": r.NeverEnded} {
		for c, v := range cells {
			if kind == "critical " {
				k := c
				k.Metric = "critical " + c.Metric
				if keep != nil && !keep(k) {
					continue
				}
			}
			if keep == nil || keep(c) {
				all[fmt.Sprint(kind, c.Metric, " ", c.Path, " ", names[c.Location])] += v
			}
		}
	}
	return all
}

// TestRelabelling gives locations other numbers: which is first must not matter.
func TestRelabelling(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for seed := range seeds(200) {
		b := takeApart(t, random.Trace(seed))
		b.stretch()
		// Equal times on the critical path may give this to another location; everything else is unique.
		// So do steps by time, which lead to the lowest-numbered goroutine, and the start where the main one is not the last.
		numbered := b.ledByNumbers(t)
		keep := func(c naive.Cell) bool {
			return c.Metric != "critical_path_imbalance" && !(numbered && strings.HasPrefix(c.Metric, "critical"))
		}
		want := b.severities(t, keep)
		for _, p := range b.processes {
			others := p.locations[1:] // the first is the main goroutine
			r.Shuffle(len(others), func(i, j int) { others[i], others[j] = others[j], others[i] })
		}
		require.Empty(t, differences("relabelled", b.severities(t, keep), want), "seed %d\n%s", seed, b)
	}
}

// ledByNumbers says whether the numbers of locations decide where the critical path goes.
func (b *blocks) ledByNumbers(t *testing.T) bool {
	a, err := tracetext.Open("random", b.String())
	require.NoError(t, err)
	r, err := naive.Analyze(a)
	require.NoError(t, err)
	for c := range r.NeverEnded {
		if c.Location == 0 { // others may be at work until the end
			return true
		}
	}
	main := b.processes[0].locations[0].events
	lost := slices.ContainsFunc(main, func(e eventLine) bool { return strings.HasPrefix(e.text, "lost ") }) // then that is not told
	return r.Split.ByTime > 0 || len(main) == 0 || lost
}

// TestShift moves all events to a later time.
func TestShift(t *testing.T) {
	for seed := range seeds(200) {
		b := takeApart(t, random.Trace(seed))
		keep := func(c naive.Cell) bool { return c.Metric != "" } // since when a wait lasts is a time
		want := b.severities(t, keep)
		for i, p := range b.processes {
			p.shift(i, 1_000_000_007)
			for _, l := range p.locations {
				for i := range l.events {
					l.events[i].at += 1_000_000_007
				}
			}
		}
		require.Empty(t, differences("shifted", b.severities(t, keep), want), "seed %d", seed)
	}
}

// shift moves the life of the process to a later time.
func (p *processBlock) shift(number int, by int64) {
	for i, line := range p.head {
		if at, found := strings.CutPrefix(line, "exited "); found {
			var end, status int64
			fmt.Sscan(at, &end, &status)
			p.head[i] = fmt.Sprintf("exited %d %d", end+by, status)
		}
	}
	if number == 0 {
		p.head = slices.Insert(p.head, 0, "process main pid 1")
	}
	p.head[0] += fmt.Sprintf(" start %d", by)
}

// TestUnrelated inserts events that have nothing to do with the others: a goroutine with a lock and a channel of
// its own, and regions without length. Nothing else may change, but polling: who does anything else does not poll.
func TestUnrelated(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for seed := range seeds(200) {
		b := takeApart(t, random.Trace(seed))
		keep := func(c naive.Cell) bool {
			return !strings.Contains(c.Path, "unrelated") && c.Metric != metric.Polling && c.Metric != metric.FailedTries
		}
		want, led := b.severities(t, keep), b.ledByNumbers(t)
		extra := int64(0)
		for _, p := range b.processes {
			for _, l := range p.locations {
				l.insert(r)
			}
		}
		p := b.processes[0]
		// A path that is led by time may come to any goroutine.
		if first := p.locations[0].events; len(first) > 1 && !led {
			extra = p.addLocation(first[0].at, first[len(first)-1].at)
		}
		got := b.severities(t, keep)
		got["time"] -= extra
		require.Empty(t, differences("with unrelated events", got, want), "seed %d\n%s", seed, b)
	}
}

// insert puts regions without length at random places: not between a sample of counters and the event that
// it belongs to, nor in a select (whose end may be lost), nor before the first or behind the last event.
func (l *locationBlock) insert(r *rand.Rand) {
	for range 3 {
		if len(l.events) < 3 {
			return
		}
		i := 2 + r.IntN(len(l.events)-2)
		states := []string{"ready", "running", "syscall", "assist", "stopped", "parked"}
		last, before := i, "running"
		for ; last > 0 && slices.Contains(states, before); last-- {
			before, _, _ = strings.Cut(l.events[last-1].text, " ")
		}
		if slices.Contains([]string{"counters", "end", "select", "lost", "overhead"}, before) {
			continue
		}
		at := l.events[i-1].at
		l.events = slices.Insert(l.events, i, eventLine{at, "enter unrelated"}, eventLine{at, "exit"})
	}
}

// addLocation adds a goroutine that lives from begin to end, and returns how long.
func (p *processBlock) addLocation(begin, end int64) int64 {
	p.head = append(p.head, "mutex unrelatedlock", "channel unrelatedchannel cap 1")
	l := &locationBlock{name: "unrelated"}
	for i, text := range []string{
		"begin unrelated", "enter unrelated", "lock unrelatedlock", "leave", "send unrelatedchannel", "leave",
		"recv unrelatedchannel", "leave", "unlock unrelatedlock", "exit", "end",
	} {
		l.events = append(l.events, eventLine{begin + (end-begin)*int64(i)/10, text})
	}
	p.locations = append(p.locations, l)
	return end - begin
}

// TestSumsAreInclusive adds exclusive severities up along the metric tree: what is in time is the life of all
// locations, and no wait is longer than the operation, or another metric would be negative.
func TestSumsAreInclusive(t *testing.T) {
	for seed := range seeds(100) {
		a, err := tracetext.Open("random", random.Trace(seed))
		require.NoError(t, err)
		x := analyze(t, a, 2)
		inclusive := make([]int64, len(x.Metrics)) // children come behind their parents
		for m := range slices.Backward(x.Metrics) {
			for _, c := range x.Cells(m) {
				require.Positive(t, c.Value)
				inclusive[m] += c.Value
			}
			for k, child := range x.Metrics[m+1:] {
				if child.Parent == x.Metrics[m].Name {
					inclusive[m] += inclusive[m+1+k]
				}
			}
		}
		require.Equal(t, "time", x.Metrics[0].Name)
		require.Equal(t, x.Header.Time, inclusive[0])
		for m := range x.Metrics {
			require.Equal(t, inclusive[m], x.Total(m), x.Metrics[m].Name)
		}
	}
}

// TestJSONBytes demands the same bytes for any number of workers and any chunks.
func TestJSONBytes(t *testing.T) {
	for seed := range seeds(25) {
		text := random.Trace(seed)
		var want []byte
		for _, c := range []struct{ pieces, chunk, workers int }{{0, 0, 1}, {0, 0, 2}, {0, 0, 8}, {1, 1, 1}, {2, 5, 2}, {5, 3, 8}} {
			var archive, out bytes.Buffer
			w, err := trace.NewWriter(&archive, trace.Options{Resolution: 1, ChunkEvents: c.chunk})
			require.NoError(t, err)
			require.NoError(t, tracetext.Write(w, text, c.pieces))
			require.NoError(t, w.Close())
			a, err := trace.OpenReader("random", bytes.NewReader(archive.Bytes()), int64(archive.Len()))
			require.NoError(t, err)
			require.NoError(t, report.JSON(&out, analyze(t, a, c.workers)))
			if want == nil {
				want = out.Bytes()
			}
			require.Equal(t, string(want), out.String(), "%v\n%s", c, text)
		}
	}
}
