package gotest

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOutcomes(t *testing.T) {
	tests, seconds, err := Outcomes(strings.NewReader(`{"Action":"run","Package":"p","Test":"A"}
{"Action":"fail","Package":"p","Test":"A","Elapsed":0.5}
{"Action":"pass","Package":"p","Test":"A","Elapsed":0.5}
{"Action":"skip","Package":"p","Test":"B/c","Elapsed":0}
{"Action":"fail","Package":"p","Elapsed":1.5}
{"Action":"pass","Package":"q","Elapsed":0.25}`))
	require.NoError(t, err)
	require.Equal(t, map[string]string{"p A": "fail", "p B/c": "skip", "p": "fail", "q": "pass"}, tests)
	require.Equal(t, 1.75, seconds)

	for _, text := range []string{"", "panic: no"} {
		_, _, err := Outcomes(strings.NewReader(text))
		require.Error(t, err)
	}
}
