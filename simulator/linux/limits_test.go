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
