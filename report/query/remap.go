package query

import (
	"errors"

	"tracerec/report/cube"
)

// Display makes a model of a report as it is to be shown: in the hierarchy of metrics that it brings along, if it does.
func Display(c *cube.Cube) (*Model, error) {
	spec, ok := Embedded(c)
	if !ok {
		return New(c)
	}
	shown, err := Remap(c, spec)
	if err != nil {
		return nil, err
	}
	return New(shown)
}

// Embedded returns the specification of the hierarchy of metrics that a report brings along.
func Embedded(c *cube.Cube) (spec string, ok bool) { return "", false }

// Remap returns a cube with the metrics of a specification and the rows of another one.
func Remap(c *cube.Cube, spec string) (*cube.Cube, error) {
	return nil, errors.New("hierarchies of metrics cannot be applied")
}

// Define returns a cube with one more metric, post-derived by an expression, and the rows of another one.
func Define(c *cube.Cube, name, title, unit, expression string) (*cube.Cube, error) {
	return nil, errors.New("metrics cannot be defined")
}
