package conformance

import (
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write docs/conformance.md")

const document = "../../docs/conformance.md"

// marker is where the generated part of the document begins.
const marker = "<!-- generated: go test ./internal/conformance -run Document -update -->\n"

func TestDocument(t *testing.T) {
	written, err := os.ReadFile(document)
	require.NoError(t, err)
	intro, _, ok := strings.Cut(string(written), marker)
	require.True(t, ok, "the marker is missing in %s", document)
	want := intro + marker + "\n" + papiTable(Scripted(), ScriptedSlots(), Perf(), SimulatedPMU(), callThrough(), callThroughThreads())
	if *update {
		require.NoError(t, os.WriteFile(document, []byte(want), 0o644))
		return
	}
	require.Equal(t, want, string(written), "run it with -update")
}

// Each test of PAPI is either re-created or missing for a reason, and every behaviour has a name of its own.
func TestTable(t *testing.T) {
	recreated, missing := papi()
	require.Equal(t, missing, slices.Compact(slices.Clone(missing)))
	for _, name := range missing {
		require.NotContains(t, recreated, name)
	}
	require.GreaterOrEqual(t, len(recreated)+len(missing), 90)
	seen := map[string]bool{}
	for _, b := range behaviours() {
		require.False(t, seen[b.Name], b.Name)
		seen[b.Name] = true
	}
	for _, h := range []Harness{Scripted(), ScriptedSlots(), Perf(), SimulatedPMU(), callThrough(), callThroughThreads()} {
		for _, why := range h.Lacks {
			require.NotEmpty(t, why)
		}
	}
}
