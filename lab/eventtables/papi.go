package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"tracerec/counters/events"
)

// A mapping is a line of PAPI's table of presets.
type mapping struct {
	preset, derivation string
	formula            string // of DERIVED_POSTFIX and DERIVED_INFIX
	natives            []string
}

// readMappings reads papi_events.csv: processor by processor, later lines override earlier ones of the same preset.
func readMappings(file string) (map[string][]mapping, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	all := map[string][]mapping{}
	var cpus []string
	grouped := false // whether the last line named a processor, so that another one joins it
	for number, line := range strings.Split(string(text), "\n") {
		f := strings.Split(strings.TrimSpace(line), ",")
		for i := range f {
			f[i] = strings.TrimSpace(f[i])
		}
		switch {
		case strings.HasPrefix(f[0], "#") || f[0] == "":
		case f[0] == "CPU" && len(f) > 1:
			if !grouped {
				cpus = nil
			}
			cpus, grouped = append(cpus, f[1]), true
		case f[0] == "PRESET" && len(f) > 3:
			grouped = false
			m, err := parseMapping(f[1:])
			if err != nil {
				return nil, fmt.Errorf("%s:%d: %w", file, number+1, err)
			}
			for _, cpu := range cpus {
				all[cpu] = append(all[cpu], m)
			}
		default:
			grouped = false
		}
	}
	return all, nil
}

// parseMapping reads preset, derivation, natives and notes.
func parseMapping(f []string) (m mapping, err error) {
	m.preset, m.derivation = f[0], f[1]
	rest := f[2:]
	if m.derivation == "DERIVED_POSTFIX" || m.derivation == "DERIVED_INFIX" {
		m.formula, rest = rest[0], rest[1:]
	}
	for _, n := range rest {
		if n == "NOTE" || n == "LDESC" || n == "SDESC" {
			break
		}
		if n != "" {
			m.natives = append(m.natives, n)
		}
	}
	switch m.derivation {
	case "NOT_DERIVED":
		m.formula = "N0"
	case "DERIVED_ADD":
		m.formula = joined(" + ", len(m.natives))
	case "DERIVED_SUB":
		m.formula = joined(" - ", len(m.natives))
	case "DERIVED_POSTFIX":
		m.formula, err = infix(m.formula)
	case "DERIVED_INFIX":
	default: // of processors long gone; there is no formula
	}
	return m, err
}

// joined returns N0, N1, … with an operator in between.
func joined(operator string, n int) string {
	var terms []string
	for i := range n {
		terms = append(terms, fmt.Sprintf("N%d", i))
	}
	return strings.Join(terms, operator)
}

// infix translates N0|N1|2|*|+| into N0 + N1 * 2. Operands are put into parentheses where precedence asks for it.
func infix(postfix string) (string, error) {
	type term struct {
		text  string
		level int // 0: a sum, 1: a product, 2: neither
	}
	var stack []term
	for token := range strings.SplitSeq(strings.Trim(postfix, "|"), "|") {
		if !strings.Contains("+-*/", token) {
			stack = append(stack, term{token, 2})
			continue
		}
		if len(stack) < 2 {
			return "", fmt.Errorf("formula %q: too few operands", postfix)
		}
		a, b := stack[len(stack)-2], stack[len(stack)-1]
		level := 0
		if token == "*" || token == "/" {
			level = 1
		}
		if a.level < level {
			a.text = "(" + a.text + ")"
		}
		if b.level < level || b.level == level && (token == "-" || token == "/") {
			b.text = "(" + b.text + ")"
		}
		stack = append(stack[:len(stack)-2], term{a.text + " " + token + " " + b.text, level})
	}
	if len(stack) != 1 {
		return "", fmt.Errorf("formula %q: %d results", postfix, len(stack))
	}
	return stack[0].text, nil
}

// A mapper makes presets for a table. Natives that are no entry yet, such as combinations of masks, are added to the
// entries.
type mapper struct {
	lib      *library // may be nil
	entries  []events.Entry
	fixes    []correction
	complain func(string) // is told what cannot be mapped
}

