package otf2_test

import (
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/analyzer"
	"tracerec/exchange/otf2"
	"tracerec/patterns"
)

// TestDamageIsAnalyzed: archives in which anything is damaged are analyzed, to the end, and nothing takes less time than none.
func TestDamageIsAnalyzed(t *testing.T) {
	files := map[string][]byte{}
	dir := t.TempDir()
	newHybrid(t, filepath.Join(dir, "traces.otf2"), 3, 2, 600)
	require.NoError(t, filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files[name], err = os.ReadFile(name)
		}
		return err
	}))
	names := slices.Sorted(maps.Keys(files))
	n, analyzed := 2000, 0
	if testing.Short() {
		n = 200
	}
	for seed := range uint64(n) {
		r := rand.New(rand.NewPCG(seed, 4))
		for _, name := range names {
			b := slices.Clone(files[name])
			if strings.HasSuffix(name, ".evt") || r.IntN(8) == 0 {
				damage(r, b)
			}
			require.NoError(t, os.WriteFile(name, b, 0o600))
		}
		a, err := otf2.Open(filepath.Join(dir, "traces.otf2"))
		if err != nil {
			continue
		}
		e, err := analyzer.Analyze(a.Trace(), analyzer.Options{Patterns: patterns.All(), Workers: 2})
		if err != nil {
			continue
		}
		analyzed++
		for i := range e.Metrics {
			for _, c := range e.Cells(i) {
				require.Positive(t, c.Value, "seed %d: %s", seed, e.Metrics[i].Name)
			}
		}
	}
	require.Greater(t, analyzed, n/2)
}

// damage changes some bytes behind the first ones, or moves some.
func damage(r *rand.Rand, b []byte) {
	const head = 18
	for range r.IntN(8) {
		if len(b) <= 2*head {
			return
		}
		at := head + r.IntN(len(b)-head)
		switch r.IntN(3) {
		case 0:
			b[at] = byte(r.UintN(256))
		case 1:
			b[at] ^= 1 << r.UintN(8)
		default:
			n := min(len(b)-at, r.IntN(60))
			copy(b[head+r.IntN(len(b)-head-n+1):], b[at:at+n])
		}
	}
}
