// Command eventtables makes the tables of counters/events/data from the sources of libpfm4 and PAPI, and further tables from
// the files that Intel and Arm publish. Run it in lab:
//
//	go run ./eventtables -libpfm4 DIR -papi DIR        # the tables that are built in
//	go run ./eventtables -perfmon FILE.json -as gnr -title 'Intel Granite Rapids' -match 'GenuineIntel 6 0xad,0xae' -o DIR
//	go run ./eventtables -arm FILE.json -as n3 -title 'Arm Neoverse N3' -match '0x41 8 0xd8e' -o DIR
//
// If the variable TRACEREC_EVENTS is set to DIR, tables of the second kind are used in addition to those built in, and take
// precedence. Presets of a built-in table of the same name are kept if their events exist.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tracerec/counters/events"
)

func main() {
	if err := run(os.Args[1:], os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "eventtables:", err)
		os.Exit(1)
	}
}

// options are the flags.
type options struct {
	libpfm4, papi, presets, perfmon, arm, as, title, match, out string
	counters, fixed                                             int
}

func run(args []string, log io.Writer) error {
	var o options
	f := flag.NewFlagSet("eventtables", flag.ContinueOnError)
	f.StringVar(&o.libpfm4, "libpfm4", "", "source tree of libpfm4")
	f.StringVar(&o.papi, "papi", "", "source tree of PAPI 7.0, with the older libpfm that has the groups of POWER4")
	f.StringVar(&o.presets, "presets", "eventtables", "directory of presets.tsv, mappings.csv and corrections.tsv")
	f.StringVar(&o.perfmon, "perfmon", "", "file of core events from Intel's perfmon")
	f.StringVar(&o.arm, "arm", "", "file of events from pmu/ of ARM-software/data")
	f.StringVar(&o.as, "as", "", "name of the table that -perfmon or -arm makes")
	f.StringVar(&o.title, "title", "", "its title")
	f.StringVar(&o.match, "match", "", "its processors: vendor family models")
	f.IntVar(&o.counters, "counters", 8, "its general counters")
	f.IntVar(&o.fixed, "fixed", 4, "its fixed counters")
	f.StringVar(&o.out, "o", "../counters/events/data", "directory to write to")
	if err := f.Parse(args); err != nil {
		return err
	}
	switch {
	case o.perfmon != "" || o.arm != "":
		return o.vendor()
	case o.libpfm4 != "" && o.papi != "":
		return o.builtIn(func(text string) { fmt.Fprintln(log, text) })
	}
	return errors.New("nothing to read: give -libpfm4 and -papi, -perfmon, or -arm")
}

// vendor makes one table from a vendor's file.
func (o options) vendor() error {
	t := events.Table{Name: o.as, Title: o.title, PMU: "cpu", Counters: o.counters, Fixed: o.fixed}
	var entries []events.Entry
	var err error
	if o.arm != "" {
		t.PMU, t.Source, t.Licence = "armv8_pmuv3_0", "ARM-software/data "+filepath.Base(o.arm), "Apache-2.0"
		entries, err = armData(o.arm, t.PMU, o.counters)
	} else {
		t.Source, t.Licence = "intel/perfmon "+filepath.Base(o.perfmon), "BSD-3-Clause"
		entries, err = perfmon(o.perfmon, o.counters)
	}
	if err != nil {
		return err
	}
	entries = unique(entries)
	match, err := events.ParseMatch(o.match)
	if err != nil {
		return fmt.Errorf("-match %q: %w", o.match, err)
	}
	var presets []events.Preset
	if old, err := events.Named(o.as); err == nil {
		presets = slices.DeleteFunc(old.Presets(), func(p events.Preset) bool {
			return slices.ContainsFunc(p.Natives, func(n string) bool {
				return !slices.ContainsFunc(entries, func(e events.Entry) bool { return strings.EqualFold(e.Name, n) })
			})
		})
	}
	return write(o.out, t, []events.Match{match}, entries, presets)
}

// unique drops events of a name that was there before.
func unique(entries []events.Entry) []events.Entry {
	seen := map[string]bool{}
	return slices.DeleteFunc(entries, func(e events.Entry) bool {
		name := strings.ToLower(e.Name)
		twice := seen[name]
		seen[name] = true
		return twice
	})
}

// builtIn makes all tables that come from libpfm4 and PAPI, and the list of presets.
func (o options) builtIn(complain func(string)) error {
	mappings, err := readMappings(filepath.Join(o.papi, "src", "papi_events.csv"))
	if err != nil {
		return err
	}
	own, err := readMappings(filepath.Join(o.presets, "mappings.csv"))
	if err != nil {
		return err
	}
	fixes, err := readCorrections(filepath.Join(o.presets, "corrections.tsv"))
	if err != nil {
		return err
	}
	for _, p := range processors {
		l := &library{table: p.table, kind: p.kind, model: p.model}
		if err := readLibrary(o.libpfm4, p.header, p.array, l); err != nil {
			return err
		}
		entries, err := l.entries()
		if err != nil {
			return fmt.Errorf("%s: %w", p.header, err)
		}
		l.table.Source, l.table.Licence = "libpfm4 "+p.header, "MIT"
		m := mapper{l, corrected(entries, p.table, fixes, true), fixes, complain}
		presets := m.presets(p.table.Name, append(mappings[p.papi], own[p.table.Name]...))
		if err := write(o.out, l.table, p.matches, m.entries, presets); err != nil {
			return err
		}
	}
	for _, c := range fixes {
		if !c.used {
			return fmt.Errorf("%s: corrects nothing", c.source)
		}
	}
	if err := o.power4(own["power4"], complain); err != nil {
		return err
	}
	more, err := os.ReadFile(filepath.Join(o.presets, "presets.tsv"))
	if err != nil {
		return err
	}
	list, err := presetList(o.papi, more)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(o.out, "presets.tsv"), list, 0o644)
}

// power4 makes the table of that name.
func (o options) power4(own []mapping, complain func(string)) error {
	entries, err := power4(o.papi)
	if err != nil {
		return err
	}
	t := events.Table{Name: "power4", Title: "IBM POWER4", PMU: "cpu", Counters: 8, Source: "libpfm 3 power4_events.h", Licence: "MIT"}
	m := mapper{entries: entries, complain: complain}
	return write(o.out, t, nil, entries, m.presets(t.Name, own))
}

// write checks a table and writes it to its file.
func write(dir string, t events.Table, matches []events.Match, entries []events.Entry, presets []events.Preset) error {
	made, err := events.New(t, matches, entries, presets)
	if err != nil {
		return fmt.Errorf("%s: %w", t.Name, err)
	}
	return os.WriteFile(filepath.Join(dir, t.Name+".tsv"), made.Append(nil), 0o644)
}
