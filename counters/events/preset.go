package events

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// presetFile is the name of the file of all presets, without .tsv.
const presetFile = "presets"

// Presets returns all presets of PAPI, by name, whether or not this processor has them.
func Presets() []PresetInfo { return slices.Clone(allPresets()) }

var allPresets = sync.OnceValue(func() (all []PresetInfo) {
	data, err := files.ReadFile("data/" + presetFile + ".tsv")
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(data)) {
		if f := strings.Split(strings.TrimSuffix(line, "\n"), "\t"); len(f) == 3 && !strings.HasPrefix(line, "#") {
			all = append(all, PresetInfo{Name: f[0], Short: f[1], Description: f[2]})
		}
	}
	slices.SortFunc(all, func(a, b PresetInfo) int { return strings.Compare(a.Name, b.Name) })
	return all
})

// checkFormula tells what is wrong with a formula over n native events.
func checkFormula(formula string, n int) error {
	values := make([]float64, n)
	for i := range values {
		values[i] = float64(i) + 1
	}
	used, err := evaluate(formula, values)
	if err != nil {
		return fmt.Errorf("formula %q: %w", formula, err)
	}
	for i, u := range used {
		if !u {
			return fmt.Errorf("formula %q does not use native event %d", formula, i)
		}
	}
	return nil
}

// Value returns the preset's value, given those of its natives in their order. A division by zero gives 0.
func (p Preset) Value(natives []float64) (float64, error) {
	if len(natives) != len(p.Natives) {
		return 0, fmt.Errorf("preset %s: %d values for %d native events", p.Name, len(natives), len(p.Natives))
	}
	f := formula{rest: p.Formula, values: natives, used: make([]bool, len(natives))}
	v, err := f.all()
	if err != nil {
		return 0, fmt.Errorf("preset %s: formula %q: %w", p.Name, p.Formula, err)
	}
	return v, nil
}

// evaluate returns which values a formula uses.
func evaluate(text string, values []float64) (used []bool, err error) {
	f := formula{rest: text, values: values, used: make([]bool, len(values))}
	_, err = f.all()
	return f.used, err
}

// formula evaluates sums of products of N0, N1, …, numbers and parentheses.
type formula struct {
	rest   string
	values []float64
	used   []bool
	depth  int
}

func (f *formula) all() (float64, error) {
	v, err := f.sum()
	if err == nil && f.peek() != 0 {
		err = fmt.Errorf("unexpected %q", f.rest)
	}
	return v, err
}

// peek returns the next byte that is no space, 0 at the end.
func (f *formula) peek() byte {
	f.rest = strings.TrimLeft(f.rest, " ")
	if f.rest == "" {
		return 0
	}
	return f.rest[0]
}

func (f *formula) sum() (v float64, err error) {
	if v, err = f.product(); err != nil {
		return 0, err
	}
	for c := f.peek(); c == '+' || c == '-'; c = f.peek() {
		f.rest = f.rest[1:]
		w, err := f.product()
		if err != nil {
			return 0, err
		}
		if c == '-' {
			w = -w
		}
		v += w
	}
	return v, nil
}

func (f *formula) product() (v float64, err error) {
	if v, err = f.atom(); err != nil {
		return 0, err
	}
	for c := f.peek(); c == '*' || c == '/'; c = f.peek() {
		f.rest = f.rest[1:]
		w, err := f.atom()
		switch {
		case err != nil:
			return 0, err
		case c == '*':
			v *= w
		case w == 0:
			v = 0
		default:
			v /= w
		}
	}
	return v, nil
}

func (f *formula) atom() (float64, error) {
	switch c := f.peek(); {
	case c == '(':
		if f.depth++; f.depth > 50 {
			return 0, errors.New("too deeply nested")
		}
		f.rest = f.rest[1:]
		v, err := f.sum()
		if err == nil && f.peek() != ')' {
			return 0, errors.New("no )")
		}
		if err == nil {
			f.rest = f.rest[1:]
		}
		f.depth--
		return v, err
	case c == 'N':
		f.rest = f.rest[1:]
		i, err := strconv.Atoi(f.digits())
		if err != nil || i >= len(f.values) {
			return 0, fmt.Errorf("no native event of that number before %q", f.rest)
		}
		f.used[i] = true
		return f.values[i], nil
	default:
		return strconv.ParseFloat(f.digits(), 64)
	}
}

// digits takes a number without sign.
func (f *formula) digits() string {
	n := strings.IndexFunc(f.rest, func(r rune) bool { return (r < '0' || r > '9') && r != '.' })
	if n < 0 {
		n = len(f.rest)
	}
	text := f.rest[:n]
	f.rest = f.rest[n:]
	return text
}
