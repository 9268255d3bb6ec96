package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMistypedMetrics(t *testing.T) {
	status, _, stderr := expert("patterns", "late_sendr")
	require.Equal(t, badUse, status)
	require.Contains(t, stderr, "perhaps late_sender")
	status, _, stderr = expert("stat", archive(t, lockTrace), "-m", "lock_competitoin")
	require.Equal(t, badUse, status)
	require.Contains(t, stderr, "it has lock_competition")
}
