package cubepl

import (
	"encoding/binary"
	"html"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Scalasca's display hierarchy, evaluated on the stored values of its own reports: all metrics can be evaluated,
// the parts of time make up the whole, and what is derived by expressions is what adding up says.
func TestDisplayHierarchyOfReports(t *testing.T) {
	reports := 0
	sharedReports(t, func(file string, members map[string][]byte) {
		if !strings.HasSuffix(file, "scout.cubex") || !strings.Contains(file, "oracle") {
			return
		}
		reports++
		c := readCube(t, members)
		list, metrics := expressions(text(t, members["remapping.spec"]))
		for _, m := range metrics {
			if c.stored[m] == nil {
				c.stored[m] = map[[2]int]float64{}
			}
		}
		c.bind(t, list)
		total := map[string]float64{}
		for _, name := range metrics {
			if name == "critical_path_imbalance" && len(c.callPaths)*c.locations > 400 {
				continue // each cell asks for totals, which this Env adds up anew
			}
			x, err := c.value(name, Place{CallPath: 0, CallFlavour: Inclusive, System: All})
			require.NoError(t, err, "%s in %s", name, file)
			total[name] = x
		}
		require.Positive(t, total["time"], file)
		byParadigm := map[string]float64{}
		byRole := map[string]float64{}
		for path, p := range c.callPaths {
			region := c.regions[p.region]
			for location := range c.locations {
				cell := [2]int{path, location}
				x := c.stored["time"][cell] - c.stored["omp_idle_threads"][cell]
				require.GreaterOrEqual(t, x, -1e-9*total["time"], file)
				byParadigm[region[1]] += x
				role := region[1] + " " + region[2]
				if slices.Contains([]string{"MPI_Wait", "MPI_Waitall", "MPI_Waitany", "MPI_Waitsome", "MPI_Test", "MPI_Testall"}, region[0]) {
					role = "mpi point2point"
				}
				byRole[role] += x
			}
		}
		same := func(want, got float64) {
			t.Helper()
			require.InDelta(t, want, got, 1e-9*total["time"], file)
		}
		same(total["time"], total["execution"]+total["overhead"]+total["omp_idle_threads"])
		same(byParadigm["mpi"], total["mpi"])
		same(byRole["mpi point2point"], total["mpi_point2point"])
		same(byRole["mpi barrier"], total["mpi_sync_collective"])
		same(byRole["openmp implicit barrier"], total["omp_ibarrier"])
		require.LessOrEqual(t, total["mpi_latesender"]+total["mpi_latereceiver"], total["mpi_point2point"]*(1+1e-9), file)
		require.Equal(t, byParadigm["mpi"] == 0, c.hidden["mpi"], file)
	})
	require.Equal(t, 14, reports)
}

var (
	regionElement = regexp.MustCompile(`(?s)<region [^>]*>\s*<name>(.*?)</name>.*?<paradigm>(.*?)</paradigm>\s*<role>(.*?)</role>`)
	cnodeElement  = regexp.MustCompile(`<cnode [^>]*calleeId="(\d+)"|</cnode>`)
	metricElement = regexp.MustCompile(`(?s)<metric id="(\d+)" type="(\w+)".*?<uniq_name>(.*?)</uniq_name>\s*<dtype>(.*?)</dtype>`)
	location      = regexp.MustCompile(`<location Id`)
)

// readCube reads what these tests need of a report: the trees, and the metrics of type FLOAT.
func readCube(t *testing.T, members map[string][]byte) *cube {
	anchor := text(t, members["anchor.xml"])
	c := &cube{stored: map[string]map[[2]int]float64{}, derived: map[string]*Evaluator{}, kinds: map[string]string{}, hidden: map[string]bool{}}
	for _, m := range regionElement.FindAllStringSubmatch(anchor, -1) {
		c.regions = append(c.regions, [4]string{html.UnescapeString(m[1]), m[2], m[3]})
	}
	var stack []int
	for _, m := range cnodeElement.FindAllStringSubmatch(anchor, -1) {
		if m[0] == "</cnode>" {
			stack = stack[:len(stack)-1]
			continue
		}
		parent := -1
		if len(stack) > 0 {
			parent = stack[len(stack)-1]
		}
		callee, err := strconv.Atoi(m[1])
		require.NoError(t, err)
		stack = append(stack, len(c.callPaths))
		c.callPaths = append(c.callPaths, struct{ parent, region int }{parent, callee})
	}
	c.locations = len(location.FindAllString(anchor, -1))
	for _, m := range metricElement.FindAllStringSubmatch(anchor, -1) {
		if data := members[m[1]+".data"]; m[4] == "FLOAT" && data != nil {
			c.stored[m[3]] = c.readRows(t, m[2], members[m[1]+".index"], data)
		}
	}
	return c
}

// readRows returns exclusive values. The rows of inclusive metrics have another order: children lie together.
func (c *cube) readRows(t *testing.T, kind string, index, data []byte) map[[2]int]float64 {
	require.Equal(t, byte(1), index[17], "sparse index")
	index, data = index[22:], data[len("CUBEX.DATA"):]
	require.Equal(t, len(index)/4*c.locations*8, len(data))
	order := make([]int, len(c.callPaths))
	for i := range order {
		order[i] = i
	}
	if kind == "INCLUSIVE" {
		order = c.wide([]int{0}, 0)
	}
	values := map[[2]int]float64{}
	for row := range len(index) / 4 {
		path := order[binary.LittleEndian.Uint32(index[4*row:])]
		for l := range c.locations {
			x := math.Float64frombits(binary.LittleEndian.Uint64(data[8*(row*c.locations+l):]))
			values[[2]int{path, l}] += x
			if parent := c.callPaths[path].parent; kind == "INCLUSIVE" && parent >= 0 {
				values[[2]int{parent, l}] -= x
			}
		}
	}
	return values
}

// wide appends the call paths below one in the order of inclusive rows.
func (c *cube) wide(order []int, path int) []int {
	var children []int
	for i, p := range c.callPaths {
		if p.parent == path {
			children = append(children, i)
		}
	}
	order = slices.Concat(order, children)
	for _, child := range children {
		order = c.wide(order, child)
	}
	return order
}
