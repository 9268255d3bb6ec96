package trace_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/trace"
	"tracerec/trace/wire"
)

func TestSaid(t *testing.T) {
	counts := map[string]uint64{"ends on the wrong goroutine": 2, "broken": 1}
	said := []string{"broken: 1", "ends on the wrong goroutine: 2"}
	require.Equal(t, said, trace.Said(counts))
	require.Empty(t, trace.Said(nil))
	for message, visits := range map[string]bool{"process 3: " + wire.UnrecordedVisits("a.f", true) + ": 7": true, "process 3: visits of the doctor: 7": false, "no events recorded": false} {
		require.Equal(t, visits, wire.TellsVisits(message), message)
	}
	require.Equal(t, []string{"broken: 1,234"}, trace.Said(map[string]uint64{"broken": 1234}))
	for i, want := range []string{
		"visits of a.f that were too short and too many to record: 10",
		"visits of 2 functions that were too short and too many to record: 21; 11 of b.f, 10 of a.f",
		"visits of 3 functions that were too short and too many to record: 33; 12 of c.f, 11 of b.f, 10 of a.f",
		"visits of 4 functions that were too short and too many to record: 46; 13 of d.f, 12 of c.f, 11 of b.f, …",
	} {
		counts[wire.UnrecordedVisits(string(rune('a'+i))+".f", false)] = 10 + uint64(i)
		require.Equal(t, append(said[:2:2], want), trace.Said(counts))
	}
	counts[wire.UnrecordedVisits("e.f", true)] = 1
	require.Equal(t, append(said[:2:2], "visits of 5 functions that were too short and too many to record, at least: 47; 13 of d.f, 12 of c.f, 11 of b.f, …"),
		trace.Said(counts))
	counts[wire.UnrecordedVisits("c.f", false)] = 1234567
	require.Equal(t, append(said[:2:2], "visits of 5 functions that were too short and too many to record, at least: 1,234,602; 1,234,567 of c.f, 13 of d.f, 11 of b.f, …"),
		trace.Said(counts))
}
