package events

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func table(t *testing.T, name string) *Table {
	t.Helper()
	tab, err := Named(name)
	require.NoError(t, err)
	return tab
}

func TestEveryTableIsWhole(t *testing.T) {
	known := map[string]bool{}
	for _, p := range Presets() {
		known[p.Name] = true
	}
	for _, name := range Names() {
		tab := table(t, name)
		require.NotEmpty(t, tab.Title, name)
		require.NotEmpty(t, tab.Licence, name)
		require.Positive(t, tab.Counters, name)
		require.Greater(t, len(tab.Entries()), 50, name)
		for _, e := range tab.Entries() {
			require.Regexp(t, `^event=0x[0-9a-f]+(,\w+=(0x)?[0-9a-f]+)*$`, e.Encoding, "%s %s", name, e.Name)
			require.Zero(t, e.Counters>>tab.Counters, "%s %s: counters that are not there", name, e.Name)
			require.LessOrEqual(t, e.Fixed, tab.Fixed, "%s %s", name, e.Name)
			require.NotContains(t, e.Description, "\t")
			found, ok := tab.Find(e.Name)
			require.True(t, ok)
			require.Equal(t, e, found)
		}
		require.NotEmpty(t, tab.Presets(), name)
		for _, p := range tab.Presets() {
			require.True(t, known[p.Name], "%s: %s is in no list", name, p.Name)
			for _, n := range p.Natives {
				_, ok := tab.Find(n)
				require.True(t, ok, "%s: %s: %s", name, p.Name, n)
			}
		}
		for _, p := range []string{"PAPI_TOT_CYC", "PAPI_TOT_INS"} {
			_, ok := tab.Preset(p)
			require.True(t, ok, "%s has no %s", name, p)
		}
	}
}

func TestProcessorsHaveTheirTables(t *testing.T) {
	for _, c := range []struct {
		cpu  CPU
		want string
	}{
		{CPU{Vendor: "GenuineIntel", Family: 6, Model: 0x55, Stepping: 4}, "skx"},
		{CPU{Vendor: "GenuineIntel", Family: 6, Model: 0x55, Stepping: 7}, "clx"},
		{CPU{Vendor: "GenuineIntel", Family: 6, Model: 0x6a}, "icx"},
		{CPU{Vendor: "GenuineIntel", Family: 6, Model: 0x8f}, "spr"},
		{CPU{Vendor: "GenuineIntel", Family: 6, Model: 0xcf}, "spr"},
		{CPU{Vendor: "GenuineIntel", Family: 6, Model: 0xad}, "gnr"},
		{CPU{Vendor: "GenuineIntel", Family: 6, Model: 0xaf}, "srf"},
		{CPU{Vendor: "AuthenticAMD", Family: 15, Model: 5}, "k8"},
		{CPU{Vendor: "AuthenticAMD", Family: 23, Model: 0x31}, "zen2"},
		{CPU{Vendor: "AuthenticAMD", Family: 25, Model: 0x01}, "zen3"},
		{CPU{Vendor: "AuthenticAMD", Family: 25, Model: 0x11}, "zen4"},
		{CPU{Vendor: "AuthenticAMD", Family: 26, Model: 0x02}, "zen5"},
		{CPU{Vendor: "0x41", Family: 8, Model: 0xd0c}, "n1"},
		{CPU{Vendor: "0x41", Family: 8, Model: 0xd49}, "n2"},
		{CPU{Vendor: "0x41", Family: 8, Model: 0xd8e}, "n3"},
		{CPU{Vendor: "0x41", Family: 8, Model: 0xd40}, "v1"},
		{CPU{Vendor: "0x41", Family: 8, Model: 0xd4f}, "v2"},
		{CPU{Vendor: "0x41", Family: 8, Model: 0xd84}, "v3"},
	} {
		tab, ok := For(c.cpu)
		require.True(t, ok, c.want)
		require.Equal(t, c.want, tab.Name)
	}
	for _, c := range []CPU{{}, {Vendor: "GenuineIntel", Family: 6, Model: 1}, {Vendor: "AuthenticAMD", Family: 6}} {
		_, ok := For(c)
		require.False(t, ok, c)
	}
}

