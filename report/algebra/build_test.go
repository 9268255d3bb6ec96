package algebra

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/report/cube"
)

// builder makes small reports by hand.
type builder struct {
	t       *testing.T
	c       *cube.Cube
	regions map[string]*cube.Region
	paths   map[string]*cube.CallPath
	n       int
}

func build(t *testing.T) *builder {
	return &builder{t: t, c: &cube.Cube{}, regions: map[string]*cube.Region{}, paths: map[string]*cube.CallPath{}}
}

// path adds a call path such as "main/solve:12/send:20", where numbers are the lines of the calls.
func (b *builder) path(name string) *builder {
	above, list := "", &b.c.Roots
	for _, part := range strings.Split(name, "/") {
		above += "/" + part
		p := b.paths[above]
		if p == nil {
			region, line := part, -1
			if i := strings.IndexByte(part, ':'); i >= 0 {
				region = part[:i]
				_, err := fmt.Sscan(part[i+1:], &line)
				require.NoError(b.t, err)
			}
			if b.regions[region] == nil {
				b.regions[region] = &cube.Region{ID: len(b.c.Regions), Name: region, Module: "/src/a.go", Begin: -1, End: -1}
				b.c.Regions = append(b.c.Regions, b.regions[region])
			}
			p = &cube.CallPath{ID: len(b.paths), Region: b.regions[region], Line: line}
			if line >= 0 {
				p.Module = "/src/a.go"
			}
			b.paths[above] = p
			*list = append(*list, p)
		}
		list = &p.Children
	}
	return b
}

// file renames the source file.
func (b *builder) file(name string) *builder {
	for _, r := range b.c.Regions {
		r.Module = name
	}
	for _, p := range b.paths {
		if p.Module != "" {
			p.Module = name
		}
	}
	return b
}

// process adds a process of the given rank on a node, with threads.
func (b *builder) process(node string, rank, threads int) *builder {
	if len(b.c.System) == 0 {
		b.c.System = []*cube.SystemNode{{Name: "machine", Class: "machine"}}
	}
	machine := b.c.System[0]
	var n *cube.SystemNode
	for _, x := range machine.Children {
		if x.Name == node {
			n = x
		}
	}
	if n == nil {
		n = &cube.SystemNode{ID: len(machine.Children) + 1, Name: node, Class: "node"}
		machine.Children = append(machine.Children, n)
	}
	g := &cube.LocationGroup{ID: rank, Name: fmt.Sprintf("rank %d", rank), Rank: rank, Type: "process"}
	n.Groups = append(n.Groups, g)
	for i := range threads {
		g.Locations = append(g.Locations, &cube.Location{ID: b.n, Name: fmt.Sprintf("thread %d", i), Rank: i, Type: "thread"})
		b.n++
	}
	return b
}

// metric adds a metric whose value is given for call paths, the same at all locations.
func (b *builder) metric(name string) *cube.Metric {
	m := &cube.Metric{ID: len(b.c.Metrics), Name: name, Title: name, DType: "INT64", Unit: "ns", Kind: cube.Exclusive}
	b.c.Metrics = append(b.c.Metrics, m)
	return m
}

// derived adds a metric that is computed.
func (b *builder) derived(name, expression string) *cube.Metric {
	m := b.metric(name)
	derive(m, expression)
	return m
}

// done completes the report and sets values by metric and call path.
func (b *builder) done(name string, values map[string]map[string]int64) Input {
	if len(b.c.System) == 0 {
		b.process("node", 0, 1)
	}
	cube.NumberMetrics(b.c.Metrics)
	require.NoError(b.t, b.c.Complete())
	for metric, byPath := range values {
		m := b.c.Metric(metric)
		require.NotNil(b.t, m, metric)
		for path, v := range byPath {
			p := b.paths["/"+path]
			require.NotNil(b.t, p, path)
			list := make([]cube.Value, b.n)
			for i := range list {
				list[i] = cube.Int(v)
			}
			r, err := cube.MakeRow(m.DType, list)
			require.NoError(b.t, err)
			require.NoError(b.t, m.Set(p, r))
		}
	}
	return Input{Name: name, Cube: b.c}
}
