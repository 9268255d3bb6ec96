package command

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFormat(t *testing.T) {
	f := NewFormat("text", "json", "csv")
	require.Equal(t, "text", f.Value)
	require.Equal(t, "text, json or csv", f.Usage())
	require.EqualError(t, f.Set("xml"), "neither text, json nor csv")
	require.NoError(t, f.Set("json"))
	require.Equal(t, "json", f.String())
}

func TestVersion(t *testing.T) {
	require.NotEmpty(t, Version())
}
