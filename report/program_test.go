package report

import (
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestProgramName(t *testing.T) {
	for program, want := range map[string]string{
		"./app": "./app", "/tmp/tracerec-build-1/words": "words", "/tmp/go-build7/b001/x.test": "x.test", "/srv/app": "/srv/app", "": "",
	} {
		require.Equal(t, want, ProgramName(program))
	}
}

// TestTitle: a report that does not tell its program begins with the name of the input, or with what was measured if there is none.
func TestTitle(t *testing.T) {
	for _, c := range []struct{ program, name, want string }{
		{"/tmp/tracerec-build-1/words", "words.dir", "words\n"}, {"", "words.trace", "words.trace\n"}, {"", "", "0 ns wall"},
	} {
		e := &Experiment{Sidecar: Sidecar{Header: Header{Program: c.program}}}
		text := render(t, func(w io.Writer) error { return Text(w, e, TextOptions{Name: c.name}) })
		require.True(t, strings.HasPrefix(string(text), c.want), string(text))
	}
}

// TestWordsOfThreads: of an archive of another format, threads are called so, what they do outside of operations is computing, and the program is what all lies in.
func TestWordsOfThreads(t *testing.T) {
	words := func(e *Experiment) string {
		e.MarkExecution()
		e.Judge()
		return string(render(t, func(w io.Writer) error { return Text(w, e, TextOptions{}) }))
	}
	e := hydro()
	require.Contains(t, words(e), "goroutines")
	e = hydro()
	e.Header.Threads = true
	text := words(e)
	require.Contains(t, text, "9 threads ·")
	require.Contains(t, text, "  Computation  ")
	require.Contains(t, text, "who started a thread")
	e = stuck()
	e.Header.Threads = true
	e.Regions[0].Name, e.Paths = "solver", e.Paths[:1]
	e.NeverEnded = e.NeverEnded[:2]
	text = words(e)
	require.Contains(t, text, "solver\n1.00 s wall · 5 threads")
	require.Contains(t, text, "main, unnamed\n")
	require.Contains(t, text, "thread 7")
	require.NotContains(t, text, "oroutine")
}
