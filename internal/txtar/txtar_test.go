package txtar

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParse(t *testing.T) {
	comment, files := Parse("why\n-- a --\none\ntwo\n-- b c --\n-- d --\nlast")
	require.Equal(t, "why\n", comment)
	require.Equal(t, []File{{"a", "one\ntwo\n"}, {"b c", ""}, {"d", "last\n"}}, files)
	require.Equal(t, "one\ntwo\n", Get(files, "a"))
	require.Empty(t, Get(files, "x"))
}

func TestParseNoFiles(t *testing.T) {
	comment, files := Parse("-- not a marker\nx --\n-- --\n")
	require.Equal(t, "-- not a marker\nx --\n-- --\n", comment)
	require.Empty(t, files)
}
