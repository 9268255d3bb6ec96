package query

import (
	"slices"

	"tracerec/report/cube"
)

// Box says how values are distributed. Quartiles of n values lie at the places (n−1)/4, (n−1)/2 and 3(n−1)/4 of the ascending
// values, between two of which they are interpolated linearly.
type Box struct {
	N                              int
	Min, Q1, Median, Q3, Max, Mean float64
}

// Distribution returns how values are distributed, such as those of the locations.
func (m *Model) Distribution(values []cube.Value) Box {
	if len(values) == 0 {
		return Box{}
	}
	x, sum := make([]float64, len(values)), 0.0
	for i, v := range values {
		x[i] = v.Float64()
		sum += x[i]
	}
	slices.Sort(x)
	at := func(q float64) float64 {
		place := q * float64(len(x)-1)
		i := int(place)
		if i+1 == len(x) {
			return x[i]
		}
		return x[i] + (place-float64(i))*(x[i+1]-x[i])
	}
	return Box{len(x), x[0], at(0.25), at(0.5), at(0.75), x[len(x)-1], sum / float64(len(x))}
}
