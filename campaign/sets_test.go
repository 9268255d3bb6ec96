package campaign

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/metric/spec"
)

// With no sets given, what specifications need is planned: alternatives only once, inputs of a computation together.
func TestPlannedSets(t *testing.T) {
	s, err := spec.Parse("test", []byte(`compose ALL = HIT + MISS
measure ALL = refs | references
compute HIT = refs - misses
measure MISS = misses
measure X = mem:main.x/8:w
measure Y = mem:main.y/8:w
measure Z = mem:main.z/8:w
measure T = task-clock
set mine = refs, task-clock
`))
	require.NoError(t, err)
	specs := []*spec.Spec{s}
	available := func(e string) error {
		if e == "mem:main.z/8:w" {
			return errors.New(e + ": no such variable")
		}
		return nil
	}
	m := machineHere(specs, 1, debugs)
	require.EqualValues(t, 0, m.Fits["task-clock"])
	require.EqualValues(t, 3<<firstDebug, m.Fits["mem:main.x/8:w"])
	delete(m.Fits, "refs") // whatever the processor of the test is
	delete(m.Fits, "misses")
	delete(m.Fits, "references")
	m.Counters, m.Alone = 2, nil
	got, err := chooseSets(specs, nil, true, m, available)
	require.NoError(t, err)
	require.Equal(t, []string{"mem:main.z/8:w: no such variable"}, got.missing)
	require.Len(t, got.list, 1)
	require.ElementsMatch(t, []string{"refs", "misses", "mem:main.x/8:w", "mem:main.y/8:w", "task-clock"}, got.list[0].Events)

	m.Counters = 1
	got, err = chooseSets(specs, nil, true, m, available)
	require.NoError(t, err)
	require.Len(t, got.list, 2, "the inputs of HIT cannot be together")
	require.Equal(t, "2 events fit only on the same 1 counter, one each in a set", got.why)

	got, err = chooseSets(specs, nil, false, m, available)
	require.NoError(t, err)
	require.Equal(t, []spec.Set{{Name: "mine", Events: []string{"refs", "task-clock"}}}, got.list)
	got, err = chooseSets(specs, []string{"mine", "misses", "refs"}, false, m, available)
	require.NoError(t, err)
	require.Equal(t, []string{"mine", "set2", "set3"}, []string{got.list[0].Name, got.list[1].Name, got.list[2].Name})

	_, err = chooseSets(specs, nil, true, m, func(e string) error { return errors.New("nothing works") })
	require.ErrorContains(t, err, "no counter is available here")
	require.True(t, strings.HasPrefix(err.Error(), "no counter"))
}

// A preset that is made of several events takes a counter for each, and one event may be part of several presets.
func TestPlannedPresets(t *testing.T) {
	s, err := spec.Parse("test", []byte("compose ALL = X + Y + Z\nmeasure X = PX\nmeasure Y = PY\nmeasure Z = PZ\n"))
	require.NoError(t, err)
	made := map[string][]string{"PX": {"a", "b"}, "PY": {"b", "c"}, "PZ": {"d"}}
	plan := sets{natives: func(e string) []string { return made[e] }}
	have := plan.only(func(string) error { return nil })
	require.NoError(t, plan.plan([]*spec.Spec{s}, spec.Machine{Counters: 2}, have))
	var got [][]string
	for _, set := range plan.list {
		got = append(got, set.Events)
	}
	require.ElementsMatch(t, [][]string{{"PX"}, {"PY"}, {"PZ"}}, got)

	plan.list = nil
	require.NoError(t, plan.plan([]*spec.Spec{s}, spec.Machine{Counters: 3}, have))
	require.Len(t, plan.list, 2)
	require.Equal(t, []string{"PX", "PY"}, plan.list[0].Events)
}

// TestSummary: little is listed of what is left out.
func TestSummary(t *testing.T) {
	var s sets
	for i := range 400 {
		s.missing = append(s.missing, fmt.Sprintf("EVENT_%d: reason %d", i, i%10))
	}
	require.Equal(t, "EVENT_0, EVENT_10, EVENT_20 and 37 more: reason 0; EVENT_1, EVENT_11, EVENT_21 and 37 more: reason 1; "+
		"EVENT_2, EVENT_12, EVENT_22 and 37 more: reason 2; and 280 for other reasons", s.summary())
	require.Equal(t, "a, b: why", (&sets{missing: []string{"a: why", "b: why"}}).summary())
}

func TestFitsOneRun(t *testing.T) {
	three := []string{"mem:main.a/8:w", "mem:main.b/8:w", "mem:main.c/8:w"}
	require.EqualError(t, fitsOneRun(three, debugs, "sh"), "3 watchpoints, but one run has at most 2; divide them among several sets, or use --plan")
	require.NoError(t, fitsOneRun([]string{"go:alloc-bytes"}, debugs, "sh"))
}
