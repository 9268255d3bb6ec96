package algebra

import "tracerec/report/cube"

// Input is a report with its name.
type Input struct {
	Name string
	Cube *cube.Cube
}

// Result is a report made of others.
type Result struct {
	Cube  *cube.Cube
	Notes []string // what was collapsed, dropped, promoted
}
