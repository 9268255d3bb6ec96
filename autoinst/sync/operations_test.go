package sync_test

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/analyzer"
	"tracerec/patterns"
	"tracerec/report"
	"tracerec/trace/tracetext"
)

var update = flag.Bool("update", false, "write what was recorded instead of comparing with it")

// TestOperations records a program that does each operation in ways that leave no choice to the scheduler, and compares every event of it.
func TestOperations(t *testing.T) { compare(t, "operations") }

// TestBoth does the same with a program that uses package instrument: nothing is recorded twice.
func TestBoth(t *testing.T) { compare(t, "both") }

// TestForever: a select without cases waits for no channel.
func TestForever(t *testing.T) {
	x, err := analyzer.Analyze(record(t, "operations"), analyzer.Options{Patterns: patterns.All()})
	require.NoError(t, err)
	never := map[string]string{}
	for i := range x.NeverEnded {
		n := &x.NeverEnded[i]
		never[x.Regions[x.Paths[n.Path].Region].Name] = n.Object
	}
	require.Equal(t, map[string]string{"send": "", "recv": "", "select {}": ""}, never)
	var text strings.Builder
	require.NoError(t, report.Text(&text, x, report.TextOptions{}))
	said := strings.Join(strings.Fields(text.String()), " ")
	require.Regexp(t, `in select \{\} at main\.go:317 for the last [^,]*, which never ends\.`, said)
}

func compare(t *testing.T, program string) {
	t.Setenv("GOGC", "off") // the goroutines of finalizers and cleanups begin when there is something for them
	a := record(t, program)
	require.Empty(t, a.Check())
	var text strings.Builder
	require.NoError(t, tracetext.Format(a, &text))
	got := strings.Join(recorded(text.String()), "\n") + "\n"
	name := filepath.Join("testdata", program+".txt")
	if *update {
		require.NoError(t, os.WriteFile(name, []byte(got), 0o666))
	}
	want, err := os.ReadFile(name)
	require.NoError(t, err)
	require.Equal(t, string(want), got)
}

// leftOut are events that depend on the scheduler, those of regions, and what says of the process how it ran.
var leftOut = regexp.MustCompile(`^(process|args|exited|warning) |^ *[0-9]+ (running|ready|syscall|parked|stopped|assist|network|enter|exit|overhead)`)

// sure are the functions in which it is sure who waits.
var sure = regexp.MustCompile(`\(main\.(blocked|panics\.func5|locks|forever\.func\d)\)$`)

var (
	times = regexp.MustCompile(`^ +[0-9]+ `)
	files = regexp.MustCompile(`@\S*/`)
)

// recorded returns the lines of a text that are the same in every run, without times and directories.
func recorded(text string) (lines []string) {
	waits := false
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if leftOut.MatchString(line) {
			continue
		}
		line = files.ReplaceAllString(times.ReplaceAllString(line, "  "), "@")
		if line == "  blocked" && !waits {
			continue
		}
		waits = sure.MatchString(line)
		lines = append(lines, line)
	}
	return slices.Clip(lines)
}
