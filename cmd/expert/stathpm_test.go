package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// hpmTrace runs solve twice, of which one calls inner, on two goroutines. Counters are in no order.
const hpmTrace = `
counterset BGL_FMA BGL_INST BGL_INST:k BGL_FLOPS mine BGL_LOAD BGL_STORE BGL_FP_LOAD BGL_FP_STORE
location main
  0 enter run @cg.go:10
  1000 counters 1 0 0 0 0 0 0 0 0 0
  1000 enter solve @cg.go:30
  2000 counters 1 10 100 7 20 1 20 5 15 10
  2000 enter inner @cg.go:40
  3000 counters 1 15 150 9 30 1 30 10 20 15
  3000 exit
  5000 counters 1 20 1000 9 50 3 40 10 30 20
  5000 exit
  9000 exit
location worker
  0 begin worker by main
  1000 counters 2 0 0 0 0 0 0 0 0 0
  1000 enter solve @cg.go:30
  3000 counters 2 20 9000000000000011 1 30 0 0 0 0 0
  3000 exit
  4000 end
`

// hpmCycles has cycles of both modes, and the kernel's alone, in several ways.
const hpmCycles = `
counterset PAPI_TOT_CYC SIM_KERNEL_CYC cycles cycles:k apart:u apart:k apart
location main
  0 enter run @cg.go:10
  0 counters 1 0 0 0 0 0 0 0
  1000 counters 1 2000 900 100 40 60 40 100
  1000 exit
`

func TestHPM(t *testing.T) {
	dir := archive(t, hpmTrace)
	text := run(t, "stat", dir, "--hpm", "--region", "^solve$")
	require.Contains(t, text, "Instrumented section: 1 - Label: solve\n  file: cg.go, line 30\n  Count: 2\n  Time of all goroutines: 0.000006000 seconds\n")
	var rows []string
	for line := range strings.Lines(text) {
		if name, value, ok := strings.Cut(line, " : "); ok {
			rows = append(rows, strings.TrimSpace(name)+" = "+strings.Join(strings.Fields(value), " "))
		}
	}
	// inner counts in solve, and the kernel not in the user column; derived are 9000000000001001/100 (INST), (80+40)/100 and 200·40/120.
	require.Equal(t, []string{
		"BGL_INST (Instructions completed) = 9000000000001001 10",
		"BGL_LOAD (Loads completed) = 40 -",
		"BGL_STORE (Stores completed) = 10 -",
		"BGL_FP_LOAD (Floating point loads) = 30 -",
		"BGL_FP_STORE (Floating point stores) = 20 -",
		"BGL_FMA (Floating point multiply-add) = 40 -",
		"BGL_FLOPS (Floating point operations) = 80 -",
		"mine = 3 -",
		"Instructions per load/store = 90000000000010.016",
		"Instructions per second = 1500000000000166.750 M",
		"Floating point operations per second = 20.000 M",
		"Floating point multiply-add percentage = 66.667 %",
		"Computation intensity = 1.200",
	}, rows)

	all := run(t, "stat", dir, "--hpm")
	require.Equal(t, 3, strings.Count(all, "Instrumented section:"))
	require.Regexp(t, `(?s)Label: inner.*BGL_INST \(Instructions completed\) +: +48 +2\n`, all)
	require.Contains(t, run(t, "stat", dir, "--hpm", "-t", "1"), "… 2 more sections")
	require.Contains(t, run(t, "stat", dir, "--hpm", "--format", "csv"), "inner,cg.go,40,BGL_INST,Instructions completed,48,2\n")
	require.Contains(t, run(t, "stat", dir, "--hpm", "--format", "csv"), "inner,cg.go,40,BGL_FMA,Floating point multiply-add,5,\n")

	cycles := run(t, "stat", archive(t, hpmCycles), "--hpm", "--format", "csv")
	require.Contains(t, cycles, "PAPI_TOT_CYC,,1100,900\n")
	require.Contains(t, cycles, "SIM_KERNEL_CYC,,,900\n")
	require.Contains(t, cycles, "cycles,,60,40\n", "counted in both modes, and in the kernel")
	require.Contains(t, cycles, "apart,,60,40\n")

	oneLine(t, []string{"stat", dir, "--hpm", "--region", "nothing"}, `no region matches "nothing"`)
	oneLine(t, []string{"stat", dir, "--hpm", "-m", "time"}, "exclude each other")
	oneLine(t, []string{"stat", archive(t, lockTrace), "--hpm"}, "no counters in this report")
}
