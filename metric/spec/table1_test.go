package spec

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Counts of table 1 of the paper, in units of a million for its [10⁹] (so that sums of rounded counts can be met), as events of the
// three platforms' specifications, with the published counts and percentages of the root.
var table1 = []struct {
	spec, events string
	rows         []table1Row
}{
	{"power4", `PM_CYC=25911000 PM_INST_CMPL=15377000 PM_FPU_ALL=7208000 PM_FPU_DENORM=0 PM_FPU_FDIV=0 PM_FPU_FMA=0 PM_FPU_FMOV_FEST=0
		PM_FPU_FRSP_FCONV=0 PM_FPU_FSQRT=0 PM_BR_ISSUED=1287000 PM_BR_MPRED_CR=80000 PM_BR_MPRED_TA=10000
		PM_INST_FROM_PREF=0 PM_INST_FROM_L1=4201000 PM_INST_FROM_L2=1000 PM_INST_FROM_L25_L275=0 PM_INST_FROM_L3=0 PM_INST_FROM_L35=0
		PM_INST_FROM_MEM=0 PM_LD_REF_L1=4000000 PM_LD_MISS_L1=100000 PM_ST_REF_L1=1400000 PM_ST_MISS_L1=208000
		PM_DATA_FROM_L2=120000 PM_DATA_FROM_L25_MOD=9000 PM_DATA_FROM_L25_SHR=0 PM_DATA_FROM_L275_MOD=0 PM_DATA_FROM_L275_SHR=0
		PM_DATA_FROM_L3=7000 PM_DATA_FROM_L35=0 PM_DATA_FROM_MEM=7000`, []table1Row{
		{"CYCLES", 25911, 100}, {"INSTRUCTION", 15377, 100}, {"FLOATING_POINT", 7208, 46.9}, {"BRANCH", 1287, 8.4}, {"BRANCH_MISP", 90, 0.6},
		{"INST_ACCESS", 4202, 100}, {"INST_HIT_L1$", 4201, 100}, {"DATA_ACCESS", 5235, 100}, {"DATA_HIT_L1$", 5092, 97.3},
		{"DATA_HIT_L2$", 129, 2.5}, {"DATA_HIT_L3$", 7, 0.1}, {"DATA_HIT_MEM", 7, 0.1}, {"DATA_LOAD_FROM_MEM", 7, 0.14}}},
	// STALL of table 1 is not in the Opteron specification of A.2: there, it is what is not BUSY.
	{"opteron", `CPU_CLK_UNHALTED=22090000 IC_FETCH_STALL=14000000 FP_NONE_RET=1499000 FR_X86_INS=17678000 FR_BR=967000 FR_BR_MIS=14000
		FR_BR_TAKEN=500000 FR_BR_TAKEN_MIS=9000 FP_ADD_PIPE=11704000 FP_MULT_PIPE=0 FP_ST_PIPE=0 FP_FAST_FLAG=0
		IC_FETCH=6575000 IC_L2_REFILL=300 IC_SYS_REFILL=10 DC_ACCESS=7456000 DC_MISS=226000
		DC_L2_REFILL_M=100000 DC_L2_REFILL_O=4000 DC_L2_REFILL_E=80000 DC_L2_REFILL_S=10000
		DC_SYS_REFILL_M=12000 DC_SYS_REFILL_O=1000 DC_SYS_REFILL_E=15000 DC_SYS_REFILL_S=4000`, []table1Row{
		{"CYCLES", 22090, 100}, {"BUSY", 22090 - 15499, 100 - 70.2}, {"INSTRUCTION", 17678, 100}, {"FLOATING_POINT", 11704, 66.2},
		{"BRANCH", 967, 5.5}, {"BRANCH_MISP", 14, 0.1}, {"INST_ACCESS", 6575, 100}, {"INST_HIT_L1$", 6575, 100}, {"DATA_ACCESS", 7456, 100},
		{"DATA_HIT_L1$", 7230, 97.0}, {"DATA_HIT_L2$", 194, 2.6}, {"DATA_HIT_MEM", 32, 0.4}, {"DATA_LOAD_FROM_MEM", 20, 0.27}}},
	{"ultrasparc3", `Cycle_cnt=38789000 Rstall_IU_use=14581000 Rstall_FP_use=9000000 Rstall_storeQ=1000000
		Instr_cnt=21197000 FA_pipe_completion=5000000 FM_pipe_completion=3649000
		IU_Stat_Br_count_taken=600000 IU_Stat_Br_miss_taken=20000 IU_Stat_Br_count_untaken=323000 IU_Stat_Br_miss_untaken=9000
		IC_ref=8793000 IC_miss=4000 EC_ic_miss=100 DC_wr=1500000 DC_wr_miss=300400 DC_rd=5360800 DC_rd_miss=966200 EC_rd_miss=11200
		EC_misses=37300`, []table1Row{
		{"CYCLES", 38789, 100}, {"STALL", 24581, 63.4}, {"INSTRUCTION", 21197, 100}, {"FLOATING_POINT", 8649, 40.8}, {"BRANCH", 923, 4.3},
		{"BRANCH_MISP", 29, 0.1}, {"INST_ACCESS", 8793, 100}, {"INST_HIT_L1$", 8789, 100}, {"DATA_ACCESS", 6887, 100},
		{"DATA_HIT_L1$", 5594, 81.2}, {"DATA_HIT_L2$", 1255, 18.2}, {"DATA_HIT_MEM", 37, 0.5}, {"DATA_LOAD_FROM_MEM", 11, 0.16}}},
}

