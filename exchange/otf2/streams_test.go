package otf2

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/trace"
)

// TestStreamNames: a stream is no thread, and named as what it is.
func TestStreamNames(t *testing.T) {
	a, err := Open("../../../shared/data/otf2/casita/1_ocl_deps/traces.otf2")
	if err != nil {
		t.Skip("no archives of other people in ../shared/data/otf2")
	}
	var got []trace.Location
	for _, l := range a.Trace().Definitions().Locations {
		got = append(got, trace.Location{Name: l.Name, Stream: l.Stream})
	}
	require.Equal(t, []trace.Location{{Name: "Master thread"}, {Name: "GPU stream Intel(R) Core(TM) i5-5200U CPU @ 2.20GHz", Stream: true}}, got)
}
