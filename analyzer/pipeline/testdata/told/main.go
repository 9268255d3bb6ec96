// Command told has packages as most are: with a lock or two each. The comment of a line says what the symbols of the program tell of
// the object that the operation works on, and with ! that the name means the same elsewhere. Where they leave it open it has no name.
package main

import (
	"tracerec/analyzer/pipeline/testdata/told/boxed"
	"tracerec/analyzer/pipeline/testdata/told/cache"
	"tracerec/analyzer/pipeline/testdata/told/handed"
	"tracerec/analyzer/pipeline/testdata/told/loaded"
	"tracerec/analyzer/pipeline/testdata/told/pool"
	"tracerec/analyzer/pipeline/testdata/told/queue"
	"tracerec/analyzer/pipeline/testdata/told/shared"
	"tracerec/analyzer/pipeline/testdata/told/stripes"
	"tracerec/analyzer/pipeline/testdata/told/two"
	"tracerec/instrument"
)

func main() {
	defer instrument.Region("main").End()
	cache.New().Get()
	queue.New().Put()
	pool.Run(3)
	stripes.Use()
	handed.Use()
	shared.Use()
	boxed.New().Use()
	loaded.Use()
	two.Use()
}
