package cubepl

import (
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// One cell of a metric of the display hierarchy; reports have millions.
func BenchmarkCell(b *testing.B) {
	p, err := Parse("{ ${tmp} = 0; if ( ${mask}[${calculation::callpath::id}] == 1 ) { ${tmp} = metric::time(e) - metric::visits(e); }; return ${tmp}; }")
	require.NoError(b, err)
	g := NewGlobals()
	require.NoError(b, g.declare("mask").set(1, Number(1), &g.cells, maxGlobalCells))
	e := p.Bind(NewContext(newFlat(), g))
	b.ReportAllocs()
	for b.Loop() {
		if x, err := e.Eval(); err != nil || x != 8 {
			b.Fatal(x, err)
		}
	}
}

// The initialisation of the display hierarchy for a thousand call paths. Those of CUDA are compared with the most
// patterns.
func BenchmarkInitialisation(b *testing.B) {
	spec, err := os.ReadFile("testdata/remapping.spec")
	require.NoError(b, err)
	list, _ := expressions(string(spec))
	i := slices.IndexFunc(list, func(x expression) bool { return x.element == "cubeplinit" })
	p, err := Parse(list[i].text)
	require.NoError(b, err)
	for _, region := range [][4]string{{"main", "compiler", "function"}, {"MPI_Send", "mpi", "point2point"}, {"cudaMemcpy", "cuda", "function"}} {
		c := &cube{regions: [][4]string{region}, callPaths: make([]struct{ parent, region int }, 1000), hidden: map[string]bool{}}
		b.Run(region[1], func(b *testing.B) {
			for b.Loop() {
				require.NoError(b, p.Bind(NewContext(c, NewGlobals())).Run())
			}
		})
	}
}
