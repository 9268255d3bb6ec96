package protobuf

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The bytes are those of the examples in the specification of the encoding.
func TestFields(t *testing.T) {
	require.Equal(t, []byte{0x08, 0x96, 0x01}, Uint(nil, 1, 150))
	require.Equal(t, []byte{0x12, 0x07, 't', 'e', 's', 't', 'i', 'n', 'g'}, String(nil, 2, "testing"))
	require.Equal(t, []byte{0x1a, 0x03, 0x08, 0x96, 0x01}, Bytes(nil, 3, Uint(nil, 1, 150)))
	require.Equal(t, []byte{0x08, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}, Int(nil, 1, -2))
	require.Equal(t, []byte{0xf9, 0x02, 1, 0, 0, 0, 0, 0, 0, 0}, Fixed64(nil, 47, 1))
	require.Equal(t, "\x0a\x04a\xef\xbf\xbd", string(String(nil, 1, "a\xff")))
}
