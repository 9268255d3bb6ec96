package patterns

import (
	"tracerec/analyzer"
	"tracerec/metric"
)

// Properties above counters of the processor's pipeline.
var (
	BranchBound = &analyzer.Property{
		Metric: metric.Metric{
			Name: "branch_bound", Title: "Branch-bound call path", Kind: metric.Property, Unit: metric.Events,
			Description: "Many branches go another way than the processor expected: what it did ahead is thrown away, which costs 15 to 20 cycles " +
				"each time.",
			Formula: "mispredicted / executed branches, above 5 %, from 10,000 mispredictions on; or pipeline slots lost to them / slots, above 15 %",
			Advice: "Branches on random data cannot be foreseen. Sort or partition the data first, hoist tests out of the loop, or compute without a " +
				"branch (min, max, arithmetic, a table). Calls through interfaces and closures are branches, too: make the type known in hot loops.",
		},
		Measures: []analyzer.Measure{
			{Part: "TOPDOWN.BR_MISPREDICT_SLOTS", Of: "TOPDOWN.SLOTS", Above: 0.15, Least: 100_000,
				Words: "{share} of {of} pipeline slots are lost to mispredicted branches"},
			{Part: "PAPI_BR_MSP", Of: "PAPI_BR_CN", Above: 0.05, Least: 10_000, Words: mispredicted},
			{Part: "BR_MISP_RETIRED.ALL_BRANCHES", Of: "BR_INST_RETIRED.ALL_BRANCHES", Above: 0.05, Least: 10_000, Words: mispredicted},
			{Part: "BR_MIS_PRED_RETIRED", Of: "BR_RETIRED", Above: 0.05, Least: 10_000, Words: mispredicted},
			{Part: "branch-misses", Of: "branches", Above: 0.05, Least: 10_000, Words: mispredicted},
			{Part: "branch-misses", Of: "branch-instructions", Above: 0.05, Least: 10_000, Words: mispredicted},
			{Part: "PAPI_BR_MSP", Of: "PAPI_BR_INS", Above: 0.05, Least: 10_000, Words: mispredicted},
		},
	}
	FailedStoreConditionals = &analyzer.Property{
		Metric: metric.Metric{
			Name: "failed_store_conditionals", Title: "Failed store-conditionals", Kind: metric.Property, Unit: metric.Events,
			Description: "Many store-conditional instructions fail: between the load that reserves a word and the store, another processor wrote to " +
				"it. Each failure repeats the whole attempt.",
			Formula: "failed / all store-conditionals, above 10 %, from 1,000 failures on",
			Advice: "Too many goroutines update one word: a counter, a lock, the head of a list. Let each add up on its own and publish rarely, or " +
				"shard the word. On arm64 since v8.1, atomic instructions (GOARM64=v8.1) do not fail.",
		},
		Measures: []analyzer.Measure{
			{Part: "PAPI_CSR_FAL", Of: "PAPI_CSR_TOT", Above: 0.1, Least: 1000, Words: failedStore},
			{Part: "PAPI_CSR_FAL", Of: "PAPI_CSR_FAL + PAPI_CSR_SUC", Above: 0.1, Least: 1000, Words: failedStore},
			{Part: "STREX_FAIL_SPEC", Of: "STREX_SPEC", Above: 0.1, Least: 1000, Words: failedStore},
		},
	}
	InstructionReissue = &analyzer.Property{
		Metric: metric.Metric{
			Name: "instruction_reissue", Title: "Instruction reissue", Kind: metric.Property, Unit: metric.Events,
			Description: "Many instructions are issued that do not complete: they were begun on a guess that was wrong, or had to be issued again because " +
				"their data were not there.",
			Formula: "(issued − completed) / issued instructions, above 20 %, from 100,000 on",
			Advice: "Look at the other properties of the same call path: mispredicted branches and cache misses are what makes instructions be issued " +
				"in vain. If there are neither, break long chains of dependent loads.",
		},
		Measures: []analyzer.Measure{
			{Part: "PAPI_TOT_IIS - PAPI_TOT_INS", Of: "PAPI_TOT_IIS", Above: 0.2, Least: 100_000, Words: reissued},
			{Part: "INST_SPEC - INST_RETIRED", Of: "INST_SPEC", Above: 0.2, Least: 100_000, Words: reissued},
			{Part: "UOPS_ISSUED.ANY - UOPS_RETIRED.SLOTS", Of: "UOPS_ISSUED.ANY", Above: 0.2, Least: 100_000, Words: reissued},
			{Part: "PM_INST_DISP - PM_INST_CMPL", Of: "PM_INST_DISP", Above: 0.2, Least: 100_000, Words: reissued},
		},
	}
)

const (
	mispredicted = "{share} of {of} branches are mispredicted"
	failedStore  = "{share} of {of} store-conditionals fail"
	reissued     = "{share} of {of} issued instructions do not complete"
)
