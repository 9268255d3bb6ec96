package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestVerified(t *testing.T) {
	r, err := solve('S')
	require.NoError(t, err)
	require.NoError(t, r.Verify())
}
