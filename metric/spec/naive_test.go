package spec

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// naive evaluates a specification on values, by recursion and without linear forms: a second implementation of the rules.
type naive struct {
	s      *Spec
	values map[string]int64
}

type quantity struct {
	v               int64
	known, complete bool
	composed        bool
}

func (n naive) of(name string) quantity {
	e := n.s.entries[name]
	if e != nil && e.is("absent") {
		return quantity{}
	}
	candidates := []string{name}
	if e != nil {
		candidates = nil
		for _, m := range e.measure {
			candidates = append(candidates, m.name)
		}
		candidates = append(candidates, name)
	}
	for _, c := range candidates {
		if v, ok := n.values[c]; ok {
			return quantity{v, true, true, false}
		}
	}
	if e == nil {
		return quantity{}
	}
	for _, m := range e.measure {
		if q := n.of(m.name); q.complete {
			return q
		}
	}
	for _, c := range e.compute {
		sum := quantity{0, true, true, false}
		for _, o := range c.operands {
			q := n.of(o.name)
			sum.v += q.v * o.times
			sum.complete = sum.complete && q.complete
		}
		if sum.complete {
			return sum
		}
	}
	return n.sum(n.s.children(name))
}

func (n naive) sum(parts []part) quantity {
	sum := quantity{complete: true, composed: true}
	for _, p := range parts {
		q := n.of(p.name)
		sum.v += q.v
		sum.known = sum.known || q.known
		absent := n.s.entries[p.name].is("absent")
		sum.complete = sum.complete && (q.complete || absent)
	}
	if !sum.known {
		return quantity{}
	}
	return sum
}

// generate makes a random specification: M0, M1, … of which each is made of later ones and of events e0, e1, …
func generate(r *rand.Rand, metrics, events int) string {
	var b strings.Builder
	taken := map[string]bool{} // has a parent
	for i := range metrics {
		below := func(alone bool) string {
			for {
				name := fmt.Sprint("e", r.IntN(events))
				if j := i + 1 + r.IntN(metrics); j < metrics && r.IntN(2) == 0 {
					name = fmt.Sprint("M", j)
				}
				if !alone || !taken[name] || r.IntN(30) == 0 {
					return name
				}
			}
		}
		if r.IntN(3) > 0 && len(taken) < events {
			var parts []string
			for range 1 + r.IntN(4) {
				if p := below(true); !taken[p] && len(taken) < events {
					taken[p] = true
					parts = append(parts, p)
				}
			}
			if r.IntN(4) == 0 {
				parts = append(parts, fmt.Sprint("rest", i))
			}
			if len(parts) > 0 {
				fmt.Fprintf(&b, "compose M%d = %s\n", i, strings.Join(parts, " + "))
			}
		}
		if r.IntN(3) == 0 {
			fmt.Fprintf(&b, "measure M%d = m%d | n%d\n", i, i, i)
		}
		if r.IntN(3) == 0 {
			fmt.Fprintf(&b, "compute M%d = %s - 2 * (%s - %s)\n", i, below(false), below(false), below(false))
		}
		if r.IntN(20) == 0 {
			fmt.Fprintf(&b, "absent M%d\n", i)
		}
	}
	return b.String()
}

func TestNaive(t *testing.T) {
	seen := map[Kind]int{}
	incomplete, negative := 0, 0
	for seed := range uint64(1200) {
		r := rand.New(rand.NewPCG(seed, 1))
		metrics, events := 2+r.IntN(10), 5+r.IntN(30)
		text := generate(r, metrics, events)
		s, err := Parse("random", []byte(text))
		require.NoError(t, err, "seed %d\n%s", seed, text)
		names, values, all := someEvents(r, metrics, events)
		res := s.Resolve(names)
		n := naive{s, all}
		sums := make([]int64, len(res.Nodes)) // of the children
		for i := len(res.Nodes) - 1; i >= 0; i-- {
			node := &res.Nodes[i]
			v := node.Value(values)
			if node.Parent >= 0 {
				sums[node.Parent] += v
			}
			seen[node.Kind]++
			if node.Kind == Remainder {
				continue
			}
			q := n.of(node.Label)
			require.Equal(t, quantity{v, true, len(node.Missing) == 0, node.Kind == Composed}, q, "seed %d: %s of\n%s", seed, node.Name, text)
			if len(node.Missing) > 0 {
				incomplete++
			}
			if node.Kind == Composed {
				require.Equal(t, v, sums[i], "a sum is that of its parts; seed %d: %s of\n%s", seed, node.Name, text)
			}
			if v < 0 {
				negative++
			}
		}
		requireRemainders(t, s, res, n, values)
		requirePermuted(t, r, s, res, names, values)
	}
	for k := Measured; k <= Remainder; k++ {
		require.Greater(t, seen[k], 100, "kind %d", k)
	}
	require.Greater(t, incomplete, 100)
	require.Greater(t, negative, 100)
}