// What manuals say, and Linux's own tables of generic events.
func TestKnownEncodings(t *testing.T) {
	for _, c := range []struct{ table, event, encoding string }{
		{"spr", "INST_RETIRED.ANY_P", "event=0xc0,umask=0x0"},
		{"spr", "inst_retired:any", "event=0xc0,umask=0x0"},
		{"spr", "CPU_CLK_UNHALTED.THREAD", "event=0x3c,umask=0x0"},
		{"spr", "CPU_CLK_UNHALTED.REF_TSC", "event=0x0,umask=0x3"},
		{"spr", "MEM_LOAD_RETIRED.L1_MISS", "event=0xd1,umask=0x8"},
		{"spr", "OCR.DEMAND_DATA_RD.DRAM", "event=0x2a,umask=0x1,offcore_rsp=0x73c000001"},
		{"icx", "LONGEST_LAT_CACHE.MISS", "event=0x2e,umask=0x41"},
		{"icx", "UOPS_RETIRED.STALL_CYCLES", "event=0xc2,umask=0x2,inv=1,cmask=1"},
		{"gnr", "FRONTEND_RETIRED.L1I_MISS", "event=0xc6,umask=0x3,frontend=0x12"},
		{"zen3", "RETIRED_INSTRUCTIONS", "event=0xc0,umask=0x0"},
		{"zen4", "CYCLES_NOT_IN_HALT", "event=0x76,umask=0x0"},
		{"zen5", "RETIRED_SSE_AVX_FLOPS.ANY", "event=0x3,umask=0xf"},
		{"n2", "CPU_CYCLES", "event=0x11"},
		{"v2", "STALL_BACKEND_MEM", "event=0x4005"},
		{"k8", "DATA_CACHE_ACCESSES", "event=0x40,umask=0x0"},
		{"k8", "DC_ACCESS", "event=0x40,umask=0x0"},
		{"k8", "HT_LL_MEM_XFR", "event=0xe9,umask=0xa8"},
	} {
		e, ok := table(t, c.table).Find(c.event)
		require.True(t, ok, "%s %s", c.table, c.event)
		require.Equal(t, c.encoding, e.Encoding, "%s %s", c.table, c.event)
	}
}

func TestConstraints(t *testing.T) {
	instructions, _ := table(t, "spr").Find("INST_RETIRED.ANY_P")
	require.Equal(t, 1, instructions.Fixed)
	require.EqualValues(t, 0xff, instructions.Counters)
	reference, _ := table(t, "spr").Find("CPU_CLK_UNHALTED.REF_TSC")
	require.Equal(t, 3, reference.Fixed)
	require.Zero(t, reference.Counters)
	loads, _ := table(t, "spr").Find("MEM_LOAD_RETIRED.L3_MISS")
	require.EqualValues(t, 0xf, loads.Counters)
	alone, _ := table(t, "spr").Find("FRONTEND_RETIRED.ITLB_MISS")
	require.True(t, alone.Alone)

	// UltraSPARC: some events on one of the two counters only, so that two of the same are no set.
	for name, mask := range map[string]uint64{"Cycle_cnt": 0, "DC_rd": 1, "DC_rd_miss": 2, "IC_miss": 2, "EC_misses": 2} {
		e, ok := table(t, "ultra3").Find(name)
		require.True(t, ok, name)
		require.Equal(t, mask, e.Counters, name)
	}
	// POWER4: events are in some of its 63 groups, ten of the 244 in none.
	power4 := table(t, "power4")
	grouped := 0
	for _, e := range power4.Entries() {
		require.NotZero(t, e.Counters, e.Name)
		if e.Groups != 0 {
			grouped++
		}
	}
	require.Equal(t, 234, grouped)
	cycles, _ := power4.Find("PM_CYC")
	dtlb, _ := power4.Find("PM_DTLB_MISS")
	require.NotZero(t, cycles.Groups&dtlb.Groups, "table 4 of the paper counts them together")
}