// architectural is the names that Intel's architecture has for events of the last level of cache, and the events.
var architectural = map[string][]string{
	"LLC_REFERENCES": {"LONGEST_LAT_CACHE:REFERENCE", "LONGEST_LAT_CACHE:REFERENCES"},
	"LLC_MISSES":     {"LONGEST_LAT_CACHE:MISS"},
}

// presets returns the presets of the mappings, of which later ones override earlier ones.
func (m *mapper) presets(table string, mappings []mapping) []events.Preset {
	last := map[string]events.Preset{}
next:
	for _, from := range mappings {
		p := events.Preset{Name: from.preset, Formula: from.formula}
		if p.Formula == "" {
			m.complain(fmt.Sprintf("%s: %s: derivation %s cannot be translated", table, p.Name, from.derivation))
			continue
		}
		for _, text := range from.natives {
			name, err := m.resolve(text)
			if err != nil {
				m.complain(fmt.Sprintf("%s: %s: %v", table, p.Name, err))
				continue next
			}
			p.Natives = append(p.Natives, name)
		}
		last[p.Name] = p
	}
	return slices.SortedFunc(maps.Values(last), func(a, b events.Preset) int { return strings.Compare(a.Name, b.Name) })
}

// resolve returns the name of the entry that NAME:MASK:MASK:c=1:i means.
func (m *mapper) resolve(text string) (string, error) {
	parts := strings.Split(strings.TrimSpace(text), ":")
	var modifiers []string
	for len(parts) > 1 {
		key, value, _ := strings.Cut(parts[len(parts)-1], "=")
		long, known := map[string]string{"c": "cmask", "i": "inv", "e": "edge"}[key]
		if !known {
			break
		}
		if value == "" {
			value = "1"
		}
		modifiers = append([]string{long + "=" + value}, modifiers...)
		parts = parts[:len(parts)-1]
	}
	e, err := m.base(parts)
	if err != nil {
		return "", err
	}
	for _, modifier := range modifiers {
		e.Name += "." + modifier
		e.Encoding += "," + modifier
	}
	if _, known := m.find(e.Name); !known {
		m.entries = append(m.entries, e)
	}
	return e.Name, nil
}

// base finds the entry without modifiers, or combines it from masks.
func (m *mapper) base(parts []string) (events.Entry, error) {
	for _, other := range append([]string{strings.Join(parts, ":")}, architectural[parts[0]]...) {
		if e, ok := m.find(other); ok {
			return e, nil
		}
	}
	if m.lib == nil {
		return events.Entry{}, fmt.Errorf("no event %s", strings.Join(parts, ":"))
	}
	e, err := m.lib.combine(parts)
	if err != nil {
		return e, err
	}
	if made := corrected([]events.Entry{e}, m.lib.table, m.fixes, false); len(made) == 1 {
		return made[0], nil
	}
	return e, fmt.Errorf("event %s is not there", e.Name)
}

// find returns the entry of that name.
func (m *mapper) find(name string) (events.Entry, bool) {
	name = strings.ReplaceAll(name, ":", ".")
	i := slices.IndexFunc(m.entries, func(e events.Entry) bool { return strings.EqualFold(e.Name, name) })
	if i < 0 {
		return events.Entry{}, false
	}
	return m.entries[i], true
}

var presetString = regexp.MustCompile(`(?s)\{"(PAPI_[A-Z0-9_]+)",\s*"([^"]*)",\s*"([^"]*)"`)

// presetList makes the list of all presets from PAPI's source; more are lines of the same form by hand.
func presetList(papi string, more []byte) ([]byte, error) {
	text, err := os.ReadFile(filepath.Join(papi, "src", "papi_common_strings.h"))
	if err != nil {
		return nil, err
	}
	text, _, _ = bytes.Cut(text, []byte("_papi_hwi_err"))
	out := []byte("# Presets of PAPI: name, short description, description. Made by lab/eventtables from PAPI (BSD, LICENSE.papi) and " +
		"lab/eventtables/presets.tsv.\n")
	for _, m := range presetString.FindAllSubmatch(text, -1) {
		out = fmt.Appendf(out, "%s\t%s\t%s\n", m[1], m[2], m[3])
	}
	for line := range strings.Lines(string(more)) {
		if !strings.HasPrefix(line, "#") {
			out = append(out, line...)
		}
	}
	return out, nil
}
