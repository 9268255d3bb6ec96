//go:build linux

package linux

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/internal/testkit"
)

// Programs talk over loopback, and reach nothing else.
func TestSockets(t *testing.T) {
	if testkit.Race {
		t.Skip("the simulator is one goroutine, and with the race detector many times slower")
	}
	program := compile(t, "sockets")
	var printed bytes.Buffer
	k, err := New(program, Options{Args: []string{"sockets"}, Env: []string{"OUT=/out"}, Stdout: &printed, Stderr: &printed, CPUs: 2,
		MaxInstructions: 3e9, Mounts: []Mount{{Guest: "/out", Host: t.TempDir(), Write: true}}})
	require.NoError(t, err)
	status, err := k.Run()
	require.NoError(t, err, "%s", &printed)
	require.Equal(t, `24 {"path":"/0/0","size":0}
{"path":"/7/2","size":35000}
tcp4 262151 262144 true <nil>
true true
tcp6 262151 262144 true <nil>
true true
unix 262151 262144 true <nil>
true true
udp4 one <nil> true
udp4 thre <nil> true
back <nil>
true
udp6 one <nil> true
udp6 thre <nil> true
back <nil>
true
unixgram one <nil> true
unixgram thre <nil> true
true
true
true
pair <nil>
true
packet 3 aaa <nil>
packet 20000 bbb <nil>
packet 20000 ccc <nil>
packet 10003 ddd <nil>
packet 3 eee <nil>
true
true
socket type not supported
"one" 0 <nil>
"" 0 <nil>
"thre" 32 <nil>
5 <nil>
`, printed.String())
	require.Equal(t, 0, status)
	require.NoError(t, k.Close())
}
