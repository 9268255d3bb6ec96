package spec

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The specifications of the paper's appendix A.2 have these numbers of statements, and its tables 2 to 4 these sets.
func TestShippedStatements(t *testing.T) {
	for _, c := range []struct {
		name                               string
		composes, measures, computes, sets int
		largest                            int // set
	}{
		{"generic", 15, 0, 0, 0, 0},
		{"papi", 17, 34, 6, 0, 0},
		{"power4", 24, 5, 3, 6, 8},
		{"opteron", 26, 4, 10, 14, 4},
		{"ultrasparc3", 30, 4, 14, 32, 2},
	} {
		text, err := Text(c.name)
		require.NoError(t, err)
		r := &reader{file: c.name}
		r.read(string(text))
		require.Empty(t, r.problems)
		count := map[string]int{}
		for _, s := range r.statements {
			count[s.keyword]++
		}
		require.Equal(t, []int{c.composes, c.measures, c.computes}, []int{count["compose"], count["measure"], count["compute"]}, c.name)
		s, err := Open(c.name)
		require.NoError(t, err)
		require.Len(t, s.Sets, c.sets, c.name)
		largest := 0
		for _, set := range s.Sets {
			largest = max(largest, len(set.Events))
		}
		require.Equal(t, c.largest, largest, c.name)
		if c.sets > 0 {
			require.Equal(t, c.largest, s.Machine.Counters, c.name)
		}
	}
}

// All that is shipped can be read, has a title, and describes each of its metrics that is no event.
func TestShippedIsDescribed(t *testing.T) {
	for _, name := range Shipped() {
		names := []string{name}
		if name == "papi-l2" {
			names = []string{"papi", "papi-l2"}
		}
		s, err := Load(names...)
		require.NoError(t, err, name)
		require.NotEmpty(t, s.Title, name)
		for n, e := range s.entries {
			if e.defined() && !e.is("event") {
				require.NotEmpty(t, s.texts[n], "%s: %s has no description", name, n)
			}
		}
		for _, q := range s.ratios {
			require.NotEmpty(t, q.Description, "%s: ratio %s", name, q.Name)
			require.NotEmpty(t, q.Unit, "%s: ratio %s", name, q.Name)
			require.Less(t, q.Low, q.High, "%s: ratio %s", name, q.Name)
		}
	}
}

// The events of the specifications for current processors are those of the processors' event tables, of the kernel or of PAPI.
func TestShippedEventsExist(t *testing.T) {
	for name, tables := range map[string][]string{
		"intel":             {"icx", "spr", "gnr"},
		"intel-topdown":     {"spr", "gnr"},
		"intel-topdown-icx": {"icx"},
		"amd-zen":           {"zen2", "zen3", "zen4", "zen5"},
		"amd-topdown":       {"zen4", "zen5"},
		"arm-neoverse":      {"n1", "n2", "n3", "v1", "v2", "v3"},
	} {
		known := map[string]bool{}
		for _, table := range tables {
			text, err := os.ReadFile("../../counters/events/data/" + table + ".tsv")
			require.NoError(t, err)
			for line := range strings.Lines(string(text)) {
				if f := strings.Split(strings.TrimSpace(line), "\t"); len(f) > 1 {
					known[f[1]] = true
				}
			}
		}
		s, err := Open(name)
		require.NoError(t, err)
		count := 0
		for _, e := range s.Events() {
			if strings.ToLower(e) == e || strings.HasPrefix(e, "L1-") || strings.HasPrefix(e, "LLC-") || strings.Contains(e, "TLB-") ||
				strings.HasPrefix(e, "PAPI_") || strings.HasPrefix(e, "PERF_METRICS.") || strings.HasSuffix(e, "DELIV.CORE") { // the vendor's spelling of the last
				continue
			}
			require.True(t, known[e], "%s: %s is in none of %v", name, e, tables)
			count++
		}
		require.Greater(t, count, 5, name)
	}
}
