package report

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDescribeCounter(t *testing.T) {
	text, err := DescribeCounter("PAPI_TOT_INS")
	require.NoError(t, err)
	require.Contains(t, text, "Specification ")
	text, err = DescribeCounter("mem:main.x/8:w")
	require.NoError(t, err)
	require.Contains(t, text, "counted by a debug register")
	text, err = DescribeCounter("nothing")
	require.NoError(t, err)
	require.Empty(t, text)
}
