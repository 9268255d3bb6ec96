package main

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/internal/testkit"
	"tracerec/trace"
)

// asTracerec in the environment makes the test's own binary behave as tracerec, as a process of its own.
const asTracerec = "TRACEREC_TEST_MAIN"

func TestMain(m *testing.M) {
	if os.Getenv(asTracerec) != "" || len(os.Args) > 1 && slices.Contains([]string{takeProgram, takeTest}, os.Args[1]) {
		os.Unsetenv(asTracerec)
		main()
	}
	testkit.CatchIgnored()
	os.Exit(m.Run())
}

// program returns the file of a program of testdata to measure.
func program(t testing.TB, name string) string {
	t.Helper()
	return testkit.Build(t, nil, "./testdata/programs/"+name)
}

// tracerec returns a process of tracerec that is ready to be started.
func tracerec(args ...string) *exec.Cmd {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	cmd := exec.Command(self, args...)
	cmd.Env = append(os.Environ(), asTracerec+"=1")
	return cmd
}

// result is what a finished process left.
type result struct {
	status         int
	stdout, stderr string
}

// record runs tracerec as a process.
func record(t *testing.T, args ...string) result {
	t.Helper()
	cmd := tracerec(args...)
	var out, err bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &err
	failed := cmd.Run()
	if exited := (*exec.ExitError)(nil); failed != nil && !errors.As(failed, &exited) {
		require.NoError(t, failed)
	}
	return result{cmd.ProcessState.ExitCode(), out.String(), err.String()}
}

// inside runs the command line in this process.
func inside(args ...string) result {
	var out, err bytes.Buffer
	return result{execute(args, &out, &err), out.String(), err.String()}
}

// clean requires that tracerec check finds nothing wrong with the archive.
func clean(t *testing.T, archive string) {
	t.Helper()
	r := inside("check", archive)
	require.Equal(t, result{0, r.stdout, ""}, r)
	require.Contains(t, r.stdout, "no problems")
}

// countKind counts the events of a kind in the archive, by the name of their region.
func countKind(t *testing.T, archive, kind string) map[string]int {
	t.Helper()
	counts := map[string]int{}
	each(t, archive, func(a *trace.Archive, l trace.LocationID, e trace.Event) {
		if e.Kind.String() == kind {
			counts[a.Definitions().Regions[e.ID].Name]++
		}
	})
	return counts
}

// each calls f for every event of the archive, location by location in order.
func each(t *testing.T, archive string, f func(*trace.Archive, trace.LocationID, trace.Event)) {
	t.Helper()
	a, err := trace.Open(archive)
	require.NoError(t, err)
	defer a.Close()
	var buf trace.Buffer
	d := a.NewDecoder()
	for _, c := range a.Chunks() {
		batches, err := d.Decode(c, &buf)
		require.NoError(t, err)
		for _, b := range batches {
			for _, e := range b.Events {
				f(a, b.Location, e)
			}
		}
	}
}

func waitFor(t *testing.T, what string, ready func() bool) {
	t.Helper()
	testkit.Until(t, what, ready)
}

func lines(s string) int { return strings.Count(s, "\n") }

func scan(r io.Reader, lines chan<- string) {
	defer close(lines)
	for s := bufio.NewScanner(r); s.Scan(); {
		lines <- s.Text()
	}
}
