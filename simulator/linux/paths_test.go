//go:build linux

package linux

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/internal/testkit"
)

// Names mean what they do on Linux, and nothing outside of what the guest was given.
func TestPaths(t *testing.T) {
	if testkit.Race {
		t.Skip("the simulator is one goroutine, and with the race detector many times slower")
	}
	program := compile(t, "paths")
	host := t.TempDir()
	data, bin, here := filepath.Join(host, "data"), filepath.Join(host, "bin"), filepath.Join(host, "here")
	for _, dir := range []string{data, bin, here} {
		require.NoError(t, os.Mkdir(dir, 0o755))
	}
	for name, text := range map[string]string{"secret": "secret", "data/in": "given", "here/target": "", "bin/paths": string(program)} {
		require.NoError(t, os.WriteFile(filepath.Join(host, name), []byte(text), 0o755))
	}
	for name, target := range map[string]string{"data/out": host + "/secret", "data/up": "../secret", "data/directory": host, "data/proc": "/proc/self/root" + "/etc/passwd",
		"here/link": "target"} {
		require.NoError(t, os.Symlink(target, filepath.Join(host, name)))
	}
	var printed bytes.Buffer
	k, err := New(program, Options{Args: []string{"/bin/paths"}, Env: []string{"HOST=" + host}, Stdout: &printed, Stderr: &printed, MaxInstructions: 1e9,
		Mounts: []Mount{{Guest: "/bin", Host: bin}, {Guest: "/data", Host: data}, {Guest: "/deep/down/here", Host: here}, {Guest: "/deep/other", Host: here},
			{Guest: "/tmp", Host: t.TempDir(), Write: true}}})
	require.NoError(t, err)
	defer k.Close()
	status, err := k.Run()
	require.NoError(t, err, "%s", &printed)
	inside, after, _ := strings.Cut(printed.String(), "outside: ")
	require.Equal(t, pathsPrint, inside)
	require.Equal(t, 0, status)
	require.NotContains(t, after, "secret")
	require.NotContains(t, after, "root:")
	require.NotContains(t, after, "<nil>")
	content, err := os.ReadFile(filepath.Join(host, "secret"))
	require.NoError(t, err)
	require.Equal(t, "secret", string(content))
	require.FileExists(t, filepath.Join(host, "secret"))
}

// pathsPrint is what the program prints before it tries to leave.
const pathsPrint = `root: dr-xr-xr-x
names: [bin data deep tmp] [down other] [here]
up: /deep/down <nil>
links: /deep/down/here/target <nil>
write: read-only file system read-only file system file exists read-only file system
no directory: not a directory no such file or directory
opened: /tmp <nil>
absolute: given
dangling: no such file or directory Lrwxrwxrwx no such file or directory
relative: content content content
loop: too many levels of symbolic links
made: made
exclusive: file exists
not followed: too many levels of symbolic links
self: Lrwxrwxrwx ELF
link: Lrwxrwxrwx drwxr-xr-x drwxr-xr-x
file: not a directory not a directory not a directory
new: is a directory no such file or directory
changes: not a directory not a directory no such file or directory <nil>
behind nothing: no such file or directory <nil> -rw-r--r--
dots: invalid argument invalid argument device or resource busy <nil>
same: true 2
left: true 1 content
mode 0: permission denied permission denied permission denied permission denied permission denied
mode 0444: <nil> permission denied <nil> permission denied permission denied
mode 0222: permission denied <nil> permission denied <nil> <nil>
mode 0666: <nil> <nil> <nil> <nil> <nil>
directory 0: permission denied permission denied permission denied permission denied
directory 0555: <nil> -rw-r--r-- permission denied permission denied
directory 0600: <nil> permission denied permission denied permission denied
created: <nil> -r--------
sticky: dtrwxr-xr-x
times: true <nil> read-only file system no such file or directory
calls: operation not permitted operation not permitted 20 <nil> <nil>
`
