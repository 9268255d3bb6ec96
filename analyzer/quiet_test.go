package analyzer

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/trace/wire"
)

// TestHolding: what a location does with a lock for which nobody waits.
func TestHolding(t *testing.T) {
	lock, try := Op{Kind: wire.LockBegin, Blocked: NotBlocked}, Op{Kind: wire.LockBegin, Blocked: NotBlocked, Outcome: wire.Failed}
	read := Op{Kind: wire.LockBegin, Blocked: NotBlocked, Mode: wire.Shared}
	unlock, leave := Op{Kind: wire.Release, Blocked: NotBlocked}, Op{Kind: wire.Release, Blocked: NotBlocked, Mode: wire.Shared}
	for what, c := range map[string]struct {
		ops  []Op
		well bool
	}{
		"in turns":                            {[]Op{lock, unlock, lock, unlock, read, leave}, true},
		"read twice":                          {[]Op{read, read, leave, leave, lock}, true},
		"tried in vain":                       {[]Op{lock, try, unlock}, true},
		"acquired after others released it":   {[]Op{lock, lock, unlock}, true},
		"released by another goroutine first": {[]Op{unlock}, false},
		"released twice":                      {[]Op{lock, lock, unlock, unlock}, false},
		"read and unlocked":                   {[]Op{read, unlock}, false},
		"locked and left":                     {[]Op{lock, leave}, false},
		"tried in vain and released":          {[]Op{try, unlock}, false},
	} {
		var h holding
		well := h.add(&Op{Kind: wire.LockBegin, Loc: 7}) // that of another location, which ended with it
		for i, o := range c.ops {
			require.True(t, o.quiet(), what)
			o.Begin = int64(i / 2)
			well = h.add(&o) && well
		}
		require.Equal(t, c.well, well, what)
	}
	var h holding
	require.True(t, h.add(&Op{Kind: wire.LockBegin, Begin: 2}))
	require.False(t, h.add(&Op{Kind: wire.LockBegin, Begin: 1}), "it lies around the one before")

	require.False(t, (&Op{Kind: wire.LockBegin, Blocked: 1}).quiet())
	require.False(t, (&Op{Kind: wire.LockBegin, Blocked: NotBlocked, Open: true}).quiet())
	require.False(t, (&Op{Kind: wire.SendBegin, Blocked: NotBlocked}).quiet())
}
