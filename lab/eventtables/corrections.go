package main

import (
	"fmt"
	"os"
	"path"
	"slices"
	"strings"

	"tracerec/counters/events"
)

// A correction is a line of corrections.tsv.
type correction struct {
	tables                                     []string
	pattern                                    string // of names, as path.Match has it
	encoding, constraints, description, source string
	used                                       bool
}

// readCorrections reads corrections.tsv.
func readCorrections(file string) ([]correction, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var all []correction
	for number, line := range strings.Split(string(text), "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		f := strings.Split(line, "\t")
		if len(f) != 5 {
			return nil, fmt.Errorf("%s:%d: %d fields, not 5", file, number+1, len(f))
		}
		all = append(all, correction{tables: strings.Split(f[0], ","), pattern: f[1], encoding: f[2], constraints: f[3], description: f[4],
			source: fmt.Sprintf("%s:%d", file, number+1)})
	}
	return all, nil
}

// corrected returns the entries of a table with the corrections applied; add tells whether to add events that are not
// there.
func corrected(entries []events.Entry, t events.Table, fixes []correction, add bool) []events.Entry {
	for i := range fixes {
		c := &fixes[i]
		if !slices.Contains(c.tables, t.Name) {
			continue
		}
		var kept []events.Entry
		found := false
		for _, e := range entries {
			if matched, _ := path.Match(c.pattern, e.Name); matched {
				found, c.used = true, true
				if c.encoding == "-" {
					continue
				}
				c.apply(&e)
			}
			kept = append(kept, e)
		}
		if entries = kept; !found && add && c.description != "=" {
			e := events.Entry{Name: c.pattern, PMU: t.PMU}
			c.apply(&e)
			entries, c.used = append(entries, e), true
		}
	}
	return entries
}

// apply changes an entry.
func (c *correction) apply(e *events.Entry) {
	if c.encoding != "=" {
		e.Encoding = c.encoding
	}
	if c.constraints != "=" {
		e.Counters, e.Fixed, e.Alone = 0, 0, false
		if err := e.SetConstraints(c.constraints); err != nil {
			panic(c.source + ": " + err.Error()) // a mistake in a file of this directory
		}
	}
	if c.description != "=" {
		e.Description = c.description
	}
}
