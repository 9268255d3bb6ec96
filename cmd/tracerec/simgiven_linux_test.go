package main

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/internal/testkit"
)

// Nobody gives a program the whole host without saying so.
func TestSimFromRoot(t *testing.T) {
	testkit.NeedSimulator(t)
	code := machineCode(t, exitNumber, environment)
	t.Chdir("/")
	r := inside("sim", "-o", "", code)
	require.Equal(t, 2, r.status)
	require.Regexp(t, `^tracerec: the working directory is /, which would show the program all files .*\n$`, r.stderr)
	require.Zero(t, inside("sim", "-o", "", "--mount", "/="+t.TempDir(), code).status)
}

// A variable that is not set here is not set there.
func TestSimUnsetVariable(t *testing.T) {
	program := guest(t)
	t.Setenv("NOT_SET", "")
	require.NoError(t, os.Unsetenv("NOT_SET"))
	r := simulate(t, "-q", "--env", "NOT_SET", "--env", "PATH=x", "--machine", "none", program, "env")
	require.Equal(t, result{0, "[HOME=/tmp PATH=x TMPDIR=/tmp]\n", ""}, r)
}

// What was asked for by name is printed, quiet or not, in the kernel's and the program's part.
func TestSimQuietCounts(t *testing.T) {
	testkit.NeedSimulator(t)
	code := machineCode(t, noOperation, exitNumber, environment)
	r := simulate(t, "-q", "-c", "PAPI_TOT_INS,PAPI_TOT_CYC,PAPI_TOT_CYC:u,PAPI_TOT_CYC:k,SIM_KERNEL_CYC", code)
	require.Zero(t, r.status, r.stderr)
	require.Regexp(t, ` 3  PAPI_TOT_INS `, r.stderr)
	counts := countsOf(t, r.stderr)
	require.Positive(t, counts["PAPI_TOT_CYC:k"])
	require.Equal(t, counts["SIM_KERNEL_CYC"], counts["PAPI_TOT_CYC:k"])
	require.Equal(t, counts["PAPI_TOT_CYC"], counts["PAPI_TOT_CYC:u"]+counts["PAPI_TOT_CYC:k"])
}

// What is no program is called what it is.
func TestSimNoELF(t *testing.T) {
	testkit.NeedSimulator(t)
	t.Chdir(t.TempDir())
	for content, want := range map[string]string{"#!/bin/sh\n": "not an ELF file but a script", "text": "not an ELF file\n", "\x7fELF\x02\x01": "truncated after 6 bytes"} {
		require.NoError(t, os.WriteFile("x", []byte(content), 0o755))
		r := inside("sim", "-o", "", "./x")
		require.Equal(t, 126, r.status, r.stderr)
		require.Contains(t, r.stderr, want)
		require.Equal(t, 1, lines(r.stderr))
	}
}

// countsOf reads the table of counts.
func countsOf(t *testing.T, table string) map[string]uint64 {
	t.Helper()
	counts := map[string]uint64{}
	for _, m := range regexp.MustCompile(`(?m)^ *([\d,]+)  ([A-Z]\S+) `).FindAllStringSubmatch(table, -1) {
		n, err := strconv.ParseUint(strings.ReplaceAll(m[1], ",", ""), 10, 64)
		require.NoError(t, err)
		counts[m[2]] = n
	}
	return counts
}

// A machine that is printed is a template for others, which need to say only what is different.
func TestSimPrintMachine(t *testing.T) {
	testkit.NeedSimulator(t)
	code := machineCode(t, exitNumber, environment)
	t.Chdir(t.TempDir())
	r := inside("sim", "--print-machine", "bgl")
	require.Zero(t, r.status, r.stderr)
	require.Contains(t, r.stdout, `"l1d": {"size": "32k", `)
	require.NoError(t, os.WriteFile("mine.json", []byte(r.stdout), 0o644))
	require.NoError(t, os.WriteFile("small.json", []byte(`{"l1d": {"size": "4k"}, "l3": null}`), 0o644))
	counts := func(args ...string) map[string]uint64 {
		r := inside(append(append([]string{"sim", "-q", "-o", "", "-c", "PAPI_TOT_CYC,PAPI_L1_DCM"}, args...), code)...)
		require.Zero(t, r.status, r.stderr)
		return countsOf(t, r.stderr)
	}
	require.Equal(t, counts("--machine", "bgl"), counts("--machine", "mine.json"))
	require.NotEqual(t, counts("--machine", "bgl"), counts("--machine", "small.json"))
	r = inside("sim", "--list", "--machine", "small.json")
	require.Contains(t, r.stdout, "l1d.size=4K l1d.line=64\n  l1d.ways=8 ")
	require.NotContains(t, r.stdout, "l3.size")
}

// Without counters, a program runs as it does with them, but for the time of stalls.
func TestSimUncounted(t *testing.T) {
	program := guest(t)
	r := simulate(t, "--uncounted", program, "env", "exit")
	require.Equal(t, 7, r.status)
	require.Equal(t, "[HOME=/tmp PATH=/program TMPDIR=/tmp]\n", r.stdout)
	require.Regexp(t, `^leaving\ntracerec: [\d,]+ instructions in .* of virtual time, uncounted with 2 processors; simulated in .*\n$`, r.stderr)
	instructions := regexp.MustCompile(`[\d,]+ instructions`)
	counted := simulate(t, "--machine", "none", program, "env", "exit")
	require.Equal(t, instructions.FindString(counted.stderr), instructions.FindString(r.stderr))
}
