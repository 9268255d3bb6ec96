package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/examples/nas/nas"
)

func TestVerified(t *testing.T) {
	for _, class := range []nas.Class{'S', 'W'} {
		r, err := solve(class)
		require.NoError(t, err)
		require.NoError(t, r.Verify(), "class %c", class)
	}
}

// Of every key, counted one by one, rank says the same.
func TestRank(t *testing.T) {
	key := []int32{3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5}
	atMost := make([]int32, 10)
	rank(key, make([]int32, len(key)), atMost)
	for k, got := range atMost {
		n := 0
		for _, other := range key {
			if int(other) <= k {
				n++
			}
		}
		require.EqualValues(t, n, got, "keys of at most %d", k)
	}
}

func TestWrongRanksAreSeen(t *testing.T) {
	s := newSorter(problems['S'])
	s.key[100] = 0
	for i := 1; i <= iterations; i++ {
		s.iterate(i)
	}
	require.Less(t, s.correct, iterations*len(s.test), "there is a small key more")
	s.atMost[1000]--
	require.NotZero(t, s.outOfOrder())
}
