package sample

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSpec(t *testing.T) {
	for _, text := range []string{
		"cycles|+0.0.0.0.0.20.",
		"cpu/event=0x3c,umask=0/|+4.3c.0.0.0.0.",
		"PAPI_L1_TCM|+4.1a8.0.0.0.0.-4.ff01a8.5.6.3.20.kn",
		"go:gc-pauses|/sched/pauses/total/gc:seconds",
		"PAPI_TOT_CYC:u|call-through",
	} {
		s, err := parseSpec(text)
		require.NoError(t, err, text)
		require.Equal(t, text, s.String())
	}
	s, err := parseSpec("task-clock")
	require.NoError(t, err)
	require.Equal(t, "task-clock|+1.1.0.0.0.0.", s.String())
	for _, text := range []string{"", "nonsense", "x|", "x|+", "x|1.2.3.4.5.6.", "x|+1.2.3.4.5.6", "x|+1.2.3.4.5.6.z", "x|+1.2.3.4.5.6.kk",
		"x|+100000000.0.0.0.0.0.", "x|+1.2.3.4.5.g.", "x|" + strings.Repeat("+1.2.3.4.5.6.", MaxEvents+1)} {
		_, err := parseSpec(text)
		require.Error(t, err, text)
	}
}

// FuzzParseSpec: what is accepted is written as it was read, and read again the same.
func FuzzParseSpec(f *testing.F) {
	for _, text := range []string{"task-clock", "a|+1.2.3.4.5.6.k", "a|+1.2.3.4.5.6.-1.2.3.4.5.6.n", "go:x|/a:b", "|", "a|b|+0.0.0.0.0.0."} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := parseSpec(text)
		if err != nil {
			return
		}
		again, err := parseSpec(s.String())
		require.NoError(t, err)
		require.Equal(t, s, again)
	})
}
