package spec

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func write(t *testing.T, name, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	return file
}

func TestUsersOverrideWhatIsShipped(t *testing.T) {
	own := write(t, "mine.spec", `# the alternative that the paper names for POWER4
override compose FLOATING_POINT = PM_FPU_FMA + FP_OTHER
measure FLOATING_POINT = PM_FPU_FIN
compose MINE = PM_CYC + x
absent SYNCH`)
	s, err := Load("power4", own)
	require.NoError(t, err)
	require.Equal(t, "power4+"+own, s.Name)
	require.Equal(t, "CYCLES 7\n~INSTRUCTION 750\n  FLOATING_POINT 50\n    PM_FPU_FMA 40\n    FP_OTHER 10 inferred\n"+
		"  MEMORY 700\n    PM_FPU_STF 300\n    PM_LSU_LDF 400\n~MINE 7\n  PM_CYC 7\n",
		tree(s, "PM_FPU_FIN=50 PM_FPU_FMA=40 PM_FPU_STF=300 PM_LSU_LDF=400 PM_CYC=7"))
	r := s.Resolve([]string{"PM_CYC", "x"})
	require.Equal(t, []string{"power4", "mine"}, []string{r.Nodes[0].Spec, r.Nodes[1].Spec})
	require.Len(t, s.Sets, 6)
}

func TestLaterFilesMeasureWhatEarlierOnesDoNot(t *testing.T) {
	own := write(t, "mine.spec", "measure BUSY = my-busy\nmeasure DATA_HIT_L3$ = my-l3")
	s, err := Load("opteron", own)
	require.NoError(t, err)
	require.Equal(t, "~CYCLES 5\n  BUSY 5\n~DATA_ACCESS 3\n  DATA_HIT_L3$ 3\n", tree(s, "my-busy=5 my-l3=3"))
}

func TestLoadReportsEachFile(t *testing.T) {
	one := write(t, "one.spec", "measure A = a\nmeasure B = b\nratio R = A / B")
	two := write(t, "two.spec", "measure A = a\noverride measure B = c\nratio R = A / B")
	s, err := Load(one, two)
	require.NoError(t, err, "the same may be said twice in two files")
	require.Equal(t, "A 1\nB 3\n", tree(s, "a=1 b=2 c=3"))

	wrong := write(t, "wrong.spec", "measure A = b\noverride measure X = c\nfoo")
	_, err = Load(one, two, wrong)
	require.EqualError(t, err, wrong+":1:9: measure of A is already at "+one+":1:9; override replaces it\n"+
		wrong+":2:18: there is no measure of X to override\n"+
		wrong+":3:1: foo begins no statement; there are absent, aggroup, compose, compute, cpu, describe, like, machine, measure, ratio, rest, root, set, title and unit")
	_, err = Load("nosuch")
	require.ErrorContains(t, err, "specification nosuch: no such file, and not among those that are shipped: ")
	_, err = Load("./nosuch.spec")
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = Open(one)
	require.ErrorContains(t, err, "not among those that are shipped")
}

func TestForProcessors(t *testing.T) {
	for _, c := range []struct {
		cpu    CPU
		events []string
		want   []string
	}{
		{CPU{}, nil, []string{"linux", "go"}},
		{CPU{Arch: "riscv64"}, []string{"PAPI_TOT_CYC", "PAPI_TOT_INS", "cycles", "page-faults"}, []string{"papi", "go"}},
		{CPU{Arch: "riscv64"}, []string{"cycles", "instructions", "PAPI_TOT_INS", "page-faults"}, []string{"linux", "go"}},
		{CPU{Arch: "riscv64"}, []string{"x"}, []string{"go"}},
		{CPU{Arch: "amd64", Vendor: "AuthenticAMD", Family: 15, Model: 5}, nil, []string{"opteron", "go"}},
		{CPU{Arch: "amd64", Vendor: "AuthenticAMD", Family: 25, Model: 0x11}, nil, []string{"amd-topdown", "amd-zen", "go"}},
		{CPU{Arch: "amd64", Vendor: "AuthenticAMD", Family: 25, Model: 0x1}, nil, []string{"amd-zen", "go"}},
		{CPU{Arch: "amd64", Vendor: "GenuineIntel", Family: 6, Model: 0xcf}, nil, []string{"intel-topdown", "intel", "go"}},
		{CPU{Arch: "amd64", Vendor: "GenuineIntel", Family: 6, Model: 0x55}, nil, []string{"intel", "go"}},
		{CPU{Arch: "amd64", Vendor: "GenuineIntel", Family: 6, Model: 0xcf}, []string{"task-clock"}, []string{"go"}},
		{CPU{Arch: "amd64", Vendor: "GenuineIntel", Family: 6, Model: 0xcf}, []string{"slots", "cycles"}, []string{"intel-topdown", "intel", "go"}},
		{CPU{Arch: "arm64", Vendor: "0x41", Family: 8, Model: 0xd4f}, nil, []string{"arm-neoverse", "go"}},
		{CPU{Arch: "ppc64", Name: "POWER4+ (gq)"}, nil, []string{"power4", "go"}},
		{CPU{Arch: "sparc64", Name: "TI UltraSparc IV"}, nil, []string{"ultrasparc3", "go"}},
	} {
		got := For(c.cpu, c.events...)
		require.Equal(t, c.want, got, "%+v %v", c.cpu, c.events)
		_, err := Load(got...)
		require.NoError(t, err)
	}
}
