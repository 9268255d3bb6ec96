package analyzer_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Of a join of two, of which one is done at 79 and one at 80, is said that they were done at about the same time; not if only the last one is known.
func TestToldJoin(t *testing.T) {
	const join = `
waitgroup wg
location main
  0 enter main @main.go:1
  0 add wg 2
  0 create a @main.go:2
  0 create b @main.go:2
  10 wait wg @main.go:3
  10 blocked
  80 leave
  100 exit
location a
  0 begin worker by main
  79 done wg
  79 end
location b
  0 begin worker by main
  80 done wg
  80 end
`
	const hardly, unknown = " On average, they were done hardly earlier.", " Whether others were done earlier is not known."
	told := strings.NewReplacer("waitgroup wg", "waits wg", "  0 add wg 2\n", "", "  79 done wg\n", "").Replace(join)
	for text, said := range map[string][2]string{join: {hardly, unknown}, told: {unknown, hardly}} {
		x := analyzeText(t, text)
		f := &x.Findings[0]
		require.True(t, strings.HasSuffix(x.Sentences().Finding(f), said[0]), text)
		require.NotContains(t, page(t, x), strings.TrimSpace(said[1]))
		require.Equal(t, said[0] == hardly, strings.HasPrefix(x.Advice(f), "Those that were waited for were hardly done earlier"), text)
	}
}
