package patterns_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/analyzer"
	"tracerec/patterns"
	"tracerec/trace/wire"
)

// at once: the operation did not block.
const atOnce = analyzer.NotBlocked

// op makes an operation that went well. Its path is its begin, so that a causer's path tells which
// operation is meant.
func op(kind wire.Kind, loc uint32, begin, blocked, end int64) analyzer.Op {
	return analyzer.Op{Kind: kind, Loc: loc, Begin: begin, Blocked: blocked, End: end, Path: uint32(begin)}
}

func point(kind wire.Kind, loc uint32, t int64) analyzer.Op { return op(kind, loc, t, atOnce, t) }

func send(loc uint32, begin, blocked, end int64) analyzer.Op {
	return op(wire.SendBegin, loc, begin, blocked, end)
}

func recv(loc uint32, begin, blocked, end int64) analyzer.Op {
	return op(wire.RecvBegin, loc, begin, blocked, end)
}

func sel(loc uint32, begin, end int64, how wire.Outcome) analyzer.Op {
	return with(op(wire.SelectBegin, loc, begin, atOnce, end), how)
}

// with sets the outcome of an operation.
func with(o analyzer.Op, how wire.Outcome) analyzer.Op {
	o.Outcome = how
	return o
}

// mode sets the mode, delta or generation.
func mode(o analyzer.Op, mode uint32) analyzer.Op {
	o.Mode = mode
	return o
}

// open marks an operation that never ended.
func open(o analyzer.Op) analyzer.Op {
	o.Open = true
	return o
}

// scenario is the life of one object and what is to be found in it.
type scenario struct {
	name string
	kind wire.ObjectKind
	size uint64
	ops  []analyzer.Op // of a location in order
	want []string      // waits as "metric location begin-end by causer@begin of its operation", in any order
	lost uint64        // impossible pairs
}

var all = patterns.All()

// match runs the matchers over ops, sorted by location first.
func match(kind wire.ObjectKind, size uint64, ops []analyzer.Op) ([]analyzer.Op, []analyzer.Wait, analyzer.Counts) {
	ops = slices.Clone(ops)
	slices.SortStableFunc(ops, func(a, b analyzer.Op) int { return cmp.Compare(a.Loc, b.Loc) })
	var waits []analyzer.Wait
	counts := new(analyzer.Matcher).Match(kind, size, ops, func(points []analyzer.SynchPoint) {
		for _, p := range points {
			i := slices.IndexFunc(all, func(of *analyzer.Pattern) bool { return of.Point == p.Kind })
			waits = append(waits, analyzer.Wait{SynchPoint: p, Metric: uint16(i)})
		}
	})
	return ops, waits, counts
}

func show(ops []analyzer.Op, waits []analyzer.Wait) []string {
	list := []string{}
	for _, w := range waits {
		s := fmt.Sprintf("%s %d %d-%d", all[w.Metric].Name, ops[w.Op].Loc, w.Begin, w.Release)
		if w.Causer != analyzer.NoCauser {
			s += fmt.Sprintf(" by %d@%d", w.Causer, w.CauserPath)
		}
		if w.From != w.Begin {
			s += fmt.Sprintf(" from %d", w.From)
		}
		list = append(list, s)
	}
	return list
}

func run(t *testing.T, list []scenario) {
	for _, s := range list {
		t.Run(s.name, func(t *testing.T) {
			ops, waits, counts := match(s.kind, s.size, s.ops)
			require.ElementsMatch(t, s.want, show(ops, waits))
			require.Equal(t, s.lost, counts.Impossible)
		})
	}
}

func TestListIsValid(t *testing.T) {
	require.NoError(t, analyzer.Validate(patterns.All()))
}

func TestValidateFindsFaults(t *testing.T) {
	good := *patterns.LateSender
	for name, spoil := range map[string]func(p *analyzer.Pattern){
		"not an identifier":    func(p *analyzer.Pattern) { p.Name = "Late sender" },
		"no title":             func(p *analyzer.Pattern) { p.Title = "" },
		"no description":       func(p *analyzer.Pattern) { p.Description = "" },
		"no formula":           func(p *analyzer.Pattern) { p.Formula = "" },
		"without advice":       func(p *analyzer.Pattern) { p.Advice = "" },
		"does not come before": func(p *analyzer.Pattern) { p.Parent = "nobody" },
		"another unit":         func(p *analyzer.Pattern) { p.Parent = "visits" },
		"synch points are":     func(p *analyzer.Pattern) { p.Point = analyzer.WasDone },
		"without synch points": func(p *analyzer.Pattern) { p.Point = analyzer.NoPoint },
		"no such synch points": func(p *analyzer.Pattern) { p.Point = 255 },
		"taken":                func(p *analyzer.Pattern) { p.Name = "time" },
	} {
		bad := good
		spoil(&bad)
		err := analyzer.Validate([]*analyzer.Pattern{patterns.Time, patterns.Visits, patterns.Communication, patterns.Synchronization, patterns.JoinWait, &bad})
		require.ErrorContains(t, err, name)
	}
	require.ErrorContains(t, analyzer.Validate([]*analyzer.Pattern{nil}), "nil")
}
