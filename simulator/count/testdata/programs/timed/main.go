// Timed is a NAS kernel that does nothing: what its timed region counts is what all of them have.
package main

import "tracerec/examples/nas/nas"

func main() {
	nas.Main("nothing", func(nas.Class) (*nas.Result, error) {
		return &nas.Result{Timed: nas.Timed(func() {}), Values: []nas.Value{{Name: "nothing"}}}, nil
	})
}
