package patterns

import (
	"tracerec/analyzer"
	"tracerec/metric"
)

// Properties above counters of caches and memory. Measures name the counters of PAPI, of perf, and of the makers of processors; the
// first of which both sides were measured is taken.
var (
	PoorCacheUtilisation = &analyzer.Property{
		Metric: metric.Metric{
			Name: "poor_cache_utilisation", Title: "Poor cache utilisation", Kind: metric.Property, Unit: metric.Events,
			Description: "A large part of the accesses to the data cache miss it. Each miss costs ten to some hundred cycles, in which little else " +
				"is done unless the processor finds independent work. Where the simulator counted, findings tell the kinds of misses apart: at the " +
				"first touch of a line (cold), for want of capacity, by conflicts of addresses that share a set of lines.",
			Formula: "misses of the first-level data cache / accesses, above 10 %, from 10,000 misses on",
			Advice: "Walk arrays in the order in which they lie in memory, and finish with a block that fits into the cache before the next one " +
				"is begun (tiling). Keep what is used together in one structure, and pointers out of inner loops: slices of values, not of " +
				"pointers. Smaller types fit more often.",
		},
		Measures: []analyzer.Measure{
			{Part: "PAPI_L1_DCM", Of: "PAPI_L1_DCA", Above: 0.1, Least: 10_000, Words: dataMiss, Kinds: kindsOfMisses},
			{Part: "MEM_LOAD_RETIRED.L1_MISS", Of: "MEM_INST_RETIRED.ALL_LOADS", Above: 0.1, Least: 10_000, Words: loadMiss},
			{Part: "L1D_CACHE_REFILL", Of: "L1D_CACHE", Above: 0.1, Least: 10_000, Words: dataMiss},
			{Part: "PAPI_L1_LDM", Of: "PAPI_LD_INS", Above: 0.1, Least: 10_000, Words: loadMiss},
			{Part: "PAPI_L1_DCM", Of: "PAPI_LST_INS", Above: 0.1, Least: 10_000, Words: dataMiss},
			{Part: "L1-dcache-load-misses", Of: "L1-dcache-loads", Above: 0.1, Least: 10_000, Words: loadMiss},
			{Part: "PM_LD_MISS_L1", Of: "PM_LD_REF_L1", Above: 0.1, Least: 10_000, Words: loadMiss},
			{Part: "DC_rd_miss + DC_wr_miss", Of: "DC_rd + DC_wr", Above: 0.1, Least: 10_000, Words: dataMiss},
			{Part: "DC_MISS", Of: "DC_ACCESS", Above: 0.1, Least: 10_000, Words: dataMiss},
			{Part: "cache-misses", Of: "cache-references", Above: 0.3, Least: 10_000,
				Words: "{share} of {of} accesses that reach the last-level cache miss it"},
		},
	}
	MemoryBound = &analyzer.Property{
		Metric: metric.Metric{
			Name: "memory_bound", Title: "Memory-bound call path", Kind: metric.Property, Unit: metric.Events,
			Description: "The processor mostly waits for memory here: it stalls on loads, or so many instructions miss the last cache that it must. " +
				"Faster arithmetic would not help.",
			Formula: "cycles stalled on memory / cycles, above 30 %; or misses of the last-level cache above 10 in 1,000 instructions; " +
				"from 100,000 stalls or 10,000 misses on",
			Advice: "Move fewer bytes: smaller types, fewer passes over the data, blocks that fit into a cache. Access memory in sequence, so " +
				"that it is fetched ahead. More goroutines do not help once the memory's bandwidth is used up; on machines of several " +
				"sockets, let each goroutine work on memory that it has written first.",
		},
		Measures: []analyzer.Measure{
			{Part: "TOPDOWN.MEMORY_BOUND_SLOTS", Of: "TOPDOWN.SLOTS", Above: 0.3, Least: 100_000, Words: "{share} of {of} pipeline slots are lost to memory"},
			{Part: "CYCLE_ACTIVITY.STALLS_MEM_ANY", Of: "CPU_CLK_UNHALTED.THREAD", Above: 0.3, Least: 100_000, Words: memoryStall},
			{Part: "STALL_BACKEND_MEM", Of: "CPU_CYCLES", Above: 0.3, Least: 100_000, Words: memoryStall},
			{Part: "PAPI_MEM_SCY", Of: "PAPI_TOT_CYC", Above: 0.3, Least: 100_000, Words: memoryStall},
			{Part: "LONGEST_LAT_CACHE.MISS", Of: "INST_RETIRED.ANY", Above: 0.01, Least: 10_000, Words: lastMiss},
			{Part: "LL_CACHE_MISS_RD", Of: "INST_RETIRED", Above: 0.01, Least: 10_000, Words: lastMiss},
			{Part: "PAPI_L3_TCM", Of: "PAPI_TOT_INS", Above: 0.01, Least: 10_000, Words: lastMiss},
			{Part: "LLC-load-misses", Of: "instructions", Above: 0.01, Least: 10_000, Words: lastMiss},
			{Part: "cache-misses", Of: "instructions", Above: 0.01, Least: 10_000, Words: lastMiss},
		},
	}
	TLBThrashing = &analyzer.Property{
		Metric: metric.Metric{
			Name: "tlb_thrashing", Title: "TLB thrashing", Kind: metric.Property, Unit: metric.Events,
			Description: "So many pages are touched in turn that the processor's table of address translations cannot hold them: each miss walks the " +
				"page tables.",
			Formula: "misses of the data TLB / loads, above 1 %, from 10,000 misses on",
			Advice: "Touch fewer pages at a time: work through a block before the next, and choose strides below the size of a page. Put what is " +
				"scattered over many small allocations into one slice. Huge pages (transparent_hugepage, MADV_HUGEPAGE) make the table reach further.",
		},
		Measures: []analyzer.Measure{
			{Part: "PAPI_TLB_DM", Of: "PAPI_LST_INS", Above: 0.01, Least: 10_000, Words: tlbMiss},
			{Part: "PAPI_TLB_DM", Of: "PAPI_L1_DCA", Above: 0.01, Least: 10_000, Words: tlbMiss},
			{Part: "DTLB_LOAD_MISSES.WALK_COMPLETED", Of: "MEM_INST_RETIRED.ALL_LOADS", Above: 0.01, Least: 10_000, Words: tlbMiss},
			{Part: "L1D_TLB_REFILL", Of: "L1D_TLB", Above: 0.01, Least: 10_000, Words: tlbMiss},
			{Part: "dTLB-load-misses", Of: "dTLB-loads", Above: 0.01, Least: 10_000, Words: tlbMiss},
			{Part: "PAPI_TLB_DM", Of: "PAPI_TOT_INS", Above: 0.005, Least: 10_000, Words: "{thousand} in 1,000 of {of} instructions miss the TLB"},
		},
	}
	CacheLineContention = &analyzer.Property{
		Metric: metric.Metric{
			Name: "cache_line_contention", Title: "Cache-line contention", Kind: metric.Property, Unit: metric.Events,
			Description: "Cache lines are taken from other processors, which have written them: goroutines share data, or different data that " +
				"lies in one line (false sharing).",
			Formula: "loads served from a line that another core had modified, or lines that another core invalidated / accesses, above 0.5 %, " +
				"from 1,000 on",
			Advice: "Give each goroutine its own counters and results and add them up at the end. Put data of different goroutines into different " +
				"lines of 64 bytes (pad structures, or use golang.org/x/sys/cpu.CacheLinePad). A lock or an atomic that all use is such a line: shard it.",
		},
		Measures: []analyzer.Measure{
			{Part: "MEM_LOAD_L3_HIT_RETIRED.XSNP_FWD", Of: "MEM_INST_RETIRED.ALL_LOADS", Above: 0.005, Least: 1000, Words: modified},
			{Part: "MEM_LOAD_L3_HIT_RETIRED.XSNP_HITM", Of: "MEM_INST_RETIRED.ALL_LOADS", Above: 0.005, Least: 1000, Words: modified},
			{Part: "PAPI_CA_INV", Of: "PAPI_L1_DCA", Above: 0.005, Least: 1000, Words: "{part} cache lines were invalidated by others, {share} of {of} accesses"},
			{Part: "PAPI_CA_ITV", Of: "PAPI_L1_DCA", Above: 0.005, Least: 1000, Words: modified},
			{Part: "PAPI_CA_INV", Of: "PAPI_TOT_INS", Above: 0.002, Least: 1000,
				Words: "{part} cache lines were invalidated by others, {thousand} in 1,000 instructions"},
		},
	}
)

