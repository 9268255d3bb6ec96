package report

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/metric"
)

// TestCountedSentence: what is certain, what is bounded, what is open, and what is not worth a word.
func TestCountedSentence(t *testing.T) {
	p := &page{e: &Experiment{Metrics: []metric.Metric{
		{Title: "page-faults", Unit: metric.Events}, {Title: "task-clock", Unit: metric.Nanoseconds}, {Title: "cycles", Unit: metric.Events}}}}
	text := func(list ...Count) string { return strings.ReplaceAll(p.counted(list), nbsp, " ") }
	require.Equal(t, "12,340–12,400 page-faults, up to 2.00 ms task-clock, at least 5 cycles",
		text(Count{0, 12340, new(int64(12400))}, Count{1, 0, new(int64(2e6))}, Count{2, 5, nil}))
	require.Equal(t, "7 page-faults", text(Count{0, 7, new(int64(7))}, Count{1, 0, new(int64(0))}, Count{2, 0, nil}))
	one := Count{2, 1, new(int64(1))}
	require.Equal(t, "1 cycles, 1 cycles, 1 cycles, 1 cycles, 2 more", text(one, one, one, one, one, one))
	require.Equal(t, "−45 to −33 page-faults", text(Count{0, -45, new(int64(-33))}))
	require.Empty(t, text())
}
