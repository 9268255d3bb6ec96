package cubepl

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLinear(t *testing.T) {
	for source, want := range map[string]bool{
		"metric::time() - metric::mpi()":                            true,
		"${mask}[${calculation::callpath::id}] * (metric::time(e))": true,
		"-3 * metric::time() / 2":                                   true,
		"0":                                                         true,
		"1":                                                         false, // the difference of two is 0, not 1
		"metric::time() + 1":                                        false,
		"metric::time() / metric::visits()":                         false,
		"metric::time() * metric::time()":                           false,
		"max(0, metric::time())":                                    false,
		"max(0, 3) * metric::time()":                                true,
		"metric::ratio()":                                           false,
		"|metric::time()|":                                          false,
		"2 / metric::time()":                                        false,
		"{ ${t} = 0; if (${mask}[0] > 0) { ${t} = metric::time(); } return ${t}; }":                                true,
		"{ ${t} = 0; if (metric::time() > 0) { ${t} = metric::time(); } return ${t}; }":                            false,
		"{ ${t} = 0; ${i} = 0; while (${i} < 3) { ${t} = ${t} + metric::time(); ${i} = ${i} + 1; } return ${t}; }": true,
		"{ ${t} = metric::time(); ${u} = ${t} * ${t}; return ${u}; }":                                              false,
		"{ ${x}[metric::time()] = 1; return metric::time(); }":                                                     false,
		"metric::call::time(metric::visits(), i)":                                                                  false,
		"metric::call::time(3, i)": true,
	} {
		p, err := Parse(source)
		require.NoError(t, err, source)
		require.Equal(t, want, p.Linear(func(name string) bool { return name != "ratio" }), source)
	}
}

func TestRename(t *testing.T) {
	p, err := Parse("metric::time(i) / metric::fixed::visits()")
	require.NoError(t, err)
	require.Equal(t, "metric::time.a(i) / metric::fixed::visits.a()", p.Rename(func(s string) string { return s + ".a" }).String())
	require.Equal(t, []string{"time", "visits"}, p.Metrics())
}