// kindsOfMisses are told apart by the simulator alone. Cold misses are those of lines that were never in the cache; capacity misses would also
// happen if a line could be anywhere in it; conflict misses are the rest.
var kindsOfMisses = []analyzer.Kind{
	{Part: "SIM_L1D_CAPACITY", Words: "for want of capacity", Advice: "What is used again does not fit into the cache in between. Finish with a block that " +
		"fits before the next one is begun (tiling), walk arrays in the order in which they lie in memory, so that all of a line is used while it " +
		"is there, and make what is walked smaller: smaller types, hot fields apart from cold ones."},
	{Part: "SIM_L1D_CONFLICT", Words: "by conflicts in a set", Advice: "The cache has room, but these addresses share few of its sets, as with strides that are " +
		"powers of two. Make rows longer by one cache line (padding), or copy the block that is worked on into memory of its own."},
	{Part: "SIM_L1D_COLD", Words: "at the first touch of a line", Advice: "Each line is touched for the first time, so no cache helps. Use all of a line " +
		"while it is there (walk in order, slices of values instead of pointers), allocate less, reuse buffers, and make fewer passes over new memory."},
}

// What measures of the same say.
const (
	dataMiss    = "{share} of {of} accesses miss the data cache"
	loadMiss    = "{share} of {of} loads miss the data cache"
	lastMiss    = "{part} accesses miss the last-level cache, {thousand} in 1,000 instructions"
	memoryStall = "{share} of {of} cycles are stalled on memory"
	tlbMiss     = "{share} of {of} accesses miss the TLB"
	modified    = "{share} of {of} loads come from a line that another core had modified"
)
