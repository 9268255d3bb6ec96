package spec

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestParseExpr reads what String writes, names that need quotes included.
func TestParseExpr(t *testing.T) {
	for _, text := range []string{
		"a / b", "min(a, max(b, 2)) * -c", "(a - b) / (c + 1.5)", `"a b" + "1x" / "min"`, "L1-dcache-load-misses / L1-dcache-loads",
		"L1$_MISS / HT_I/O_XFER", "msr/tsc/ / cpu/event=0x3c,umask=0/", "mem:main.counter/8:w / time",
	} {
		e, err := ParseExpr(text)
		require.NoError(t, err, text)
		again, err := ParseExpr(e.String())
		require.NoError(t, err, e.String())
		require.Equal(t, e.String(), again.String())
		require.Equal(t, e.Names(), again.Names())
	}
	for _, text := range []string{"", "a /", "(a", "a b", "a = b", "a\nb", "\x7f b c"} {
		_, err := ParseExpr(text)
		require.NotContains(t, err.Error(), "\n", text)
		require.Error(t, err, text)
	}
	e, err := ParseExpr("a / b + c / 2")
	require.NoError(t, err)
	require.Equal(t, "(metric::b() >= 10)", e.Guard(10, func(n string) [3]string { return [3]string{n} }))
	e, err = ParseExpr("a + b")
	require.NoError(t, err)
	require.Empty(t, e.Guard(10, func(n string) [3]string { return [3]string{n} }))
}
