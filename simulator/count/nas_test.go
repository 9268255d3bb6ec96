//go:build linux

package count

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/simulator/linux"
)

// Columns of table 2 (Mindlin et al., "Obtaining Hardware Performance Metrics for the BlueGene/L Supercomputer").
const (
	colInstructions = iota
	colFXLoads
	colFPLoads
	colLoads
	colFXStores
	colFPStores
	colStores
	colFPOps // a fused multiply-add is one
	colFMAs
	columns
)

var columnNames = [columns]string{"instructions", "FX loads", "FP loads", "loads", "FX stores", "FP stores", "stores", "FP ops", "FMAs"}

// counts2 is a row of table 2; -1 is an empty cell.
type counts2 [columns]int64

// nasKernel is a benchmark of table 2, in thousands.
type nasKernel struct {
	name           string
	power3, bglsim counts2
	quick          bool // so few instructions that it is simulated in every run of the tests
}

// nasTable is table 2 as it was printed.
var nasTable = []nasKernel{
	{"BT", counts2{603174, -1, -1, 215921, -1, -1, 92015, 228617, 13671}, counts2{530599, 335, 157081, 157417, 9993, 80923, 90916, 210607, 11475}, false},
	{"CG", counts2{306865, -1, -1, 98616, -1, -1, 3970, 33762, 32663}, counts2{308099, 31607, 66920, 98528, 1207, 2730, 3937, 33755, 32662}, true},
	{"EP", counts2{5893189, -1, -1, 1248195, -1, -1, 363302, 2501740, 391379}, counts2{6267337, 403626, 743087, 1146714, 617816, 338413, 956230, 1431830, 350281}, false},
	{"FT", counts2{551146, -1, -1, 109204, -1, -1, 97260, 160806, 37226}, counts2{524995, 7585, 95145, 102730, 2917, 93361, 96278, 147363, 37225}, false},
	{"IS", counts2{8767, -1, -1, 2008, -1, -1, 1352, -1, -1}, counts2{8770, 2007, -1, 2007, 1351, -1, 1352, -1, -1}, true},
	{"LU", counts2{291671, -1, -1, 94758, -1, -1, 27351, 108157, 18560}, counts2{233270, 4432, 66677, 71109, 8860, 27798, 30659, 77100, 15470}, false},
	{"MG", counts2{20827, -1, -1, 5072, -1, -1, 2581, 5517, 367}, counts2{16956, 271, 3860, 4131, 1257, 1131, 2388, 3516, 367}, true},
	{"SP", counts2{276419, -1, -1, 88658, -1, -1, 28278, 78299, 13884}, counts2{263325, 726, 71592, 72318, 2274, 26893, 29168, 75812, 13884}, false},
}

// row2 is what was counted, in columns.
func row2(v *Values) counts2 {
	var c counts2
	for i, n := range [columns]uint64{v[Instructions], v[FXLoads], v[FPLoads], v[FXLoads] + v[FPLoads], v[FXStores], v[FPStores], v[FXStores] + v[FPStores],
		v[FPAdds] + v[FPMuls] + v[FPDivides] + v[FPRoots] + v[FMAs], v[FMAs]} {
		c[i] = int64(n)
	}
	return c
}

// buildNAS builds a kernel of examples/nas for RISC-V. It returns nil if it is not there.
func buildNAS(t testing.TB, name string) []byte {
	dir := "../../examples/nas/" + strings.ToLower(name)
	if files, _ := filepath.Glob(dir + "/main.go"); files == nil {
		return nil
	}
	file := filepath.Join(t.TempDir(), name)
	build := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-o", file, dir)
	build.Env = append(os.Environ(), "GOOS=linux", "GOARCH=riscv64", "CGO_ENABLED=0", "GORISCV64=rva20u64", "GOFLAGS=")
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	program, err := os.ReadFile(file)
	require.NoError(t, err)
	return program
}

// simulateNAS runs a kernel, which must verify, and returns what its timed region did. Threads are not preempted by signals, which
// store and load all registers.
func simulateNAS(t testing.TB, program []byte) *Values {
	c, err := New(nil, Options{Program: program})
	require.NoError(t, err)
	var printed bytes.Buffer
	k, err := linux.New(program, linux.Options{Args: []string{"kernel", "-class", "S"}, Env: []string{"GODEBUG=asyncpreemptoff=1"},
		Stdout: &printed, Stderr: &printed, Seed: 1, Observer: c})
	require.NoError(t, err)
	status, err := k.Run()
	require.NoError(t, err)
	require.NoError(t, k.Close())
	require.Zero(t, status, printed.String())
	require.Contains(t, printed.String(), "\nverified\n")
	var timed *Values
	for _, a := range c.Accounts() {
		if strings.HasPrefix(a.Start, "tracerec/examples/nas/nas.Timed.") && a.Domain == Goroutine {
			require.Nil(t, timed, "one timed region")
			timed = &a.Values
		}
	}
	require.NotNil(t, timed, "a timed region")
	return timed
}

// The kernels verify inside, and those that count the same on any machine give the specification's counts.
func TestTable2(t *testing.T) {
	if raceDetector {
		t.Skip("the simulator is one goroutine, and with the race detector many times slower")
	}
	for _, k := range nasTable {
		program := buildNAS(t, k.name)
		if program == nil || !k.quick && !*all {
			continue
		}
		ours := row2(simulateNAS(t, program))
		t.Logf("%s ours   %d", k.name, ours)
		t.Logf("%s paper  %d thousand", k.name, k.bglsim)
	}
}
