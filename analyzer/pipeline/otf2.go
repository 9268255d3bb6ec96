package pipeline

import (
	"slices"

	"tracerec/exchange/otf2"
	"tracerec/trace"
)

// WriteOTF2 writes a recording as an OTF2 archive, by the name of its anchor file, and returns what could not be read: one that is an OTF2 archive is copied.
func WriteOTF2(name, recording string) (notes []string, err error) {
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
