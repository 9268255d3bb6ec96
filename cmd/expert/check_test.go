package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// In lockTrace a worker waits 80 of 199 µs.
func TestCheck(t *testing.T) {
	dir := archive(t, lockTrace)
	saved := filepath.Join(t.TempDir(), "report.cubex")
	status, _, stderr := expert("analyze", dir, "-o", saved)
	require.Equal(t, 0, status, stderr)
	for _, input := range []string{dir, saved} {
		status, out, stderr := expert("check", input, "--max", "lock_competition=41%", "--max", "lock_competition@lock=80us")
		require.Equal(t, 0, status, stderr)
		require.Contains(t, out, "all 2 limits hold\n")

		status, out, stderr = expert("check", input, "--max", "lock_competition=40%", "--max", "time=1s")
		require.Equal(t, 1, status, stderr)
		require.Empty(t, stderr)
		require.Contains(t, out, "exceeded  lock_competition: 80.0 µs, 40.2 % of time (199 µs); at most 40 %\n          80.0 µs in lock, work.go:21, most on worker\n")

		status, out, _ = expert("check", input, "--max", "lock_competition=40%", "--format", "json")
		require.Equal(t, 1, status)
		var doc struct {
			Held   bool
			Limits []struct{ Value, Max float64 }
		}
		require.NoError(t, json.Unmarshal([]byte(out), &doc))
		require.False(t, doc.Held)
		require.Equal(t, 80_000.0, doc.Limits[0].Value)

		status, out, _ = expert("check", input, "--max", "lock_competition=40%", "--format", "github")
		require.Equal(t, 1, status)
		require.Contains(t, out, "::error file=work.go,line=21,title=lock_competition exceeds its limit::lock_competition: 80.0 µs, 40.2 %25 of time")

		status, _, stderr = expert("check", input, "--baseline", saved, "--tolerance", "1%", "--max", "lock_competition", "--max", "time=+0")
		require.Equal(t, 0, status, stderr)
	}
}

func TestCheckUsage(t *testing.T) {
	dir := archive(t, lockTrace)
	limits := filepath.Join(t.TempDir(), "limits")
	require.NoError(t, os.WriteFile(limits, []byte("# few\nlock_competition = 1%\ntime = x\n"), 0o644))
	oneLine(t, []string{"check", dir}, "no limits")
	oneLine(t, []string{"check"}, "no INPUT")
	oneLine(t, []string{"check", dir, "--max", "lock=5%"}, `no metric "lock", but lock_competition`)
	oneLine(t, []string{"check", dir, "--max", "lock_competition=5parsec"}, `unknown unit "parsec"`)
	oneLine(t, []string{"check", dir, "--max", "lock_competition@nowhere=5%"}, "no call path of that name")
	oneLine(t, []string{"check", dir, "--max", "time", "--baseline", dir}, "give --tolerance")
	oneLine(t, []string{"check", dir, "--max", "time"}, "no baseline")
	oneLine(t, []string{"check", dir, "--max", "time", "--tolerance", "5%"}, "--tolerance without --baseline")
	oneLine(t, []string{"check", dir, "--max", "time", "--baseline", dir, "--tolerance", "5"}, "not a percentage")
	oneLine(t, []string{"check", dir, "--max", "time", "--baseline", "none.cubex", "--tolerance", "5%"}, "none.cubex")
	oneLine(t, []string{"check", "none.cubex", "--max", "time=1s"}, "none.cubex")
	oneLine(t, []string{"check", dir, "--limits", limits}, limits+":3:")
	oneLine(t, []string{"check", dir, "--max", "time=1s", "--format", "xml"}, "neither text, json nor github")
}
