package otf2

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/report/cube"
	"tracerec/trace"
)

// ranks is an archive of four processes, whose ranks in communicator 1 are those of the world in the order 2, 0, 1.
func ranks() (a *Archive, define func(kind string, texts []string, values ...uint64)) {
	a = newArchive("memory.otf2")
	define = func(kind string, texts []string, values ...uint64) {
		a.define(&Record{specNamed(Global, kind), values, texts})
	}
	define("ClockProperties", nil, 1e9, 0, 1000, 0)
	for i, name := range []string{"", "grid", "x", "y", "ring"} {
		define("String", []string{name}, uint64(i))
	}
	for i := range uint64(4) {
		define("LocationGroup", nil, i, 0, 1, 0, none)
		define("Location", nil, 100+i, 0, 1, 9, i)
	}
	define("Group", nil, 0, 0, 0, 4, 100, 101, 102, 103, commLocations, mpi, 0)
	define("Group", nil, 1, 0, 0, 3, 2, 0, 1, 5, mpi, 0)
	define("Group", nil, 2, 0, 0, 2, 103, 9, 5, mpi, globalMembers)
	define("Group", nil, 3, 0, 0, 0, commSelf, mpi, 0)
	define("Group", nil, 4, 0, 0, 2, 3, 7, 5, mpi, 0)
	for i := range uint64(5) {
		define("Comm", nil, i, 0, i, none, 0)
	}
	define("CartDimension", nil, 0, 2, 2, 0)
	define("CartDimension", nil, 1, 3, 2, 1)
	return a, define
}

// topologiesOf returns the topologies of an archive, and what is noted of them.
func topologiesOf(a *Archive) ([]trace.Topology, []string) {
	a.build()
	s := &source{a: a}
	s.define()
	s.topologies()
	return s.Definitions.Topologies, s.Header.Notes
}

// TestTopologies: ranks are those of the communicator of the topology.
func TestTopologies(t *testing.T) {
	a, define := ranks()
	define("CartTopology", nil, 7, 1, 1, 2, 0, 1)
	define("CartTopology", nil, 8, 4, 2, 1, 1)
	for rank, at := range [][2]uint64{{0, 0}, {1, 1}, {1, 0}} {
		define("CartCoordinate", nil, 7, uint64(rank), 2, at[0], at[1])
	}
	define("CartCoordinate", nil, 8, 0, 1, 1)
	list, notes := topologiesOf(a)
	require.Empty(t, notes)
	require.Equal(t, []trace.Topology{
		{Name: "grid", Dims: []trace.Dim{{Name: "x", Size: 2}, {Name: "y", Size: 2, Periodic: true}}, Places: []trace.Place{{Location: 2, At: []int{0, 0}}, {Location: 0, At: []int{1, 1}}, {Location: 1, At: []int{1, 0}}}},
		{Name: "ring", Dims: []trace.Dim{{Name: "y", Size: 2, Periodic: true}}, Places: []trace.Place{{Location: 3, At: []int{1}}}},
	}, list)
}

// TestNoPlaces: places of what is not defined, and outside of the grid, are left out, and that is said.
func TestNoPlaces(t *testing.T) {
	a, define := ranks()
	define("CartTopology", nil, 0, 1, 1, 2, 0, 1)
	define("CartCoordinate", nil, 0, 3, 2, 0, 0) // no such rank
	define("CartCoordinate", nil, 0, 0, 2, 2, 0) // outside
	define("CartCoordinate", nil, 0, 0, 1, 0)    // of a line
	define("CartCoordinate", nil, 9, 0, 1, 0)    // of nothing
	define("CartTopology", nil, 1, 4, 2, 1, 5)   // without a dimension
	define("CartCoordinate", nil, 1, 0, 1, 0)
	define("InterComm", nil, 5, 0, 0, 1, none, 0)
	for i, comm := range []uint64{2, 3, 4, 5, 6} { // no such location; alone; no such rank of the world; between two groups; not defined
		define("CartTopology", nil, 2+uint64(i), 4, comm, 1, 1)
		define("CartCoordinate", nil, 2+uint64(i), 1, 1, 0)
	}
	list, notes := topologiesOf(a)
	require.Len(t, list, 7)
	for _, x := range list {
		require.Empty(t, x.Places)
	}
	require.Len(t, notes, 7)
	require.Equal(t, `3 places in topology "grid" are left out: of ranks without events, or outside`, notes[0])
}

// TestTopologiesAsScalasca: they are those that its reports have.
func TestTopologiesAsScalasca(t *testing.T) {
	places := 0
	for archive, report := range map[string]string{"partdiff/run_2": "partdiff2", "partdiff/run_7": "partdiff7", "npb-mz/btmzS_4x2": "npb-btmzS_4x2", "npb-mz/spmzS_4x2": "npb-spmzS_4x2", "small/mpi_allreduce": "dorsal-allreduce"} {
		file := filepath.Join("../../../shared/data/oracle", report, "scout.cubex")
		if _, err := os.Stat(file); err != nil {
			t.Skip("no reports of Scalasca in ../shared/data/oracle")
		}
		c, err := cube.Open(file)
		require.NoError(t, err)
		var want, got []string
		for _, x := range c.Topologies {
			for _, p := range x.Coords {
				l := p.Of.(*cube.Location)
				want = append(want, fmt.Sprint(x.Name, x.Dims, l.Group.Rank, l.Name, p.At))
			}
		}
		a, err := Open(filepath.Join("../../../shared/data/otf2", archive, "traces.otf2"))
		require.NoError(t, err)
		s := &source{a: a}
		s.define()
		s.topologies()
		require.Empty(t, s.Header.Notes)
		for _, x := range s.Definitions.Topologies {
			for _, p := range x.Places {
				l := &s.Definitions.Locations[p.Location]
				got = append(got, fmt.Sprint(x.Name, x.Dims, l.Process, l.Name, p.At))
			}
		}
		require.ElementsMatch(t, want, got, archive)
		places += len(got)
	}
	require.Greater(t, places, 16+16+8+8)
}
