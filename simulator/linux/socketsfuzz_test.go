//go:build linux

package linux

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"
)

// socketCalls are the calls of [FuzzSockets]: all of sockets, and those that read, write and close.
var socketCalls = [...]uint64{198, 199, 200, 201, 202, 203, 204, 205, 206, 207, 208, 209, 210, 211, 212, 242, 57, 63, 64}

// Whatever calls a program makes of sockets, with whatever in memory, each has an answer: a value, an error, or waiting, which here
// a signal ends. Six bytes are a call: its number and arguments, of which those from 128 on are addresses in memory.
func FuzzSockets(f *testing.F) {
	const mem, page = uint64(stackTop - stackSize), 4096
	unix, inet := make([]byte, 64), make([]byte, 64)
	copy(unix, "\x01\x00\x00name")
	copy(inet, "\x02\x00\x30\x39\x7f\x00\x00\x01")
	pieces := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, mem+128), 8)
	header := make([]byte, 56)
	binary.LittleEndian.PutUint64(header[16:], mem)
	header[24] = 1
	f.Add([]byte{0, 1, 5, 0, 0, 0, 2, 3, 128, 7, 0, 0, 3, 3, 5, 0, 0, 0, 0, 1, 5, 0, 0, 0, 5, 4, 128, 7, 0, 0, 4, 3, 0, 0, 0, 0, 13, 4, 129, 0, 0, 0}, unix)
	f.Add([]byte{0, 2, 1, 0, 0, 0, 2, 3, 128, 16, 0, 0, 3, 3, 1, 0, 0, 0, 0, 2, 1, 0, 0, 0, 5, 4, 128, 16, 0, 0, 4, 3, 136, 140, 0, 0, 6, 4, 136, 140, 0, 0}, inet)
	f.Add([]byte{1, 1, 2, 0, 130, 0, 13, 3, 129, 0, 0, 0, 14, 4, 129, 0, 0, 0, 12, 3, 2, 0, 0, 0, 16, 3, 0, 0, 0, 0}, append(append(pieces, make([]byte, 48)...), header...))
	f.Fuzz(func(t *testing.T, calls, memory []byte) {
		k, err := New(spin(), Options{Args: []string{"x"}})
		require.NoError(t, err)
		defer func() { require.NoError(t, k.Close()) }()
		th := k.first.threads[0]
		k.ready, k.cpu, k.cpus[0].thread = nil, &k.cpus[0], th
		require.Zero(t, th.p.put(mem, memory[:min(len(memory), page)]))
		for len(calls) >= 6 && k.failure == nil {
			h := th.hart
			h.X[17] = socketCalls[int(calls[0])%len(socketCalls)]
			for i, b := range calls[1:6] {
				if h.X[10+i] = uint64(b); b >= 128 {
					h.X[10+i] = mem + 64*uint64(b-128)
				}
			}
			h.X[15] = uint64(calls[5])
			th.call()
			if th.state == blocked {
				th.wake(-4)
			}
			require.Equal(t, running, th.state)
			require.LessOrEqual(t, -4096, int(h.X[10]), "an error number, or a value")
			k.ready, calls = nil, calls[6:]
			k.retryAll()
		}
	})
}

// What a program says of an address comes back as it was.
func FuzzAddress(f *testing.F) {
	f.Add([]byte("\x01\x00/tmp/socket\x00"))
	f.Add([]byte("\x01\x00\x00abstract\x00name"))
	f.Add([]byte("\x02\x00\x1f\x90\x7f\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00"))
	f.Add([]byte("\x0a\x00\x1f\x90\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00"))
	k, err := New(spin(), Options{Args: []string{"x"}})
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, b []byte) {
		const mem, again = uint64(stackTop - stackSize), uint64(stackTop - stackSize + 4096)
		th := k.first.threads[0]
		if len(b) > 128 || th.p.put(mem, b) != 0 {
			return
		}
		for _, domain := range []int{familyUnix, familyInet, familyInet6} {
			s := &socket{k: k, domain: domain}
			a, errno := th.address(s, mem, uint64(len(b)))
			if errno != 0 {
				continue
			}
			back := a.bytes(domain)
			require.Zero(t, th.p.put(again, back))
			if len(back) > 128 {
				continue // a name without its end
			}
			same, errno := th.address(s, again, uint64(len(back)))
			require.Zero(t, errno)
			require.Equal(t, a, same)
		}
	})
}
