package algebra

import (
	"tracerec/report"
	"tracerec/report/cube"
)

// Input is a report with its name.
type Input struct {
	Name string
	Cube *cube.Cube
	// Requests are those that the run answered, nil if that is not known.
	Requests []report.Requests
	Serves   bool // it answered them until somebody ended it, so that how long it ran says nothing
}

// Result is a report made of others.
type Result struct {
	Cube  *cube.Cube
	Notes []string // what was collapsed, dropped, promoted
}
