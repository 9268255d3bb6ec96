//go:build linux

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/internal/testkit"
)

// surroundings are what programs are run in, as a shell makes it. The program and its arguments are "$@".
var surroundings = map[string]string{
	"3 descriptors":           `ulimit -n 3; exec "$@"`,
	"6 descriptors":           `ulimit -n 6; exec "$@"`,
	"8 descriptors":           `ulimit -n 8; exec "$@"`,
	"12 descriptors":          `ulimit -n 12; exec "$@"`,
	"30 descriptors":          `ulimit -n 30; exec "$@"`,
	"many open files":         `for i in $(seq 10 90); do eval "exec $i</dev/null"; done; exec "$@"`,
	"little address space":    `ulimit -v 1800000; exec "$@"`,
	"less address space":      `ulimit -v 1000000; exec "$@"`,
	"no file size":            `ulimit -f 0; exec "$@"`,
	"little file size":        `ulimit -f 3000; exec "$@"`,
	"little stack":            `ulimit -s 256; exec "$@"`,
	"little processor time":   `ulimit -t 100; exec "$@"`,
	"no environment":          `exec env -i "$@"`,
	"little environment":      `exec env -i PATH=/bin "$@"`,
	"private umask":           `umask 077; exec "$@"`,
	"no rights by umask":      `umask 777; exec "$@"`,
	"one processor":           `export GOMAXPROCS=1; exec "$@"`,
	"pinned":                  `exec taskset -c 0 "$@"`,
	"no collection":           `export GOGC=off; exec "$@"`,
	"collection all the time": `export GOGC=1 GOMEMLIMIT=20MiB; exec "$@"`,
	"no preemption":           `export GODEBUG=asyncpreemptoff=1; exec "$@"`,
	"dear debugging":          `export GODEBUG=madvdontneed=1,gcstoptheworld=1,invalidptr=1 GOTRACEBACK=all; exec "$@"`,
	"signals ignored":         `trap '' HUP INT QUIT TERM PIPE USR1 USR2 ALRM CHLD; exec "$@"`,
	"no stdin":                `exec "$@" <&-`,
	"no stdout":               `exec "$@" >&-`,
	"no stderr":               `exec "$@" 2>&-`,
	"no streams":              `exec "$@" <&- >&- 2>&-`,
	"reader gone":             `"$@" | true; echo ${PIPESTATUS[0]}`,
	"full disk for output":    `exec "$@" >/dev/full`,
	"session of its own":      `exec setsid -w "$@"`,
	"another user":            `exec setpriv --reuid 65534 --clear-groups "$@"`,
	"no capabilities":         `exec setpriv --bounding-set -all --inh-caps -all "$@"`,
	"process name space":      `exec unshare -pf "$@"`,
	"name spaces":             `exec unshare -pfinmu --mount-proc "$@"`,
	"no /proc":                `exec unshare -m sh -c 'mount -t tmpfs none /proc; exec "$@"' sh "$@"`,
	"no /dev/shm":             `exec unshare -m sh -c 'mount -t tmpfs -o ro none /dev/shm; exec "$@"' sh "$@"`,
	"full /dev/shm":           `exec unshare -m sh -c 'mount -t tmpfs -o size=64k none /dev/shm; exec "$@"' sh "$@"`,
	"small /dev/shm":          `exec unshare -m sh -c 'mount -t tmpfs -o size=6m none /dev/shm; exec "$@"' sh "$@"`,
	"directory removed":       `mkdir gone; cd gone; rmdir ../gone; exec "$@"`,
	"directory read-only":     `exec unshare -m sh -c 'mkdir d; mount -t tmpfs -o ro none d; cd d; exec "$@"' sh "$@"`,
	"low priority":            `exec nice -n 19 "$@"`,
	"in the background":       `"$@" & wait $!`,
}

// TestHarmlessSurroundings runs a program in surroundings that lack something, once for the program alone and once for the recorder
// as well: output, files and status are as without recording.
func TestHarmlessSurroundings(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a program in forty surroundings")
	}
	static := []string{"CGO_ENABLED=0"} // loading libraries takes a descriptor
	open := t.TempDir()
	require.NoError(t, os.Chmod(filepath.Dir(open), 0o755)) // another user must get there, wherever the sources are
	hostile, recorder := filepath.Join(open, "hostile"), filepath.Join(open, "tracerec")
	copyFile(t, hostile, testkit.Build(t, static, "./testdata/programs/hostile"))
	copyFile(t, recorder, testkit.Build(t, static, "."))
	for name, script := range surroundings {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := func(cmd *exec.Cmd) *exec.Cmd {
				cmd.Args = append([]string{"bash", "-c", script, "bash", cmd.Path}, cmd.Args[1:]...)
				cmd.Path = "/bin/bash"
				return cmd
			}
			plain := outcomeOf(t, in(exec.Command(hostile, "nothing")))
			archive := filepath.Join(t.TempDir(), "a")
			inside := exec.Command(recorder, append([]string{"-o", archive}, in(exec.Command(hostile, "nothing")).Args...)...)
			require.Equal(t, plain, outcomeOf(t, inside), "the program alone")
			wholeOrNone(t, archive)
			archive = filepath.Join(t.TempDir(), "b")
			require.Equal(t, plain, outcomeOf(t, in(exec.Command(recorder, "-o", archive, hostile, "nothing"))), "the recorder as well")
			wholeOrNone(t, archive)
		})
	}
}

func copyFile(t *testing.T, to, from string) {
	t.Helper()
	content, err := os.ReadFile(from)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(to, content, 0o755))
}

// wholeOrNone requires that there is a whole archive or none.
func wholeOrNone(t *testing.T, archive string) {
	t.Helper()
	if _, err := os.Stat(archive); err == nil {
		clean(t, archive)
	}
}
