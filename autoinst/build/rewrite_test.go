package build

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/autoinst/overlay"
)

// Where the runtime is not known, nothing of it is patched, and operations are rewritten.
func TestUnknownRuntime(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":  "module example.org/m\n\ngo 1.18\n",
		"main.go": "package main\n\nfunc main() {\n\tc := make(chan int, 1)\n\tc <- 1\n}\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	for goversion, want := range map[string]struct{ hooked, rewritten, refused bool }{
		"go1.26.1": {hooked: true},
		"go1.24.9": {rewritten: true},
		"go1.99":   {rewritten: true},
		"go1.23.9": {refused: true},
	} {
		a, err := split("build", []string{"-C", dir, "."})
		require.NoError(t, err)
		real := newToolchain(t.Context())
		err = real.ask(a.chdir())
		require.NoError(t, err)
		b := &Build{a: a, t: real}
		b.t.GOVERSION = goversion
		o, hooked, err := b.operations()
		if want.refused {
			require.ErrorIs(t, err, overlay.ErrUnsupported, goversion)
			continue
		}
		require.NoError(t, err, goversion)
		require.Equal(t, want.hooked, hooked, goversion)
		require.Equal(t, want.rewritten, b.Warning != "", goversion)
		text, err := o.Text(filepath.Join(dir, "main.go"))
		require.NoError(t, err)
		if want.rewritten {
			require.Contains(t, text, "\n\t__tracerec.Send(c, 1)\n")
		} else {
			require.Contains(t, text, "\n\tc <- 1\n")
		}
		runtime, err := os.ReadFile(filepath.Join(real.GOROOT, "src/runtime/chan.go"))
		require.NoError(t, err)
		patched, err := o.Text("runtime/chan.go")
		require.NoError(t, err)
		require.Equal(t, want.hooked, patched != string(runtime), goversion)
	}
}
