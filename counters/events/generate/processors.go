package main

import "tracerec/counters/events"

// A processor says where its table comes from.
type processor struct {
	table         events.Table
	matches       []events.Match
	header, array string // of libpfm4
	model         string // of headers for several models
	papi          string // its name in PAPI's table of presets
	kind          func(*library, native, []record) (events.Entry, error)
}

// of returns matches of one family. Steppings are those of both ends, or all.
func of(vendor string, family int, models ...[2]int) []events.Match {
	return []events.Match{{Vendor: vendor, Family: family, Models: models}}
}

// stepping restricts matches to a range of steppings.
func stepping(m []events.Match, low, high int) []events.Match {
	m[0].Steppings = [2]int{low, high}
	return m
}

// one is the range of one model.
func one(model int) [2]int { return [2]int{model, model} }

const (
	intelVendor = "GenuineIntel"
	amdVendor   = "AuthenticAMD"
	armVendor   = "0x41"
	armPMU      = "armv8_pmuv3_0"
)

var processors = []processor{
	{events.Table{Name: "skx", Title: "Intel Skylake server", PMU: "cpu", Counters: 4, Fixed: 3},
		stepping(of(intelVendor, 6, one(0x55)), 0, 4), "intel_skl_events.h", "intel_skl_pe", "PFM_PMU_INTEL_SKX", "skx", intel},
	{events.Table{Name: "clx", Title: "Intel Cascade Lake, Cooper Lake", PMU: "cpu", Counters: 4, Fixed: 3},
		stepping(of(intelVendor, 6, one(0x55)), 5, 15), "intel_skl_events.h", "intel_skl_pe", "PFM_PMU_INTEL_CLX", "clx", intel},
	{events.Table{Name: "icx", Title: "Intel Ice Lake server", PMU: "cpu", Counters: 8, Fixed: 4},
		of(intelVendor, 6, one(0x6a), one(0x6c)), "intel_icl_events.h", "intel_icl_pe", "PFM_PMU_INTEL_ICX", "icx", intel},
	{events.Table{Name: "spr", Title: "Intel Sapphire Rapids, Emerald Rapids", PMU: "cpu", Counters: 8, Fixed: 4},
		of(intelVendor, 6, one(0x8f), one(0xcf)), "intel_spr_events.h", "intel_spr_pe", "", "spr", intel},
	{events.Table{Name: "k8", Title: "AMD Opteron (K8)", PMU: "cpu", Counters: 4},
		of(amdVendor, 15), "amd64_events_k8.h", "amd64_k8_pe", "", "amd64_k8_reve", amd},
	{events.Table{Name: "zen2", Title: "AMD Zen 2", PMU: "cpu", Counters: 6},
		of(amdVendor, 23, [2]int{0x30, 0xff}), "amd64_events_fam17h_zen2.h", "amd64_fam17h_zen2_pe", "", "amd64_fam17h_zen2", amd},
	{events.Table{Name: "zen3", Title: "AMD Zen 3", PMU: "cpu", Counters: 6},
		of(amdVendor, 25, [2]int{0, 0xf}, [2]int{0x20, 0x5f}), "amd64_events_fam19h_zen3.h", "amd64_fam19h_zen3_pe", "", "amd64_fam19h_zen3", amd},
	{events.Table{Name: "zen4", Title: "AMD Zen 4", PMU: "cpu", Counters: 6},
		of(amdVendor, 25, [2]int{0x10, 0x1f}, [2]int{0x60, 0xaf}), "amd64_events_fam19h_zen4.h", "amd64_fam19h_zen4_pe", "", "amd64_fam19h_zen4", amd},
	{events.Table{Name: "n1", Title: "Arm Neoverse N1", PMU: armPMU, Counters: 6, Fixed: 1},
		of(armVendor, 8, one(0xd0c)), "arm_neoverse_n1_events.h", "arm_n1_pe", "", "arm_n1", arm},
	{events.Table{Name: "n2", Title: "Arm Neoverse N2", PMU: armPMU, Counters: 6, Fixed: 1},
		of(armVendor, 8, one(0xd49)), "arm_neoverse_n2_events.h", "arm_n2_pe", "", "arm_n2", arm},
	{events.Table{Name: "v1", Title: "Arm Neoverse V1", PMU: armPMU, Counters: 6, Fixed: 1},
		of(armVendor, 8, one(0xd40)), "arm_neoverse_v1_events.h", "arm_v1_pe", "", "arm_v1", arm},
	{events.Table{Name: "v2", Title: "Arm Neoverse V2", PMU: armPMU, Counters: 6, Fixed: 1},
		of(armVendor, 8, one(0xd4f)), "arm_neoverse_v2_events.h", "arm_v2_pe", "", "arm_v2", arm},
	{events.Table{Name: "ultra3", Title: "Sun UltraSPARC III", PMU: "cpu", Counters: 2},
		nil, "sparc_ultra3_events.h", "ultra3_pe", "", "ultra3", sparc},
	{events.Table{Name: "ultra3plus", Title: "Sun UltraSPARC III+", PMU: "cpu", Counters: 2},
		nil, "sparc_ultra3plus_events.h", "ultra3plus_pe", "", "ultra3+", sparc},
	{events.Table{Name: "ultra4plus", Title: "Sun UltraSPARC IV+", PMU: "cpu", Counters: 2},
		nil, "sparc_ultra4plus_events.h", "ultra4plus_pe", "", "ultra4+", sparc},
}
