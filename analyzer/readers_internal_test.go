package analyzer

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestReaders looks for the readers of the standard library in its source: goroutines are known by these names only.
func TestReaders(t *testing.T) {
	found := map[string]bool{}
	for name := range readers {
		parts := regexp.MustCompile(`^(net/.+)\.\(\*(\w+)\)\.(\w+)$`).FindStringSubmatch(name)
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
	require.True(t, found["net/http.(*http2ClientConn).readLoop"] || found["net/http/internal/http2.(*ClientConn).readLoop"])
}
