package spec

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLoadReadsNoMoreThanItMay reads what has no end.
func TestLoadReadsNoMoreThanItMay(t *testing.T) {
	if _, err := os.Stat("/dev/zero"); err != nil {
		t.Skip(err)
	}
	_, err := Load("/dev/zero", "/dev/zero")
	require.ErrorContains(t, err, "/dev/zero:1:1: a specification of more than 1048576 bytes")
	_, err = Load(write(t, "long.spec", strings.Repeat("#", maxText+1)))
	require.ErrorContains(t, err, "long.spec:1:1: a specification of more than 1048576 bytes")
	_, err = Load(write(t, "most.spec", "measure A = a\n"+strings.Repeat("#", maxText-14)))
	require.NoError(t, err)
	_, err = Load(filepath.Join(t.TempDir(), "none.spec"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestByteOrderMark(t *testing.T) {
	require.Equal(t, "A 1\n", tree(parse(t, "\ufeffmeasure A = a"), "a=1"))
	_, err := Parse("x", []byte("measure A = a\n\ufeffmeasure B = b"))
	require.ErrorContains(t, err, "U+FEFF", "only at the beginning")
}

func TestWatchpointsThatNeedQuotes(t *testing.T) {
	for _, text := range []string{"measure A = mem:main.table+8/8:w", "compose A = mem:main.table[3]/8:w + b", "compute A = mem:main.(*T).x/8:w - b", "ratio A = mem:main.table+8/8:w / time", "set A = mem:main.table+8/8:w"} {
		_, err := Parse("x", []byte(text))
		require.ErrorContains(t, err, `put all of it in quotes: "mem:main.table+8/8:w"`, text)
	}
	for _, text := range []string{`measure A = "mem:main.table+8/8:w"`, "compose A = mem:main.x/8:w+mem:main.y/8:w", "compose A = mem:x + b", "compute A = mem:main.x:w-b"} {
		_, err := Parse("x", []byte(text))
		require.NoError(t, err, text)
	}
}

// TestWhatHasNoValueIsTold is of what its writer got wrong.
func TestWhatHasNoValueIsTold(t *testing.T) {
	for text, want := range map[string]string{
		"ratio Q = a / 0":                  "a division by zero",
		"ratio Q = a / (b / (1 - 1))":      "a division by zero",
		"ratio Q = a / b | a / (2 - 2)":    "a division by zero",
		"ratio Q = time / 2":               "names none",
		"ratio Q = 1":                      "names none",
		"ratio Q = a / time | time / 1000": "names none",
	} {
		_, err := Parse("x", []byte(text))
		require.ErrorContains(t, err, want, text)
	}
	for text, want := range map[string][]string{
		"ratio TYPO = page-fualts / time":                                  {"TYPO: page-fualts was not measured"},
		"measure M = page-fualts":                                          {"M: page-fualts was not measured"},
		"compute M = page-fualts":                                          {"M: page-fualts was not measured"},
		"compose M = page-fualts + B\nmeasure B = b":                       {"M: page-fualts and b were not measured"},
		"ratio R = R / 1":                                                  {"R: R is a ratio, and a ratio is made of counters and metrics only"},
		"ratio R = a / M\nmeasure M = page-fualts":                         {"M: page-fualts was not measured", "R: M needs page-fualts"},
		"compute X = 1048577 * a - a":                                      nil,
		"compute X = 1048576 * a\ncompute Y = 2 * X":                       {"Y: a counter would be multiplied by more than 1048576"},
		"compute X = 2000 * a\ncompute Y = 2000 * X\ncompose Z = Y + X":    {"Y: a counter would be multiplied by more than 1048576"},
		"ratio R = a / M\ncompose ALL = M + a\nmeasure M = m\nabsent M":    {"R: M is said to be absent"},
		"ratio R = a / time\nmeasure A = b | a\ncompute C = c - d | a - a": nil,
	} {
		s, err := Parse("x", []byte(text))
		if err != nil {
			require.ErrorContains(t, err, "1048576", text)
			continue
		}
		require.ElementsMatch(t, want, s.Resolve([]string{"a"}).Dropped, text)
	}
	s := parse(t, "compute X = 2000 * a\ncompute Y = 2000 * X\ncompose Z = Y + X")
	require.Contains(t, tree(s, "a=1"), "~Z 2000\n", "without Y it is not complete")
	generic, err := Open("generic")
	require.NoError(t, err)
	require.Empty(t, generic.Resolve([]string{"a"}).Dropped, "what is shipped has metrics of far more than is measured")
}
