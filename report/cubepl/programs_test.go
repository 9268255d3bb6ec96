package cubepl

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// An expression is parsed once, whoever asks for it, and what is kept of expressions is limited.
func TestProgramsAreKept(t *testing.T) {
	const source = `"kept" =~ /^k/`
	first, err := Parse(source)
	require.NoError(t, err)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if again, err := Parse(source); err != nil || again != first {
				t.Error("parsed again", err)
			}
		})
	}
	all.Wait()

	var kept programs
	for i := range 100 {
		text := fmt.Sprint(i, strings.Repeat(" ", maxPrograms/10))
		p, err := parse(text)
		require.Nil(t, err)
		kept.put(text, p)
		kept.put(text, p) // by somebody who parsed it at the same time
		require.Same(t, p, kept.get(text))
		sum := 0
		for s := range kept.bySource {
			sum += len(s)
		}
		require.Equal(t, sum, kept.size)
		require.LessOrEqual(t, sum, maxPrograms)
	}
	long := strings.Repeat(" ", maxPrograms) + "1"
	p, err := Parse(long)
	require.NoError(t, err)
	kept.put(long, p)
	require.Nil(t, kept.get(long))
	require.NotEmpty(t, kept.bySource, "for its sake nothing is forgotten")

	_, err = Parse(`"no" =~ /(/`)
	require.Error(t, err)
	_, again := Parse(`"no" =~ /(/`)
	require.Equal(t, err, again)
}
