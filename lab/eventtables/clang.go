package main

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// A record is one C structure initializer with designators: the texts of its fields.
type record map[string]string

// initializers finds all arrays of structures in C source and the macros that are plain numbers. It reads the regular
// form in which libpfm's tables are written, not C in general.
func initializers(source string) (arrays map[string][]record, macros map[string]string) {
	source = comments.ReplaceAllString(source, " ")
	macros = map[string]string{}
	for _, m := range defines.FindAllStringSubmatch(source, -1) {
		macros[m[1]] = m[2]
	}
	arrays = map[string][]record{}
	for _, m := range arrayStarts.FindAllStringSubmatchIndex(source, -1) {
		arrays[source[m[2]:m[3]]] = records(source[m[1]:])
	}
	return arrays, macros
}

var (
	comments    = regexp.MustCompile(`(?s)/\*.*?\*/|//[^\n]*`)
	defines     = regexp.MustCompile(`(?m)^#define\s+(\w+)[ \t]+(\S[^\n]*)$`)
	arrayStarts = regexp.MustCompile(`(?s)(\w+)\s*(?:\[[^\]]*\]\s*)+=\s*\{`)
	field       = regexp.MustCompile(`^\.(\w+)\s*=\s*`)
	literal     = regexp.MustCompile(`"((?:[^"\\]|\\.)*)"`)
)

// records reads structures from behind the opening brace of an array to its closing one. Elements of plain numbers
// have them in the field "".
func records(source string) (all []record) {
	for i := 0; i < len(source); {
		switch source[i] {
		case '}':
			return all
		case '{':
			r, n := oneRecord(source[i+1:])
			all = append(all, r)
			i += 1 + n
		default:
			i++
		}
	}
	return all
}

// oneRecord reads the fields from behind an opening brace, and returns how many bytes they are with the closing one.
func oneRecord(source string) (record, int) {
	r, start, depth, quoted := record{}, 0, 0, false
	take := func(end int) {
		text := strings.TrimSpace(source[start:end])
		if m := field.FindStringSubmatch(text); m != nil {
			r[m[1]] = text[len(m[0]):]
		} else if text != "" {
			r[""] += text + ","
		}
		start = end + 1
	}
	for i := 0; i < len(source); i++ {
		switch c := source[i]; {
		case quoted:
			if c == '\\' {
				i++
			} else if c == '"' {
				quoted = false
			}
		case c == '"':
			quoted = true
		case c == '(' || c == '{':
			depth++
		case c == '}' && depth == 0:
			take(i)
			return r, i + 1
		case c == ')' || c == '}':
			depth--
		case c == ',' && depth == 0:
			take(i)
		}
	}
	return r, len(source)
}

// text returns a field of string literals as one line.
func (r record) text(name string) string {
	var parts []string
	for _, m := range literal.FindAllStringSubmatch(r[name], -1) {
		parts = append(parts, strings.NewReplacer(`\"`, `"`, `\n`, " ", `\t`, " ", `\\`, `\`).Replace(m[1]))
	}
	return strings.Join(strings.Fields(strings.Join(parts, "")), " ")
}

// has tells whether a field of flags names one of them.
func (r record) has(name, flag string) bool {
	for _, word := range regexp.MustCompile(`\w+`).FindAllString(r[name], -1) {
		if word == flag {
			return true
		}
	}
	return false
}

// number evaluates a field; a field that is absent is 0.
func (r record) number(name string, macros map[string]string) (uint64, error) {
	if r[name] == "" {
		return 0, nil
	}
	e := expression{text: r[name], macros: macros}
	v := e.binary(0)
	if e.err == nil && strings.TrimSpace(e.text) != "" {
		e.err = fmt.Errorf("%q is left", e.text)
	}
	if e.err != nil {
		return 0, fmt.Errorf("field %s = %s: %w", name, r[name], e.err)
	}
	return v, nil
}

// expression evaluates integers with | << + - * and parentheses.
type expression struct {
	text   string
	macros map[string]string
	depth  int
	err    error
}

var levels = [][]string{{"|"}, {"<<"}, {"+", "-"}, {"*"}}

func (e *expression) binary(level int) uint64 {
	if level == len(levels) {
		return e.atom()
	}
	v := e.binary(level + 1)
next:
	for {
		e.text = strings.TrimSpace(e.text)
		for _, operator := range levels[level] {
			if rest, ok := strings.CutPrefix(e.text, operator); ok && e.err == nil {
				e.text = rest
				w := e.binary(level + 1)
				v = map[string]uint64{"|": v | w, "<<": v << w, "+": v + w, "-": v - w, "*": v * w}[operator]
				continue next
			}
		}
		return v
	}
}

var word = regexp.MustCompile(`^\w+`)

func (e *expression) atom() uint64 {
	e.text = strings.TrimSpace(e.text)
	if rest, ok := strings.CutPrefix(e.text, "("); ok {
		e.text = rest
		v := e.binary(0)
		e.text = strings.TrimSpace(e.text)
		if rest, ok = strings.CutPrefix(e.text, ")"); !ok && e.err == nil {
			e.err = fmt.Errorf("no ) at %q", e.text)
		}
		e.text = rest
		return v
	}
	name := word.FindString(e.text)
	e.text = e.text[len(name):]
	if v, err := strconv.ParseUint(strings.TrimRight(strings.ToLower(name), "ul"), 0, 64); err == nil {
		return v
	}
	definition, ok := e.macros[name]
	if e.depth++; !ok || e.depth > 20 {
		if e.err == nil {
			e.err = fmt.Errorf("%q is no number", name)
		}
		return 0
	}
	inner := expression{text: definition, macros: e.macros, depth: e.depth}
	v := inner.binary(0)
	if e.err == nil {
		e.err = inner.err
	}
	return v
}
