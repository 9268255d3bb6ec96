package otf2

import (
	"slices"
	"strings"
)

// definer writes definitions.
type definer struct {
	w      *Writer
	groups uint64
}

func (x *definer) define(kind string, texts []string, values ...uint64) {
	x.w.Define(&Record{specNamed(Global, kind), values, texts})
}

func (x *definer) group(kind, paradigm uint64, members []uint64) uint64 {
	x.define("Group", nil, slices.Concat([]uint64{x.groups, 0, 0, uint64(len(members))}, members, []uint64{kind, paradigm, 0})...)
	x.groups++
	return x.groups - 1
}

// numbers are those of processes, as values of records.
func numbers(list []int) (values []uint64) {
	for _, n := range list {
		values = append(values, uint64(n))
	}
	return values
}

// region defines a region, of which the name says what it is.
func (x *definer) region(number uint64, name string) {
	role, paradigm := uint64(1), uint64(1)
	switch {
	case strings.HasPrefix(name, "MPI_"):
		paradigm = mpi
	case strings.Contains(name, "omp"):
		paradigm = openMP
		for prefix, is := range map[string]uint64{"!$omp parallel": roleParallel, "!$omp for": 3, "!$omp barrier": roleBarrier, "!$omp implicit barrier": roleImplicitBarrier} {
			if strings.HasPrefix(name, prefix) {
				role = is
			}
		}
		if name == "!$omp critical" {
			role = roleCritical
		} else if name == "!$omp critical sblock" {
			role = 13
		}
	}
	x.define("String", []string{name}, number)
	x.define("Region", nil, number, number, number, 0, none, 0, 0, number, role, paradigm, 0)
}