type table1Row struct {
	metric  string
	count   float64
	percent float64 // of the root
}

// All percentages of counters in table 1, and those of loads from memory in its text, follow from the published counts within 0.1.
// There are no exceptions among the counters. Of the table's percentages of time, these do not follow from its figures, which are
// rounded to seconds: runhyd 97.8 % and 99.2 % (241 of 280 s and 163 of 180 s are 86.1 % and 90.6 %), init 1.8 % (14 of 885 s are
// 1.6 %), Execution 81.1 % on SF25k (44742 of 49769 s are 89.9 %), glblmax 89.3 % (15 of 17 s), the last barrier 82.2 % (117 of 142 s).
func TestTable1(t *testing.T) {
	for _, platform := range table1 {
		s, err := Open(platform.spec)
		require.NoError(t, err)
		nodes := map[string]int64{}
		roots := map[string]string{}
		r := s.Resolve(eventsOf(platform.events))
		_, values := eventValues(platform.events)
		for i := range r.Nodes {
			n := &r.Nodes[i]
			nodes[n.Name] = n.Value(values)
			root := n
			for root.Parent >= 0 {
				root = &r.Nodes[root.Parent]
			}
			roots[n.Name] = root.Name
		}
		for _, row := range platform.rows {
			v, there := nodes[row.metric]
			require.True(t, there, "%s: %s", platform.spec, row.metric)
			require.Equal(t, row.count, math.Round(float64(v)/1000), "%s: %s", platform.spec, row.metric)
			percent := row.count / math.Round(float64(nodes[roots[row.metric]])/1000) * 100
			require.InDelta(t, row.percent, percent, 0.1, "%s: %s", platform.spec, row.metric)
			require.InDelta(t, row.percent, float64(v)/float64(nodes[roots[row.metric]])*100, 0.1, "%s: %s", platform.spec, row.metric)
		}
	}
}

func eventsOf(text string) []string {
	names, _ := eventValues(text)
	return names
}

func eventValues(text string) (names []string, values []int64) {
	for _, f := range strings.Fields(text) {
		name, number, _ := strings.Cut(f, "=")
		v, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			panic(err)
		}
		names, values = append(names, name), append(values, v)
	}
	return names, values
}
