package cube

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Hidden metrics come last, in order and in number.
func TestNumberMetrics(t *testing.T) {
	part := &Metric{Name: "part", Ghost: true}
	roots := []*Metric{{Name: "sum", Ghost: true}, {Name: "time", Children: []*Metric{part, {Name: "wait"}}}, {Name: "visits"}}
	NumberMetrics(roots)
	var names []string
	var ids []int
	for _, m := range append(roots, roots[0].Children...) {
		names, ids = append(names, m.Name), append(ids, m.ID)
	}
	require.Equal(t, []string{"time", "visits", "sum", "part", "wait"}, names)
	require.Equal(t, []int{0, 2, 4, 3, 1}, ids)
}