func TestPresetsOfPaperAndToday(t *testing.T) {
	all := Presets()
	require.Len(t, all, 113, "110 of today, and three that were renamed or are rates")
	seen := map[string]bool{}
	for i, p := range all {
		require.NotEmpty(t, p.Short)
		require.NotEmpty(t, p.Description)
		require.True(t, i == 0 || all[i-1].Name < p.Name)
		seen[p.Name] = true
	}
	// "A Portable Programming Interface for Performance Evaluation on Modern Processors", appendix, and PAPI_FP_STAL of section 2.
	paper := strings.Fields(`L1_DCM L1_ICM L2_DCM L2_ICM L3_DCM L3_ICM L1_TCM L2_TCM L3_TCM TLB_DM TLB_IM TLB_TL L1_LDM L1_STM L2_LDM L2_STM
		CA_SNP CA_SHR CA_CLN CA_INV CA_ITV TLB_SD TOT_CYC TOT_IIS TOT_INS INT_INS FP_INS LD_INS SR_INS LST_INS FMA_INS VEC_INS
		BR_UCN BR_CN BR_TKN BR_NTK BR_MSP BR_PRC BR_INS CSR_FAL CSR_SUC CSR_TOT SYC_INS FLOPS IPS BRU_IDL FXU_IDL FPU_IDL LSU_IDL
		MEM_SCY MEM_RCY MEM_WCY STL_CYC FUL_ICY STL_CCY FUL_CCY`)
	require.Len(t, paper, 56)
	for _, name := range append(paper, "FP_STAL") {
		require.True(t, seen["PAPI_"+name], name)
	}
}

func TestFormulas(t *testing.T) {
	ops, ok := table(t, "spr").Preset("PAPI_DP_OPS")
	require.True(t, ok)
	require.Equal(t, "N0 + N1 * 2 + N2 * 4 + N3 * 8", ops.Formula)
	former, ok := table(t, "spr").Preset("PAPI_STL_CYC")
	require.True(t, ok)
	require.Equal(t, "PAPI_STL_ICY", former.Name)
	for _, good := range []string{"N0 - (N1 - N2)", "N0*2+N1/N2", "(N0 + N1) * (N2)", "((N0))+N1+N2"} {
		require.NoError(t, checkFormula(good, 3), good)
	}
	for _, bad := range []string{"", "N0 +", "N0 + N1", "N0 N1 N2", "N3 + N0 + N1 + N2", "(N0 + N1 + N2", "N0 + N1) + N2", "N0 ** N1 + N2",
		"x + N0 + N1 + N2", "()", "N0 (N1 + N2)", "N0 + N1 + N2 3", ")N0 + N1 + N2("} {
		require.Error(t, checkFormula(bad, 3), bad)
	}
}

func TestTablesReadBack(t *testing.T) {
	for _, name := range Names() {
		tab := table(t, name)
		again, err := Parse(name, bytes.NewReader(tab.Append(nil)))
		require.NoError(t, err)
		require.Equal(t, tab.Append(nil), again.Append(nil))
		require.Equal(t, tab.Entries(), again.Entries())
		require.Equal(t, tab.Presets(), again.Presets())
	}
}

