//go:build linux

package linux

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/simulator/memory"
)

// direct returns a kernel and its thread, whose calls a test makes itself.
func direct(t *testing.T, o Options) (*Kernel, *thread) {
	o.Args = []string{"x"}
	k, err := New(spin(), o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, k.Close()) })
	th := k.first.threads[0]
	k.ready, k.cpu, k.cpus[0].thread = nil, &k.cpus[0], th
	return k, th
}

// makes makes a system call.
func (t *thread) makes(number uint64, args ...uint64) int64 {
	t.hart.X[17] = number
	copy(t.hart.X[10:16], append(args, 0, 0, 0, 0, 0, 0))
	t.call()
	return int64(t.hart.X[10])
}

// A host without a range of addresses is no fault of the program.
func TestOutOfAddresses(t *testing.T) {
	bin := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(bin, "x"), spin(), 0o755))
	_, th := direct(t, Options{Mounts: []Mount{{Guest: "/bin", Host: bin}}})
	const name = uint64(stackTop - stackSize)
	require.Zero(t, th.p.put(name, []byte("/bin/x\x00")))
	var all []*memory.Space
	defer func() {
		for _, s := range all {
			require.NoError(t, s.Close())
		}
	}()
	for {
		s, err := memory.New(addresses)
		if err != nil {
			require.ErrorIs(t, err, memory.ErrAddresses)
			break
		}
		all = append(all, s)
	}
	_, err := New(spin(), Options{Args: []string{"x"}})
	require.ErrorIs(t, err, memory.ErrAddresses)
	require.EqualValues(t, -int64(syscall.ENOMEM), th.makes(221, name, 0, 0))
	require.EqualValues(t, -int64(syscall.ENOMEM), th.makes(220, 17))
}

// Memory beyond the limit is not to be had, by whatever call, and what is given back may be had again.
func TestMaxMemory(t *testing.T) {
	const limit, mib, anonymous, at = 64 << 20, 1 << 20, 0x22, 1 << 32
	none := -int64(syscall.ENOMEM)
	k, th := direct(t, Options{MaxMemory: limit})
	used := takes(th.p.space, 0, addresses)
	require.Greater(t, used, uint64(stackSize))
	a := th.makes(222, 0, 40*mib, 3, anonymous)
	require.Positive(t, a)
	require.Equal(t, none, th.makes(222, 0, 20*mib, 3, anonymous), "private")
	require.Equal(t, none, th.makes(222, 0, 20*mib, 1, 0x21), "shared")
	require.EqualValues(t, at, th.makes(222, at, 1<<30, 0, anonymous|mapFixed), "reserved, which takes nothing")
	require.Equal(t, none, th.makes(226, at, 20*mib, 3), "reserved ones to be written")
	require.Zero(t, th.makes(226, at, mib, 3))
	require.Zero(t, th.makes(226, at, mib, 1), "takes no more")
	require.EqualValues(t, a, th.makes(222, uint64(a), 40*mib, 3, anonymous|mapFixed), "in place of others")
	least := th.p.breakAt
	require.EqualValues(t, least, th.makes(214, least+20*mib))
	require.EqualValues(t, least+mib, th.makes(214, least+mib))
	require.Equal(t, none, th.makes(220, 17), "fork")
	require.Zero(t, th.makes(215, uint64(a), 40*mib))
	require.Positive(t, th.makes(222, 0, 28*mib, 3, anonymous))
	child := th.makes(220, 17)
	require.Equal(t, none, child, "two of them are too large")
	require.Zero(t, th.makes(214, 0)-int64(least+mib))
	require.Len(t, k.all, 1)

	_, err := New(spin(), Options{Args: []string{"x"}, MaxMemory: 1 << 20})
	require.ErrorIs(t, err, ErrMemory)
	require.ErrorContains(t, err, "may have 1024")
	_, th = direct(t, Options{})
	require.Positive(t, th.makes(222, 0, 1<<33, 3, anonymous), "without a limit")
}
