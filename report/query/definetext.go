package query

import (
	"fmt"
	"strings"

	"tracerec/report/cube"
)

// DefineText adds a metric given as NAME[UNIT]=EXPRESSION.
func DefineText(c *cube.Cube, text string) (*cube.Cube, error) {
	name, expression, ok := strings.Cut(text, "=")
	if !ok {
		return nil, fmt.Errorf("%q is not NAME=EXPRESSION", text)
	}
	name, unit, bracket := strings.Cut(strings.TrimSpace(name), "[")
	if bracket {
		if unit, ok = strings.CutSuffix(unit, "]"); !ok {
			return nil, fmt.Errorf("%q: the unit does not end", text)
		}
	}
	return define(c, name, name, unit, expression)
}
