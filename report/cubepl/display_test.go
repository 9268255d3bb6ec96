package cubepl

import (
	"errors"
	"html"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// expression is one of a specification of metrics, with the metric that it belongs to.
type expression struct {
	element      string // cubepl, cubeplinit, cubeplaggr…
	metric, kind string
	text         string
}

// Expressions stand in specifications as they are, with < and & not escaped, so these are no XML.
var tags = regexp.MustCompile(`(?s)<!--.*?-->|<metric\b([^>]*)>|</metric>|<uniq_name>(.*?)</uniq_name>|<(cubepl\w*)[^>]*>(.*?)</cubepl\w*>`)

var typeAttribute = regexp.MustCompile(`\btype="(\w+)"`)

// expressions returns the expressions and the unique names of all metrics in a specification or an anchor.xml,
// in source order.
func expressions(source string) (list []expression, metrics []string) {
	var kinds []string // of the metrics around
	for _, m := range tags.FindAllStringSubmatch(source, -1) {
		switch {
		case strings.HasPrefix(m[0], "<metric"):
			kind := ""
			if t := typeAttribute.FindStringSubmatch(m[1]); t != nil {
				kind = t[1]
			}
			kinds = append(kinds, kind)
		case m[0] == "</metric>":
			kinds = kinds[:len(kinds)-1]
		case m[2] != "":
			metrics = append(metrics, strings.TrimSpace(m[2]))
		case strings.TrimSpace(m[4]) != "":
			list = append(list, expression{m[3], metrics[len(metrics)-1], kinds[len(kinds)-1], html.UnescapeString(m[4])})
		}
	}
	return list, metrics
}

// cube is a small experiment: an Env whose place of calculation moves as its metrics are evaluated.
type cube struct {
	regions   [][4]string // name, paradigm, role, module
	callPaths []struct{ parent, region int }
	locations int
	stored    map[string]map[[2]int]float64 // exclusive, by call path and location
	derived   map[string]*Evaluator
	kinds     map[string]string // of derived metrics
	hidden    map[string]bool
	at        Place // of the calculation, identifiers only, or All for the locations
}

func (c *cube) Array(name string) Array {
	ints := func(n int, at func(int) int) Array {
		l := make(list, n)
		for i := range l {
			l[i] = Number(float64(at(i)))
		}
		return l
	}
	texts := func(column int) Array {
		var l list
		for _, r := range c.regions {
			l = append(l, Text(r[column]))
		}
		return l
	}
	switch name {
	case "cube::#callpaths":
		return ints(1, func(int) int { return len(c.callPaths) })
	case "cube::#locations":
		return ints(1, func(int) int { return c.locations })
	case "cube::callpath::calleeid":
		return ints(len(c.callPaths), func(i int) int { return c.callPaths[i].region })
	case "cube::region::name":
		return texts(0)
	case "cube::region::paradigm":
		return texts(1)
	case "cube::region::role":
		return texts(2)
	case "cube::region::mod":
		return texts(3)
	case "calculation::callpath::id":
		return here{c}
	}
	return nil
}

// here is the call path of the calculation.
type here struct{ *cube }

func (h here) Len() int     { return 1 }
func (h here) At(int) Value { return Number(float64(h.at.CallPath)) }

func (c *cube) Property(string, string) (string, error) { return "", errors.New("has none") }

func (c *cube) SetProperty(metric, name, value string) error {
	if name == "value" && value == "VOID" {
		c.hidden[metric] = true
	}
	return nil
}

func (c *cube) Metric(name string) (Metric, error) {
	if c.stored[name] == nil && c.kinds[name] == "" {
		return nil, errors.New("not in this report")
	}
	return metricFunc(func(at Place) (float64, error) {
		if at.CallPath == Here {
			at.CallPath = c.at.CallPath
		}
		if at.CallFlavour == Same {
			at.CallFlavour = c.at.CallFlavour
		}
		if at.System == Here {
			at.System = c.at.System
		}
		return c.value(name, at)
	}), nil
}

// value returns a metric at a call path and a location or All.
func (c *cube) value(name string, at Place) (float64, error) {
	if c.kinds[name] == "POSTDERIVED" {
		return c.evaluate(name, at)
	}
	sum := 0.0
	for path := range c.callPaths {
		if path != at.CallPath && (at.CallFlavour == Exclusive || !c.below(path, at.CallPath)) {
			continue
		}
		for location := range c.locations {
			if at.System != All && at.System != location {
				continue
			}
			x := c.stored[name][[2]int{path, location}]
			if c.kinds[name] != "" {
				var err error
				if x, err = c.evaluate(name, Place{CallPath: path, System: location, CallFlavour: Exclusive}); err != nil {
					return 0, err
				}
			}
			sum += x
		}
	}
	return sum, nil
}

func (c *cube) evaluate(name string, at Place) (float64, error) {
	before := c.at
	defer func() { c.at = before }()
	c.at = at
	return c.derived[name].Eval()
}

func (c *cube) below(path, ancestor int) bool {
	for ; path >= 0; path = c.callPaths[path].parent {
		if path == ancestor {
			return true
		}
	}
	return false
}

// newCube returns an experiment with two locations and the display hierarchy of testdata:
//
//	0 main          10  20
//	1 ├ MPI_Init     1   2
//	2 ├ MPI_Send     3   4
//	3 ├ MPI_Barrier  5   6
//	4 ├ flush       7   8
//	5 └ !$omp loop   9  10
//	6   └ barrier    2   3
func newCube(t *testing.T) *cube {
	c := &cube{
		regions: [][4]string{
			{"main", "compiler", "function"}, {"MPI_Init", "mpi", "function"}, {"MPI_Send", "mpi", "point2point"},
			{"MPI_Barrier", "mpi", "barrier"}, {"TRACE BUFFER FLUSH", "measurement", "artificial"},
			{"!$omp loop", "openmp", "loop"}, {"!$omp ibarrier", "openmp", "implicit barrier"}},
		callPaths: []struct{ parent, region int }{{-1, 0}, {0, 1}, {0, 2}, {0, 3}, {0, 4}, {0, 5}, {5, 6}},
		locations: 2,
		stored:    map[string]map[[2]int]float64{},
		derived:   map[string]*Evaluator{}, kinds: map[string]string{}, hidden: map[string]bool{},
	}
	spec, err := os.ReadFile("testdata/remapping.spec")
	require.NoError(t, err)
	list, metrics := expressions(string(spec))
	require.Len(t, metrics, 195)
	for _, m := range metrics {
		c.stored[m] = map[[2]int]float64{} // what the measurement lacks is in the hierarchy without values
	}
	for i, row := range [][2]float64{{10, 20}, {1, 2}, {3, 4}, {5, 6}, {7, 8}, {9, 10}, {2, 3}} {
		for l, x := range row {
			c.stored["time"][[2]int{i, l}] = x
			c.stored["visits"][[2]int{i, l}] = 1
			c.stored["bytes_sent"][[2]int{i, l}] = 100 * x
		}
	}
	c.stored["omp_idle_threads"][[2]int{5, 1}] = 4
	c.stored["omp_management"][[2]int{5, 0}] = 0.5
	c.stored["critical_path"] = map[[2]int]float64{{0, 1}: 20, {3, 0}: 5}
	c.bind(t, list)
	return c
}

// bind prepares the expressions and runs those that initialise.
func (c *cube) bind(t *testing.T, list []expression) {
	context := NewContext(c, NewGlobals())
	programs := map[string]*Program{}
	for _, x := range list {
		p, err := Parse(x.text)
		require.NoError(t, err, x.metric)
		if x.element == "cubeplinit" {
			require.NoError(t, p.Bind(context).Run())
			continue
		}
		programs[x.metric], c.kinds[x.metric] = p, x.kind
	}
	for name, p := range programs {
		c.derived[name] = p.Bind(context)
	}
}

// The hierarchy that is displayed for a trace analysis, on the experiment that newCube shows.
func TestDisplayHierarchy(t *testing.T) {
	c := newCube(t)
	const root = 0
	for name, want := range map[string]float64{
		"time":                90,
		"execution":           71, // all but overhead and idle threads
		"overhead":            15, // BUFFER FLUSH
		"mpi":                 21, // 3 + 7 + 11
		"mpi_management":      3,  // MPI_Init
		"mpi_init_exit":       3,
		"mpi_mgmt_comm":       0,
		"mpi_synchronization": 11, // MPI_Barrier
		"mpi_sync_collective": 11,
		"mpi_communication":   7, // MPI_Send
		"mpi_point2point":     7,
		"mpi_collective":      0,
		"omp_time":            5.5, // management + barrier
		"omp_synchronization": 5,
		"omp_ibarrier":        5,
		"omp_idle_threads":    4,
		"comp":                44.5, // 71 - 21 - 5.5
	} {
		got, err := c.value(name, Place{CallPath: root, CallFlavour: Inclusive, System: All})
		require.NoError(t, err, name)
		require.InDelta(t, want, got, 1e-12, name)
	}
	// At one call path and one location, and exclusive.
	for _, x := range []struct {
		name     string
		callPath int
		flavour  Flavour
		location int
		want     float64
	}{
		{"comp", 0, Exclusive, 0, 10},
		{"comp", 5, Exclusive, 0, 8.5},
		{"comp", 5, Exclusive, 1, 6},
		{"comp", 5, Inclusive, 1, 6},
		{"execution", 5, Inclusive, 1, 9},
		{"mpi", 3, Exclusive, 1, 6},
		{"mpi", 0, Exclusive, 1, 0},
		{"mpi", 0, Inclusive, 1, 12},
		{"overhead", 4, Exclusive, 0, 7},
		{"execution", 4, Exclusive, 0, 0},
	} {
		got, err := c.value(x.name, Place{CallPath: x.callPath, CallFlavour: x.flavour, System: x.location})
		require.NoError(t, err, x.name)
		require.InDelta(t, x.want, got, 1e-12, "%+v", x)
	}
	require.True(t, c.hidden["opencl_time"] && c.hidden["pthread_time"] && !c.hidden["mpi"] && !c.hidden["omp_time"])
}

// How much longer the critical path is than the mean of what the locations do apart from waiting, as a share of
// it, counts at each cell for the part of the path that lies there.
func TestCriticalPathImbalance(t *testing.T) {
	c := newCube(t)
	imbalance := func(path, location int) float64 {
		x, err := c.value("critical_path_imbalance", Place{CallPath: path, CallFlavour: Exclusive, System: location})
		require.NoError(t, err)
		return x
	}
	require.Zero(t, imbalance(0, 1), "path of 25, mean (90-4.5-5)/2")
	require.Zero(t, imbalance(3, 0), "path of 5, mean 11/2")
	require.Zero(t, imbalance(1, 0), "no critical path")
	c.stored["mpi_barrier_wait"] = map[[2]int]float64{{3, 0}: 4, {3, 1}: 5}
	require.InDelta(t, (5-(11-9)/2.)/5*5, imbalance(3, 0), 1e-12)
	require.Zero(t, imbalance(3, 1), "the path is not at this location")
}
