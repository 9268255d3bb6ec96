package spec

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSplitEvents(t *testing.T) {
	for list, want := range map[string][]string{
		"a,b":                       {"a", "b"},
		" a , b,":                   {"a", "b"},
		"cpu/event=0x3c,umask=0/,b": {"cpu/event=0x3c,umask=0/", "b"},
		"msr/tsc/,mem:0x4f2a10/8:w": {"msr/tsc/", "mem:0x4f2a10/8:w"},
		"mem:main.x/8:w,cpu/event=1,umask=2/k,cpu/event=3/": {"mem:main.x/8:w", "cpu/event=1,umask=2/k", "cpu/event=3/"},
	} {
		require.Equal(t, want, SplitEvents(list), list)
	}
}

// TestSetsAreLookedFor: no set that is shipped is taken for a list of counters.
func TestSetsAreLookedFor(t *testing.T) {
	sets := 0
	for _, name := range Shipped() {
		s, err := Open(name)
		if err != nil {
			continue // an addition to another
		}
		for _, x := range s.Sets {
			require.True(t, MayBeSet(x.Name), x.Name)
			sets++
		}
	}
	require.Greater(t, sets, 10)
	require.False(t, MayBeSet("page-faults"))
}

func TestChoose(t *testing.T) {
	shipped, err := Choose(CPU{})
	require.NoError(t, err)
	require.NotEmpty(t, shipped, "that for Go programs")
	named, err := Choose(CPU{}, shipped[0].Name)
	require.NoError(t, err)
	require.Len(t, named, 1)
	require.Equal(t, shipped[0].Name, named[0].Name)
	_, err = Choose(CPU{}, "nonsense")
	require.ErrorContains(t, err, "nonsense: no such file")
}

func TestSetOf(t *testing.T) {
	s, err := Parse("test", []byte("measure A = refs\nset mine = refs, task-clock\n"))
	require.NoError(t, err)
	set, err := SetOf("mine", []*Spec{s})
	require.NoError(t, err)
	require.Equal(t, Set{Name: "mine", Events: []string{"refs", "task-clock"}}, set)
	set, err = SetOf("refs,misses", []*Spec{s})
	require.NoError(t, err)
	require.Equal(t, Set{Events: []string{"refs", "misses"}}, set)
	_, err = SetOf(",", nil)
	require.EqualError(t, err, `",": no counters`)
	_, err = SetOf("a,a", nil)
	require.EqualError(t, err, "a,a: a is in it twice")
}
