package events

import (
	"fmt"
	"regexp"
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

// checkFormula tells what is wrong with a formula over n native events: operands and operators must take turns,
// parentheses must match, and all native events must occur.
func checkFormula(formula string, n int) error {
	used := make([]bool, n)
	depth, operand := 0, false // whether the last token ends an operand
	for _, token := range tokens().FindAllString(formula, -1) {
		begins := token != ")" && !strings.Contains("+-*/", token)
		if begins == operand {
			return fmt.Errorf("formula %q: unexpected %s", formula, token)
		}
		switch operand = begins && token != "(" || token == ")"; {
		case token == "(":
			depth++
		case token == ")":
			depth--
		case token[0] == 'N':
			i, err := strconv.Atoi(token[1:])
			if err != nil || i >= n {
				return fmt.Errorf("formula %q: there is no native event %s", formula, token)
			}
			used[i] = true
		case begins && (token[0] < '0' || token[0] > '9'):
			return fmt.Errorf("formula %q: unexpected %s", formula, token)
		}
		if depth < 0 {
			return fmt.Errorf("formula %q: unexpected )", formula)
		}
	}
	if depth != 0 || !operand {
		return fmt.Errorf("formula %q ends too early", formula)
	}
	if i := slices.Index(used, false); i >= 0 {
		return fmt.Errorf("formula %q does not use native event %d", formula, i)
	}
	return nil
}

var tokens = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`N?[0-9]+|\S`) })
