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
	{events.Table{Name: "skl", Title: "Intel Skylake, Kaby Lake, Comet Lake", PMU: "cpu", Counters: 4, Fixed: 3},
		of(intelVendor, 6, one(0x4e), one(0x5e), one(0x8e), one(0x9e), one(0xa5), one(0xa6)), "intel_skl_events.h", "intel_skl_pe", "PFM_PMU_INTEL_SKL", "skl", intel},
	{events.Table{Name: "skx", Title: "Intel Skylake server", PMU: "cpu", Counters: 4, Fixed: 3},
		stepping(of(intelVendor, 6, one(0x55)), 0, 4), "intel_skl_events.h", "intel_skl_pe", "PFM_PMU_INTEL_SKX", "skx", intel},
	{events.Table{Name: "clx", Title: "Intel Cascade Lake, Cooper Lake", PMU: "cpu", Counters: 4, Fixed: 3},
		stepping(of(intelVendor, 6, one(0x55)), 5, 15), "intel_skl_events.h", "intel_skl_pe", "PFM_PMU_INTEL_CLX", "clx", intel},
	{events.Table{Name: "icl", Title: "Intel Ice Lake, Tiger Lake, Rocket Lake", PMU: "cpu", Counters: 8, Fixed: 4},
		of(intelVendor, 6, one(0x7d), one(0x7e), one(0x9d), one(0x8c), one(0x8d), one(0xa7)), "intel_icl_events.h", "intel_icl_pe", "PFM_PMU_INTEL_ICL", "icx", intel},
	{events.Table{Name: "icx", Title: "Intel Ice Lake server", PMU: "cpu", Counters: 8, Fixed: 4},
		of(intelVendor, 6, one(0x6a), one(0x6c)), "intel_icl_events.h", "intel_icl_pe", "PFM_PMU_INTEL_ICX", "icx", intel},
	{events.Table{Name: "spr", Title: "Intel Sapphire Rapids, Emerald Rapids", PMU: "cpu", Counters: 8, Fixed: 4},
		of(intelVendor, 6, one(0x8f), one(0xcf)), "intel_spr_events.h", "intel_spr_pe", "", "spr", intel},
	{events.Table{Name: "gnr", Title: "Intel Granite Rapids (events it shares with Sapphire Rapids)", PMU: "cpu", Counters: 8, Fixed: 4},
		of(intelVendor, 6, one(0xad), one(0xae)), "intel_spr_events.h", "intel_spr_pe", "", "gnr", intel},
	{events.Table{Name: "k8", Title: "AMD Opteron (K8)", PMU: "cpu", Counters: 4},
		of(amdVendor, 15), "amd64_events_k8.h", "amd64_k8_pe", "", "amd64_k8_reve", amd},
	{events.Table{Name: "zen1", Title: "AMD Zen, Zen+", PMU: "cpu", Counters: 6},
		of(amdVendor, 23, [2]int{0, 0x2f}), "amd64_events_fam17h_zen1.h", "amd64_fam17h_zen1_pe", "", "amd64_fam17h_zen1", amd},
	{events.Table{Name: "zen2", Title: "AMD Zen 2", PMU: "cpu", Counters: 6},
		of(amdVendor, 23, [2]int{0x30, 0xff}), "amd64_events_fam17h_zen2.h", "amd64_fam17h_zen2_pe", "", "amd64_fam17h_zen2", amd},
	{events.Table{Name: "zen3", Title: "AMD Zen 3", PMU: "cpu", Counters: 6},
		of(amdVendor, 25, [2]int{0, 0xf}, [2]int{0x20, 0x5f}), "amd64_events_fam19h_zen3.h", "amd64_fam19h_zen3_pe", "", "amd64_fam19h_zen3", amd},
	{events.Table{Name: "zen4", Title: "AMD Zen 4", PMU: "cpu", Counters: 6},
		of(amdVendor, 25, [2]int{0x10, 0x1f}, [2]int{0x60, 0xaf}), "amd64_events_fam19h_zen4.h", "amd64_fam19h_zen4_pe", "", "amd64_fam19h_zen4", amd},
	{events.Table{Name: "zen5", Title: "AMD Zen 5 (events it shares with Zen 4)", PMU: "cpu", Counters: 6},
		of(amdVendor, 26), "amd64_events_fam19h_zen4.h", "amd64_fam19h_zen4_pe", "", "zen5", amd},
	{events.Table{Name: "n1", Title: "Arm Neoverse N1", PMU: armPMU, Counters: 6, Fixed: 1},
		of(armVendor, 8, one(0xd0c)), "arm_neoverse_n1_events.h", "arm_n1_pe", "", "arm_n1", arm},
	{events.Table{Name: "n2", Title: "Arm Neoverse N2", PMU: armPMU, Counters: 6, Fixed: 1},
		of(armVendor, 8, one(0xd49)), "arm_neoverse_n2_events.h", "arm_n2_pe", "", "arm_n2", arm},
	{events.Table{Name: "v1", Title: "Arm Neoverse V1", PMU: armPMU, Counters: 6, Fixed: 1},
		of(armVendor, 8, one(0xd40)), "arm_neoverse_v1_events.h", "arm_v1_pe", "", "arm_v1", arm},
	{events.Table{Name: "v2", Title: "Arm Neoverse V2", PMU: armPMU, Counters: 6, Fixed: 1},
		of(armVendor, 8, one(0xd4f)), "arm_neoverse_v2_events.h", "arm_v2_pe", "", "arm_v2", arm},
	{events.Table{Name: "n3", Title: "Arm Neoverse N3 (events it shares with N2)", PMU: armPMU, Counters: 6, Fixed: 1},
		of(armVendor, 8, one(0xd8e)), "arm_neoverse_n2_events.h", "arm_n2_pe", "", "n3", arm},
	{events.Table{Name: "v3", Title: "Arm Neoverse V3 (events it shares with V2)", PMU: armPMU, Counters: 6, Fixed: 1},
		of(armVendor, 8, one(0xd84), one(0xd83)), "arm_neoverse_v2_events.h", "arm_v2_pe", "", "v3", arm},
	{events.Table{Name: "ultra3", Title: "Sun UltraSPARC III", PMU: "cpu", Counters: 2},
		nil, "sparc_ultra3_events.h", "ultra3_pe", "", "ultra3", sparc},
	{events.Table{Name: "ultra3plus", Title: "Sun UltraSPARC III+", PMU: "cpu", Counters: 2},
		nil, "sparc_ultra3plus_events.h", "ultra3plus_pe", "", "ultra3+", sparc},
	{events.Table{Name: "ultra4plus", Title: "Sun UltraSPARC IV+", PMU: "cpu", Counters: 2},
		nil, "sparc_ultra4plus_events.h", "ultra4plus_pe", "", "ultra4+", sparc},
}
