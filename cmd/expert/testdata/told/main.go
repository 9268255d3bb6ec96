// Command told has packages as most are: with a lock or two each. The comment of a line says what the symbols of the program tell of
// the object that the operation works on, and with ! that the name means the same elsewhere. Where they leave it open it has no name.
package main

import (
	"tracerec/cmd/expert/testdata/told/boxed"
	"tracerec/cmd/expert/testdata/told/cache"
	"tracerec/cmd/expert/testdata/told/handed"
	"tracerec/cmd/expert/testdata/told/loaded"
	"tracerec/cmd/expert/testdata/told/pool"
	"tracerec/cmd/expert/testdata/told/queue"
	"tracerec/cmd/expert/testdata/told/shared"
	"tracerec/cmd/expert/testdata/told/stripes"
	"tracerec/cmd/expert/testdata/told/two"
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
