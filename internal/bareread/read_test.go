//go:build linux

package bareread

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "words")
	require.NoError(t, os.WriteFile(path, binary.NativeEndian.AppendUint64(binary.NativeEndian.AppendUint64(nil, 11), 22), 0o600))
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	var words [3]uint64
	require.Equal(t, 1, Read(int(f.Fd()), &words[0], 1))
	require.Equal(t, [3]uint64{11}, words)
	require.Equal(t, 1, Read(int(f.Fd()), &words[1], 2), "what there is")
	require.Equal(t, [3]uint64{11, 22}, words)
	require.Equal(t, 0, Read(int(f.Fd()), &words[0], 1), "the end")
	require.Negative(t, Read(-1, &words[0], 1))
}
