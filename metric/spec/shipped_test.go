package spec

import (
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