// someEvents chooses events that were measured, and their values.
func someEvents(r *rand.Rand, metrics, events int) (names []string, values []int64, all map[string]int64) {
	all = map[string]int64{}
	add := func(name string, one int) {
		if r.IntN(one) > 0 {
			names = append(names, name)
			values = append(values, int64(r.IntN(1000)))
			all[name] = values[len(values)-1]
		}
	}
	for i := range events {
		add(fmt.Sprint("e", i), 8)
	}
	for i := range metrics {
		add(fmt.Sprint("m", i), 2)
		add(fmt.Sprint("n", i), 2)
	}
	return names, values, all
}

// requireRemainders wants each remainder to make its parent's parts equal to the parent, which is no sum, and each such parent
// with one unknown part to have one.
func requireRemainders(t *testing.T, s *Spec, res *Resolved, n naive, values []int64) {
	left := make([]int64, len(res.Nodes))
	has := make([]bool, len(res.Nodes))
	for i := range res.Nodes {
		node := &res.Nodes[i]
		left[i] += node.Value(values)
		if node.Parent >= 0 {
			left[node.Parent] -= node.Value(values)
			has[node.Parent] = has[node.Parent] || node.Kind == Remainder
		}
	}
	for i := range res.Nodes {
		node := &res.Nodes[i]
		unknown, incomplete, known := 0, 0, 0
		for _, p := range s.children(node.Label) {
			switch q := n.of(p.name); {
			case q.complete:
				known++
			case q.known:
				incomplete++
			case !s.entries[p.name].is("absent"):
				unknown++
				if e := s.entries[p.name]; e.defined() || e.is("event") {
					incomplete++
				}
			}
		}
		expected := node.Kind < Remainder && node.Kind != Composed && unknown == 1 && incomplete == 0 && known > 0
		require.Equal(t, expected, has[i], node.Name)
		if has[i] {
			require.Zero(t, left[i], node.Name)
		}
	}
}

// requirePermuted wants the order of the events not to matter.
func requirePermuted(t *testing.T, r *rand.Rand, s *Spec, res *Resolved, names []string, values []int64) {
	order := r.Perm(len(names))
	names2, values2 := make([]string, len(names)), make([]int64, len(names))
	for i, j := range order {
		names2[i], values2[i] = names[j], values[j]
	}
	other := s.Resolve(names2)
	require.Len(t, other.Nodes, len(res.Nodes))
	for i := range res.Nodes {
		a, b := &res.Nodes[i], &other.Nodes[i]
		require.Equal(t, a.Value(values), b.Value(values2))
		require.Equal(t, []any{a.Name, a.Parent, a.Kind, a.Missing}, []any{b.Name, b.Parent, b.Kind, b.Missing})
		require.True(t, slices.IsSortedFunc(b.Form, func(x, y Term) int { return x.Event - y.Event }))
	}
}

// Sums that were measured in parts are completed by adding the parts: each event in one of several runs, all runs together.
func TestPartsOfSumsAddUp(t *testing.T) {
	complete := 0
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 2))
		var b strings.Builder
		var names []string
		for i := range 4 {
			fmt.Fprintf(&b, "compose S%d = S%d", i, i+1)
			for range 1 + r.IntN(4) {
				names = append(names, fmt.Sprint("e", len(names)))
				b.WriteString(" + " + names[len(names)-1])
			}
			b.WriteString("\n")
		}
		names = append(names, "S4")
		s := parse(t, b.String())
		runs := 1 + r.IntN(5)
		parts := make([][]string, runs)
		values := map[string]int64{}
		for _, n := range names {
			k := r.IntN(runs)
			parts[k] = append(parts[k], n)
			values[n] = int64(r.IntN(1000)) - 100
		}
		sums := map[string]int64{}
		for _, p := range parts {
			addNodes(s, p, values, sums)
		}
		whole := map[string]int64{}
		for i, n := range addNodes(s, names, values, whole) {
			require.Empty(t, n.Missing)
			require.Equal(t, whole[n.Name], sums[n.Name], "node %d of\n%s", i, b.String())
			complete++
		}
	}
	require.Greater(t, complete, 1000)
}

func addNodes(s *Spec, names []string, values, sums map[string]int64) []Node {
	v := make([]int64, len(names))
	for i, n := range names {
		v[i] = values[n]
	}
	r := s.Resolve(names)
	for i := range r.Nodes {
		sums[r.Nodes[i].Name] += r.Nodes[i].Value(v)
	}
	return r.Nodes
}
