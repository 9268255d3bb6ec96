package analyzer

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestReaders looks for the readers and carriers of the standard library in its source: goroutines are known by these names only.
func TestReaders(t *testing.T) {
	found := map[string]bool{}
	names := slices.AppendSeq(slices.Collect(maps.Keys(readers)), maps.Keys(carriers))
	for _, name := range names {
		parts := regexp.MustCompile(`^((?:net|database)/.+)\.\(\*(\w+)\)\.(\w+)$`).FindStringSubmatch(name)
		if parts == nil {
			continue
		}
		files, err := filepath.Glob(filepath.Join(runtime.GOROOT(), "src", parts[1], "*.go"))
		require.NoError(t, err)
		for _, f := range files {
			source, err := os.ReadFile(f)
			require.NoError(t, err)
			method := regexp.MustCompile(`(?m)^func \(\w+ \*` + parts[2] + `\) ` + parts[3] + `\(`)
			started := regexp.MustCompile(`(?m)^\s+go \w+\.` + parts[3] + `\(`)
			if method.Match(source) && started.Match(source) {
				found[name] = true
			}
		}
	}
	require.True(t, found["net/http.(*persistConn).readLoop"])
	require.True(t, found["net/rpc.(*Client).input"])
	for name := range carriers {
		require.True(t, found[name], name)
	}
	require.True(t, found["net/http.(*http2ClientConn).readLoop"] || found["net/http/internal/http2.(*ClientConn).readLoop"])
}
