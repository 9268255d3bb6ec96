package spec

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The trees in testdata were made by hand from the paper's appendix A.2, with values chosen so that every remainder differs from 0
// somewhere. They hold names, order, nesting, inclusive values, ~ marks, remainders, what no hierarchy shows, which
// ratios there are, and what was dropped.
func TestTreesByHand(t *testing.T) {
	files, err := filepath.Glob("testdata/trees/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			specs, events, expected := readGolden(t, file)
			s, err := Load(specs...)
			require.NoError(t, err)
			require.Equal(t, expected, tree(s, events)+notes(s, events))
		})
	}
}

// notes writes what a resolved specification tells beside its tree.
func notes(s *Spec, events string) string {
	r := s.Resolve(eventsOf(events))
	text := ""
	if len(r.Unlisted) > 0 {
		text = "unlisted " + strings.Join(r.Unlisted, " ") + "\n"
	}
	if len(r.Ratios) > 0 {
		text += "ratios"
		for _, q := range r.Ratios {
			text += " " + q.Name
		}
		text += "\n"
	}
	for _, d := range r.Dropped {
		text += "dropped " + d + "\n"
	}
	return text
}

func readGolden(t *testing.T, file string) (specs []string, events, expected string) {
	f, err := os.Open(file)
	require.NoError(t, err)
	defer f.Close()
	in := false
	for lines := bufio.NewScanner(f); lines.Scan(); {
		keyword, rest, _ := strings.Cut(lines.Text(), " ")
		switch {
		case in:
			expected += lines.Text() + "\n"
		case keyword == "spec":
			specs = strings.Fields(rest)
		case keyword == "events":
			events += rest + " "
		case keyword == "tree":
			in = true
		default:
			require.Equal(t, "#", keyword)
		}
	}
	return specs, events, expected
}
