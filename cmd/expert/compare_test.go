package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/report/composite"
)

// counterReport writes the report of a program that counted two events.
func counterReport(t *testing.T, name, a, b string, of a2b) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name+".cubex")
	text := fmt.Sprintf("counterset %s %s\nlocation main\n  0 enter main\n  10 counters 1 0 0\n  10 enter solve\n  90 counters 1 %d %d\n  90 exit\n  100 exit\n", a, b, of.a, of.b)
	status, _, stderr := expert("analyze", archive(t, text), "-o", file)
	require.Zero(t, status, stderr)
	return file
}

type a2b struct{ a, b int64 }

// Runs that counted different events are merged, their hierarchies completed, and put beside those of another platform.
func TestMergeCountersAndCompare(t *testing.T) {
	one := counterReport(t, "one", "FR_X86_INS", "FR_BR", a2b{1000, 200})
	two := counterReport(t, "two", "FR_BR_TAKEN", "FR_BR_TAKEN_MIS", a2b{150, 15})
	other := counterReport(t, "other", "PM_INST_CMPL", "PM_BR_ISSUED", a2b{4000, 400})
	dir := t.TempDir()
	merged, power := filepath.Join(dir, "merged.cubex"), filepath.Join(dir, "power.cubex")

	status, _, stderr := expert("merge", one, two, "--spec", "opteron", "-o", merged)
	require.Zero(t, status, stderr)
	require.NotContains(t, stderr, "do not agree")
	status, _, stderr = expert("analyze", other, "--spec", "power4", "-o", power)
	require.Zero(t, status, stderr)

	status, stdout, stderr := expert("compare", merged, power)
	require.Zero(t, status, stderr)
	require.Regexp(t, `(?m)^INSTRUCTION +1,000 +4,000$`, stdout)
	require.Regexp(t, `(?m)^  BRANCH +200 \( 20\.0 %\) +400 \( 10\.0 %\)$`, stdout)
	require.NotContains(t, stdout, "BRANCH_PRED_TAKEN", "of one platform, and not generic")
	require.Contains(t, stdout, "(--all shows them)")
	status, stdout, _ = expert("compare", merged, power, "--all", "--of-parent")
	require.Zero(t, status)
	require.Regexp(t, `(?m)^ +BRANCH_PRED_TAKEN +135 \(.*%\) +–$`, stdout, "150 − 15: both are of the second run")

	status, stdout, _ = expert("compare", merged, "--format", "json")
	require.Zero(t, status)
	var c composite.Comparison
	require.NoError(t, json.Unmarshal([]byte(stdout), &c))
	require.Equal(t, "INSTRUCTION", c.Rows[len(c.Rows)-1].Root)

	oneLine(t, []string{"compare"}, "no REPORT")
	oneLine(t, []string{"compare", filepath.Join(dir, "nothing.cubex")}, "nothing.cubex")
	oneLine(t, []string{"merge", one, two, "--spec", "nonsense", "-o", filepath.Join(dir, "x.cubex")}, "--spec: specification nonsense")
	_, err := os.Stat(filepath.Join(dir, "x.cubex"))
	require.ErrorIs(t, err, os.ErrNotExist)
}
