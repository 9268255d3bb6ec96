package pipeline

import (
	"fmt"
	"slices"

	"tracerec/exchange/otf2"
	"tracerec/internal/size"
	"tracerec/report/inputs"
	"tracerec/trace"
)

// WriteOTF2 writes a recording as an OTF2 archive, by the name of its anchor file, and returns what could not be read: one that is an OTF2 archive is copied.
// It is an error if that takes more than a number of bytes of memory, 0 for any number.
func WriteOTF2(name, recording string, memory int64) (notes []string, err error) {
	var problems []trace.Problem
	if otf2.Is(recording) {
		a, err := otf2.Open(recording)
		if err != nil {
			return nil, err
		}
		problems, err = otf2.Copy(name, a)
		return Told(problems), err
	}
	a, damage, err := Open(recording)
	if err != nil {
		return nil, err
	}
	defer a.Close()
	if damage != nil {
		notes = append(notes, damage.Error())
	}
	if n := len(a.Definitions().Locations); memory > 0 && memory < otf2.Needs(n) {
		return nil, fmt.Errorf("%s: --memory %s is too little for its %d goroutines: --memory %s is enough", inputs.Called(recording), new(size.Bytes(memory)), n, enough(otf2.Needs(n)))
	}
	problems, err = otf2.Export(name, a, "expert")
	return append(notes, Told(slices.Concat(a.Problems(), problems))...), err
}

// Told returns what problems say, a line each.
func Told(problems []trace.Problem) (lines []string) {
	for _, p := range problems {
		lines = append(lines, p.Error())
	}
	return lines
}
