package tracestat

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

const head = "PatternName               Count      Mean    Median      Minimum      Maximum      Sum     Variance    Quartil25    Quartil75\n"

func TestRead(t *testing.T) {
	s, err := Read("trace.stat", strings.NewReader(head+
		"mpi_latesender                125090 0.0000389 0.0000349 0.0000000001 0.0069632586 4.8676114988 0.0000000020 0.0000222072 0.0000504069\n"+
		"- cnode 94 enter: 0.6429222211 exit: 0.6499715602 duration: 0.0069632586 rank: 7\r\n"+
		"- cnode 162 enter: 3.9308168608 exit: 3.9322856742 duration: 0.0014439366 rank: 5 thread: 3\n\n"+
		"few 1 0.5 0.5 0.5 0.5 0.5\n"+
		"none 0 -nan inf"))
	require.NoError(t, err)
	require.Len(t, s.Patterns, 3)
	require.Equal(t, Pattern{"mpi_latesender", 125090, 0.0000389, 0.0000349, 0.0000000001, 0.0069632586, 4.8676114988, 0.0000000020, 0.0000222072,
		0.0000504069, []Instance{{94, 0.6429222211, 0.6499715602, 0.0069632586, 7}, {162, 3.9308168608, 3.9322856742, 0.0014439366, 5}}}, s.Patterns[0])
	few := s.Pattern("few")
	require.Equal(t, 0.5, few.Sum)
	for _, v := range []float64{few.Variance, few.Q25, few.Q75, s.Pattern("none").Mean, s.Pattern("none").Median} {
		require.True(t, math.IsNaN(v))
	}
	require.Nil(t, s.Pattern("other"))
}

// Old files give the number of the metric, and no ranks.
func TestReadOld(t *testing.T) {
	s, err := Read("x", strings.NewReader("PatternName MetricID Count Mean Median Minimum Maximum Sum Variance Quartil25 Quartil75\n"+
		"LateBroadcast 6 4 0.010 0.000 0.000 0.031 0.042\n- cnode: 5 enter: 0.245877 exit: 0.256608 duration: 0.010731\n"))
	require.NoError(t, err)
	p := s.Pattern("LateBroadcast")
	require.Equal(t, uint64(4), p.Count)
	require.Equal(t, 0.042, p.Sum)
	require.Equal(t, []Instance{{5, 0.245877, 0.256608, 0.010731, -1}}, p.Worst)
}

func TestBad(t *testing.T) {
	for content, want := range map[string]string{
		"":                      "x: offset 0: the file is empty",
		"\n":                    "x: offset 0: no header",
		"hello world":           "x: offset 0: does not begin with the header",
		head + "a":              "x: offset 126: 1 columns instead of 2 to 10",
		head + "a -1":           `x: offset 126: "-1" is not a count`,
		head + "a 1 x":          `x: offset 126: "x" is not a number`,
		head + "a 1\na 1":       "x: offset 130: a is there twice",
		head + "- cnode 1":      "x: offset 126: an instance without a wait state",
		head + "a 1\n- cnode":   "x: offset 130: an odd number of 1 words",
		head + "a 1\n- cnode x": `"x" is not a natural number`,
		head + "a 1\n- cnode 1": "lacks its",
		head + "a 1\n- cnode 1 enter: 1 exit: 1 duration: nan rank: 1": "lacks its",
		head + "a 1 2 3 4 5 6 7 8 9 10":                                "11 columns",
		head + strings.Repeat("a", maxLine+1):                          "x: offset 126: a line of more than 65536 bytes",
	} {
		_, err := Read("x", strings.NewReader(content))
		require.ErrorContains(t, err, want)
		require.NotContains(t, err.Error(), "\n")
	}
	broken := errors.New("broken")
	_, err := Read("x", iotest.ErrReader(broken))
	require.ErrorIs(t, err, broken)
}

// Every file that Scalasca left here is read, and says the same in its numbers as far as they are redundant.
func TestShared(t *testing.T) {
	const shared = "../../../shared/data"
	var files []string
	for _, pattern := range []string{"oracle/*/trace.stat", "cube/epcc/*/trace.stat"} {
		found, err := filepath.Glob(filepath.Join(shared, pattern))
		require.NoError(t, err)
		files = append(files, found...)
	}
	if len(files) == 0 {
		t.Skip("no shared data")
	}
	instances := 0
	for _, name := range files {
		f, err := os.Open(name)
		require.NoError(t, err)
		s, err := Read(name, f)
		require.NoError(t, err)
		require.NoError(t, f.Close())
		for _, p := range s.Patterns {
			require.Positive(t, p.Count, name)
			require.InDelta(t, p.Sum, p.Mean*float64(p.Count), 0.6e-7*float64(p.Count), "%s %s", name, p.Name)
			require.LessOrEqual(t, p.Min, p.Mean+1e-7, "%s %s", name, p.Name)
			require.LessOrEqual(t, p.Mean, p.Max+1e-7, "%s %s", name, p.Name)
			for i := 1; i < len(p.Worst); i++ {
				require.LessOrEqual(t, p.Worst[i].Duration, p.Worst[i-1].Duration, "%s %s", name, p.Name)
			}
			instances += len(p.Worst)
		}
	}
	require.Greater(t, instances, len(files))
}

func FuzzRead(f *testing.F) {
	f.Add(head + "a 3 0.5 0.5 0.5 0.5 0.5 1 2 3\n- cnode 1 enter: 1 exit: 2 duration: 1 rank: 0\n")
	f.Add(head + "a 3 nan\n\n- rank: 1")
	f.Fuzz(func(t *testing.T, content string) {
		s, err := Read("x", strings.NewReader(content))
		if err != nil {
			require.True(t, strings.HasPrefix(err.Error(), "x: offset "), err)
			return
		}
		for _, p := range s.Patterns {
			require.NotEmpty(t, p.Name)
			for _, in := range p.Worst {
				require.False(t, in.CallPath < 0 || in.Rank < -1 || math.IsNaN(in.Duration))
			}
		}
	})
}
