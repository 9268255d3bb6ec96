package binfmt

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDump(t *testing.T) {
	var d Dump
	d.Title("head of %s", "x")
	d.Seek(0x10)
	d.Bytes([]byte("0123456789abcdef"), "digits, %d of them", 16)
	d.Bytes([]byte{1}, "one")
	require.Equal(t, `head of x
000010  30 31 32 33 34 35 36 37 38 39 61 62  digits, 16 of them
00001c  63 64 65 66
000020  01                                   one
`, d.String())
}
