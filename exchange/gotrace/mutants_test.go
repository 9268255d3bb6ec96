package gotrace_test

import (
	"bytes"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/analyzer"
	"tracerec/analyzer/requests"
	"tracerec/exchange/gotrace"
	"tracerec/patterns"
)

var mutants = flag.Int("mutants", 400, "how many traces TestMutants makes")

// TestMutants: damage of any kind makes no panic, no archive that is not right, and no use of memory that the size of the trace does not explain.
func TestMutants(t *testing.T) {
	all := originals(t)
	weights, sum := make([]float64, len(all)), 0.0
	for i, o := range all {
		weights[i] = 1 / float64(2000+len(o)) // large ones take long
		sum += weights[i]
	}
	random := rand.New(rand.NewPCG(1, 2))
	damaged := 0
	for i := range *mutants {
		k, at := 0, random.Float64()*sum
		for ; k < len(all)-1 && at >= weights[k]; k++ {
			at -= weights[k]
		}
		text := mutated(random, all[k])
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if explained(t, i, text) {
			damaged++
		}
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > 256<<20+2000*uint64(len(text)) {
			t.Fatalf("mutant %d of %d bytes: %d bytes were allocated", i, len(text), used)
		}
	}
	t.Logf("%d mutants of %d traces, %d of them damaged", *mutants, len(all), damaged)
	require.Greater(t, damaged, *mutants/4)
}

// explained analyzes a trace, and looks at the middle of it alone, and says whether it is damaged.
func explained(t *testing.T, i int, text []byte) bool {
	a, damage, err := gotrace.Open("mutant", bytes.NewReader(text))
	require.NoError(t, err, "mutant %d", i)
	defer a.Close()
	require.Empty(t, a.Check(), "mutant %d", i)
	end := a.Definitions().Processes[0].End
	middle, _, err := gotrace.OpenPart("mutant", bytes.NewReader(text), end/3, end/3*2, nil)
	require.NoError(t, err, "mutant %d", i)
	defer middle.Close()
	require.Empty(t, middle.Check(), "mutant %d", i)
	f := &requests.Finder{Rounds: true}
	e, err := analyzer.Analyze(a, analyzer.Options{Patterns: patterns.All(), Workers: 1, Wait: f.Wait})
	if err != nil {
		require.ErrorContains(t, err, "no events recorded", "mutant %d", i)
	} else {
		require.NoError(t, f.Find(a, e), "mutant %d", i)
	}
	return damage != nil
}

// originals are the seeds of FuzzOpen, one trace of this version of Go, and those that Go's own tests and other programs have, as far as they are here.
func originals(t *testing.T) (all [][]byte) {
	c := make(chan int)
	all = append(all, traced(t, func() { go sends(c); <-c; sleeps() }))
	seeds, err := filepath.Glob("testdata/fuzz/FuzzOpen/*")
	require.NoError(t, err)
	require.NotEmpty(t, seeds)
	for _, name := range seeds {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		_, quoted, _ := strings.Cut(strings.TrimSpace(string(text)), "[]byte(")
		raw, err := strconv.Unquote(strings.TrimSuffix(quoted, ")"))
		require.NoError(t, err)
		all = append(all, []byte(raw))
	}
	for _, pattern := range []string{filepath.Join(runtime.GOROOT(), "src/internal/trace/internal/tracev1/testdata/*_good"), "../../../shared/data/gotrace/*"} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, name := range files {
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			all = append(all, text)
		}
	}
	return all
}

// mutated returns a trace with some damage.
func mutated(r *rand.Rand, text []byte) []byte {
	text = slices.Clone(text)
	for range 1 + r.IntN(6) {
		if len(text) < 32 {
			break
		}
		at := 16 + r.IntN(len(text)-16)
		end := min(len(text), at+1+r.IntN(1<<r.IntN(10)))
		switch r.IntN(7) {
		case 0:
			text[at] ^= 1 << r.IntN(8)
		case 1:
			text[at] = byte(r.IntN(256))
		case 2: // the largest number
			text = slices.Insert(text, at, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1)
		case 3:
			text = slices.Delete(text, at, end)
		case 4:
			text = slices.Insert(text, end, text[at:end]...)
		case 5:
			to := 16 + r.IntN(len(text)-16)
			copy(text[to:], slices.Clone(text[at:end]))
		case 6:
			if r.IntN(4) == 0 {
				text = text[:at]
			}
		}
	}
	return text
}
