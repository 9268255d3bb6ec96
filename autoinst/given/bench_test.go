package given

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMatching(t *testing.T) {
	names := strings.Fields("TestIt BenchmarkA BenchmarkAB BenchmarkC")
	for pattern, want := range map[string]string{
		".":             "TestIt=^TestIt$ BenchmarkA=^BenchmarkA$ BenchmarkAB=^BenchmarkAB$ BenchmarkC=^BenchmarkC$",
		"A$":            "BenchmarkA=^BenchmarkA$",
		"A/x=[/|]/y|C":  "BenchmarkA=^BenchmarkA$/x=[/|]/y BenchmarkAB=^BenchmarkAB$/x=[/|]/y BenchmarkC=^BenchmarkC$",
		"AB/1|B$/(2|3)": "BenchmarkAB=^BenchmarkAB$/1|^BenchmarkAB$/(2|3)",
		"None|(":        "",
	} {
		var got []string
		for _, m := range matching(pattern, names) {
			got = append(got, m.name+"="+m.pattern)
		}
		require.Equal(t, want, strings.Join(got, " "), pattern)
	}
	require.Equal(t, []string{"-test.run=^$", "-test.v=true"}, with([]string{"-test.v=true", "-test.run=A"}, "run", "^$"))
}

// Several processes print what one would print.
func TestOutput(t *testing.T) {
	var text strings.Builder
	o := &output{to: &text, printed: map[string]bool{}}
	o.copy(strings.NewReader("--- PASS: TestIt\nPASS\n"))
	o.copy(strings.NewReader("goos: linux\ncpu: X\nBenchmarkA\t1\nPASS\n"))
	o.copy(strings.NewReader("goos: linux\ncpu: X\nPASS\nsaid the benchmark\n--- FAIL: BenchmarkB\nFAIL\n"))
	o.copy(strings.NewReader("goos: linux\ncpu: X\nBenchmarkC\t1\nPASS\n"))
	o.end()
	require.Equal(t, "--- PASS: TestIt\ngoos: linux\ncpu: X\nBenchmarkA\t1\nPASS\nsaid the benchmark\n--- FAIL: BenchmarkB\nBenchmarkC\t1\nFAIL\n", text.String())

	text.Reset()
	o = &output{to: &text, printed: map[string]bool{}}
	o.copy(strings.NewReader("panic: as planned"))
	require.Empty(t, o.held)
	o.end()
	require.Equal(t, "panic: as planned", text.String())
}
