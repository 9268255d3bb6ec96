// Package events knows the hardware events of processors by their vendors' names, and PAPI's presets
// in terms of these ("A Portable Programming Interface for Performance Evaluation on Modern Processors", section 3.1).
//
// The tables are data files made by lab/eventtables, or written by hand from manuals; data/README.md says which
// and under what licences. [For] chooses the table of a processor, and reads it on the first call. A
// table says on which counters an event fits, so that event sets can be planned for other machines.
//
// All functions may be called concurrently.
package events

import (
	"slices"
	"strings"
)

// Entry is one native event.
type Entry struct {
	Name        string // as the vendor writes it: MEM_LOAD_RETIRED.L1_MISS
	Description string // one line
	PMU         string // the performance monitoring unit as Linux names it: cpu
	Encoding    string // in the terms of Linux perf: event=0xd1,umask=0x8
	Counters    uint64 // a mask of the general counters it fits on; 0 is any
	Fixed       int    // 1 + the fixed counter it is counted on; 0 is none
	Alone       bool   // nothing else can be counted beside it
	Groups      uint64 // a mask of the groups of events it is in, where only whole groups can be counted (POWER4); else 0
}

// Preset is a portable name in terms of a processor's native events.
type Preset struct {
	Name    string
	Formula string   // over the natives in their order: N0, N0 + N1, N0 - N1
	Natives []string // names of entries
}

// PresetInfo describes a preset whatever the processor.
type PresetInfo struct {
	Name        string // PAPI_L1_DCM
	Short       string // up to 15 letters: L1D misses
	Description string // one line
}

// Table is what is known of one processor. It does not change.
type Table struct {
	Name     string // of the file: spr
	Title    string // Intel Sapphire Rapids
	PMU      string // of the core as Linux names it: cpu, armv8_pmuv3_0
	Counters int    // general counters of a hardware thread
	Fixed    int    // fixed counters
	Licence  string // of the data
	Source   string // what the data was made from

	matches []Match
	entries []Entry
	presets []Preset
	find    map[string]int // canonical name: index in entries
}

// Entries returns the native events in the order of the table.
func (t *Table) Entries() []Entry { return slices.Clone(t.entries) }

// Presets returns the presets that the processor has, by name.
func (t *Table) Presets() []Preset { return slices.Clone(t.presets) }

// Find returns the native event of that name. Case does not matter, nor whether parts of the name are separated by
// dots, as Intel does it, by colons, as PAPI does, or by underscores.
func (t *Table) Find(name string) (Entry, bool) {
	i, ok := t.find[canonical(name)]
	if !ok {
		return Entry{}, false
	}
	return t.entries[i], true
}

// Preset returns the preset of that name. PAPI_STL_CYC is the former name of PAPI_STL_ICY.
func (t *Table) Preset(name string) (Preset, bool) {
	if name == "PAPI_STL_CYC" {
		name = "PAPI_STL_ICY"
	}
	i, ok := slices.BinarySearchFunc(t.presets, name, func(p Preset, name string) int { return strings.Compare(p.Name, name) })
	if !ok {
		return Preset{}, false
	}
	return t.presets[i], true
}

// canonical is the form of a name by which it is found.
func canonical(name string) string { return separators.Replace(strings.ToLower(name)) }

var separators = strings.NewReplacer(":", "_", ".", "_")
