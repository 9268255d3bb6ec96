// Package cubetest makes cubes of any size for tests and benchmarks.
package cubetest

import (
	"fmt"
	"math/rand/v2"

	"tracerec/report/cube"
)

// Synthetic makes a complete cube of that many metrics, call paths and locations, in which every row has the given part of its
// values set; 1 sets all. The same arguments give the same cube.
//
// Metrics "metric0", "metric1", … are pairs of a parent and a child whose values the parent's include; those of every second
// pair are INT64 in "ns", the others DOUBLE in "sec", all exclusive along the call tree. Call paths form a tree whose nodes have
// up to four children; every eighth region is called from several places. Locations are in groups of up to 100 "worker[i]", 10
// groups in a process.
func Synthetic(metrics, paths, locations int, fill float64) *cube.Cube {
	c := &cube.Cube{Attrs: []cube.Attr{{Key: "Creator", Value: "synthetic"}}}
	addMetrics(c, metrics)
	addPaths(c, paths)
	addSystem(c, locations)
	must(c.Complete())
	rnd := rand.New(rand.NewPCG(uint64(metrics)<<32|uint64(paths), uint64(locations)))
	for _, m := range c.Metrics {
		for _, p := range c.Paths() {
			columns := draw(rnd, locations, fill)
			below := set(rnd, m, p, locations, columns, nil)
			for _, child := range m.Children {
				set(rnd, child, p, locations, columns, below)
			}
		}
	}
	return c
}

func must(err error) {
	if err != nil {
		panic(err) // the arguments make it impossible
	}
}

func addMetrics(c *cube.Cube, n int) {
	for i := range n {
		m := &cube.Metric{ID: i, Name: fmt.Sprintf("metric%d", i), Title: fmt.Sprintf("Metric %d", i), DType: "INT64", Unit: "ns", Kind: cube.Exclusive}
		if i/2%2 == 1 {
			m.DType, m.Unit = "DOUBLE", "sec"
		}
		if i%2 == 0 {
			c.Metrics = append(c.Metrics, m)
		} else {
			parent := c.Metrics[len(c.Metrics)-1]
			parent.Children = append(parent.Children, m)
		}
	}
}

func addPaths(c *cube.Cube, n int) {
	list := make([]*cube.CallPath, n)
	for i := range list {
		if i < 8 || i%8 != 0 {
			r := len(c.Regions)
			c.Regions = append(c.Regions, &cube.Region{ID: r, Name: fmt.Sprintf("region%d", r), Paradigm: "user", Role: "function",
				Module: fmt.Sprintf("/src/file%d.go", r%20), Begin: r, End: r + 9})
		}
		list[i] = &cube.CallPath{ID: i, Region: c.Regions[i%len(c.Regions)], Line: -1}
		if i == 0 {
			c.Roots = append(c.Roots, list[i])
		} else {
			parent := list[(i-1)/4]
			parent.Children = append(parent.Children, list[i])
		}
	}
}

func addSystem(c *cube.Cube, n int) {
	machine := &cube.SystemNode{Name: "machine", Class: "machine"}
	c.System = []*cube.SystemNode{machine}
	var process *cube.SystemNode
	var group *cube.LocationGroup
	for i := range n {
		if i%1000 == 0 {
			process = &cube.SystemNode{ID: 1 + i/1000, Name: fmt.Sprintf("program (pid %d)", 1+i/1000), Class: "process"}
			machine.Children = append(machine.Children, process)
		}
		if i%100 == 0 {
			group = &cube.LocationGroup{ID: i / 100, Name: "worker", Rank: i / 100, Type: "process"}
			process.Groups = append(process.Groups, group)
		}
		group.Locations = append(group.Locations, &cube.Location{ID: i, Name: fmt.Sprintf("worker[%d]", i%100), Rank: i % 100, Type: "thread"})
	}
}

// draw returns ascending columns, the given part of n, spread evenly.
func draw(rnd *rand.Rand, n int, fill float64) []int32 {
	k := min(n, int(float64(n)*fill+0.5))
	columns := make([]int32, k)
	for i := range columns {
		from, to := i*n/k, (i+1)*n/k
		columns[i] = int32(from + rnd.IntN(to-from))
	}
	return columns
}

// set gives a row values from 1 to a million, or a part of those of the metric above, and returns them.
func set(rnd *rand.Rand, m *cube.Metric, p *cube.CallPath, n int, columns []int32, above []int64) []int64 {
	numbers, values := make([]int64, len(columns)), make([]cube.Value, len(columns))
	for i := range columns {
		most := int64(1_000_000)
		if above != nil {
			most = above[i]
		}
		numbers[i] = 1 + rnd.Int64N(most)
		if values[i] = cube.Int(numbers[i]); m.DType == "DOUBLE" {
			values[i] = cube.Float(float64(numbers[i]) / 1024) // sums are exact
		}
	}
	if len(columns) == 0 {
		return numbers
	}
	r, err := cube.MakeSparseRow(m.DType, n, columns, values)
	must(err)
	must(m.Set(p, r))
	return numbers
}