func TestBadTablesNameTheLine(t *testing.T) {
	good := head + "\ntitle\tT\npmu\tcpu\ncounters\t4\t3\nevent\tA\tcpu\tevent=0x1\t-\tone\n"
	_, err := Parse("t", strings.NewReader(good))
	require.NoError(t, err)
	for text, want := range map[string]string{
		"":                                            "",
		"# something else\n":                          "line 1",
		good + "event\tB\n":                           "line 6: event: 1 fields",
		good + "event\tB\tcpu\tx\t0xzz\td\n":          "line 6",
		good + "event\ta\tcpu\tevent=2\t-\tx":         "occurs twice",
		good + "preset\tP\tN0\tB\n":                   "unknown event B",
		good + "preset\tP\tN0 + N1\tA\n":              "there is no native event N1",
		good + "preset\tP\t1\tA\n":                    "does not use",
		good + "preset\tP\tN0\tA\npreset\tP\tN0\tA\n": "P occurs twice",
		good + "match\tV\tx\t*\t*\n":                  "line 6: match",
		good + "what\tV\n":                            "unknown kind",
		good + "title\tT\r\r\n":                       "line 6: a control character",
	} {
		_, err := Parse("t", strings.NewReader(text))
		if text == "" {
			require.NoError(t, err, "an empty file is an empty table")
			continue
		}
		require.ErrorIs(t, err, ErrTable, text)
		require.ErrorContains(t, err, want)
	}
	_, err = Named("nosuch")
	require.True(t, errors.Is(err, fs.ErrNotExist))
}

func TestVendorsWithSpaces(t *testing.T) {
	tab, err := Parse("t", strings.NewReader(head+"\nmatch\tVIA VIA VIA \t6\t0xf\t*\n"))
	require.NoError(t, err)
	again, err := Parse("t", bytes.NewReader(tab.Append(nil)))
	require.NoError(t, err)
	require.Equal(t, []Match{{Vendor: "VIA VIA VIA ", Family: 6, Models: [][2]int{{15, 15}}}}, again.matches)
}

func TestTablesOfTheUser(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(Directory, dir)
	text := head + "\ntitle\tMine\nmatch\tHomeMade\t1\t0x2-0x3\t*\npmu\tcpu\ncounters\t4\t0\nevent\tA\tcpu\tevent=0x1\t-\tone\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "mine.tsv"), []byte(text), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "broken.tsv"), []byte("no table"), 0o600))
	tab, ok := For(CPU{Vendor: "HomeMade", Family: 1, Model: 3})
	require.True(t, ok)
	require.Equal(t, "Mine", tab.Title)
	require.Contains(t, Names(), "mine")
	_, ok = For(CPU{Vendor: "HomeMade", Family: 1, Model: 4})
	require.False(t, ok)
}

func TestCPU(t *testing.T) {
	for _, c := range []struct {
		arch, file string
		want       CPU
	}{
		{"amd64", "intel", CPU{"amd64", "GenuineIntel", 6, 207, 2, "INTEL(R) XEON(R) PLATINUM 8581C CPU @ 2.30GHz"}},
		{"amd64", "amd", CPU{"amd64", "AuthenticAMD", 25, 1, 1, "AMD EPYC 7763 64-Core Processor"}},
		{"arm64", "arm", CPU{"arm64", "0x41", 8, 0xd49, 0, ""}},
	} {
		text, err := os.ReadFile(filepath.Join("testdata", "cpuinfo", c.file))
		require.NoError(t, err)
		require.Equal(t, c.want, parseCPU(c.arch, string(text)))
	}
	require.Equal(t, CPU{Arch: "riscv64"}, parseCPU("riscv64", ""))
	require.NotEmpty(t, Here().Arch)
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(head + "\ntitle\tT\nmatch\tV\t6\t0x1-0x3,9\t1-2\ncounters\t4\t3\nevent\tA.B\tcpu\tevent=0x1\t0xf fixed=1 alone groups=0x3\td\npreset\tP\t(N0 + 2) * N0\tA:B\n"))
	f.Add([]byte("# other"))
	f.Fuzz(func(t *testing.T, data []byte) {
		tab, err := Parse("x", bytes.NewReader(data))
		if err != nil {
			require.ErrorIs(t, err, ErrTable)
			return
		}
		written := tab.Append(nil)
		again, err := Parse("x", bytes.NewReader(written))
		require.NoError(t, err, "%q", written)
		require.Equal(t, written, again.Append(nil))
	})
}
