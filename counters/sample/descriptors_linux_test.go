package sample

import (
	"strconv"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestClosedDescriptors closes the events of a set, as a program does that closes what it does not know, and opens a file of its own:
// the readings are missing, and nothing is read from the file.
func TestClosedDescriptors(t *testing.T) {
	r := reader{s: open(t, "page-faults")}
	require.Greater(t, r.read(), 1)
	var closed []int
	for fd := range 16 << 10 {
		if name := target(fd); name == "anon_inode:[perf_event]" {
			closed = append(closed, fd)
			require.NoError(t, syscall.Close(fd))
		}
	}
	require.NotEmpty(t, closed)
	require.Greater(t, closed[0], 100, "programs get the lowest number that is free")
	var pipe [2]int
	require.NoError(t, syscall.Pipe(pipe[:]))
	defer syscall.Close(pipe[0])
	defer syscall.Close(pipe[1])
	require.NotContains(t, closed, pipe[0])
	text := make([]byte, 100)
	_, err := syscall.Write(pipe[1], text)
	require.NoError(t, err)
	for range 10 {
		r.read()
	}
	n, err := syscall.Read(pipe[0], text)
	require.NoError(t, err)
	require.Equal(t, len(text), n)
}

// target returns what a descriptor is open on.
func target(fd int) string {
	var name [100]byte
	n, _ := syscall.Readlink("/proc/self/fd/"+strconv.Itoa(fd), name[:])
	return string(name[:max(n, 0)])
}
