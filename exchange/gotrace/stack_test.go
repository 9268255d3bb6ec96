package gotrace

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSee: what the functions at the leaf of a stack, from there on, tell of a wait: locks and channels of the runtime's own are none of the program.
func TestSee(t *testing.T) {
	for _, c := range []struct {
		want      wait
		relocks   bool
		functions []string
	}{
		{lockWait, false, []string{"internal/sync.(*Mutex).lockSlow", "internal/sync.(*Mutex).Lock", "sync.(*Mutex).Lock", "main.f"}},
		{lockWait, true, []string{"sync.(*Mutex).Lock", "sync.(*Cond).Wait", "main.f"}},
		{condWait, false, []string{"runtime.notifyListWait", "sync.(*Cond).Wait", "main.f"}},
		{onceWait, false, []string{"sync.(*Mutex).Lock", "sync.(*Once).doSlow", "main.f"}},
		{recvWait, false, []string{"runtime.chanrecv1", "main.f"}},
		{foreverWait, false, []string{"runtime.block", "main.f"}},
		{assistWait, false, []string{"runtime.chanrecv1", "runtime.gcBgMarkStartWorkers", "runtime.gcStart", "runtime.mallocgc", "main.f"}},
		{assistWait, false, []string{"runtime.gcStart", "runtime.mallocgc", "main.f"}},
		{assistWait, false, []string{"runtime.gcMarkDone", "runtime.gcAssistAlloc", "runtime.mallocgc", "main.f"}},
		{fdLockWait, false, []string{"internal/poll.runtime_Semacquire", "internal/poll.(*fdMutex).rwlock", "internal/poll.(*FD).writeLock", "main.f"}},
		{wait{}, false, []string{"runtime.mallocgc", "main.f"}},
	} {
		var s stack
		for _, f := range c.functions {
			s.see(f)
		}
		require.Equal(t, c.want, s.wait, c.functions)
		require.Equal(t, c.relocks, s.relocks, c.functions)
	}
}
