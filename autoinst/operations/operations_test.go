package operations_test

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/autoinst/build"
	"tracerec/autoinst/given"
	"tracerec/autoinst/operations"
	"tracerec/autoinst/operations/random"
	"tracerec/autoinst/overlay"
	"tracerec/autoinst/regions"
	"tracerec/internal/testkit"
)

var (
	all  = flag.Int("all", 0, "how many random programs are built by tracerec build, in either way, and recorded")
	seed = flag.Uint64("seed", 1, "of random programs")
)

// module is a module of one program in a directory, which is rewritten in place: it requires this one.
type module struct{ dir string }

func newModule(t testing.TB, files map[string]string) *module {
	m := &module{t.TempDir()}
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	m.write(t, "go.mod", "module random\n\ngo 1.26.0\n\nrequire tracerec v0.0.0\n\nreplace tracerec => "+root+"\n")
	for name, text := range files {
		m.write(t, name, text)
	}
	return m
}

func (m *module) write(t testing.TB, name, text string) {
	at := filepath.Join(m.dir, name)
	require.NoError(t, os.MkdirAll(filepath.Dir(at), 0o777))
	require.NoError(t, os.WriteFile(at, []byte(text), 0o666))
}

func (m *module) command(args ...string) *exec.Cmd {
	cmd := exec.Command("go", args...)
	cmd.Dir = m.dir
	return cmd
}

// rewrite returns the rewritten files.
func (m *module) rewrite(t testing.TB) (map[string]string, operations.Summary) {
	goroot, err := m.command("env", "GOROOT").Output()
	require.NoError(t, err)
	o := overlay.New(strings.TrimSpace(string(goroot)))
	s, err := (&operations.Build{
		Go: m.command, Packages: []string{"./..."}, Arch: "amd64", Tests: true, Fixed: func(string) bool { return false },
	}).Rewrite(o)
	require.NoError(t, err)
	files := map[string]string{}
	names, err := filepath.Glob(filepath.Join(m.dir, "*.go"))
	require.NoError(t, err)
	for _, name := range names {
		text, err := o.Text(name)
		require.NoError(t, err)
		files[filepath.Base(name)] = text
	}
	return files, s
}

// build builds the program.
func (m *module) build(t testing.TB, name string) string {
	out, err := m.command("build", "-o", name, ".").CombinedOutput()
	require.NoError(t, err, string(out[:min(len(out), 3000)]))
	return filepath.Join(m.dir, name)
}

// said is what a program prints, and how it ends.
func said(t testing.TB, program string, args ...string) string {
	cmd := exec.Command(program, args...)
	out, err := cmd.Output()
	if err != nil {
		require.IsType(t, &exec.ExitError{}, err)
	}
	return fmt.Sprint(string(out), cmd.ProcessState.ExitCode())
}

// Random programs print the same, in the same order, and panic at the same lines.
func TestRandomPrograms(t *testing.T) {
	n := 60
	if testing.Short() {
		n = 15
	}
	m := newModule(t, random.Files(*seed, n))
	plain := m.build(t, "plain")
	files, s := m.rewrite(t)
	require.Greater(t, s.Rewritten, 10*n)
	require.Empty(t, s.Left)
	for name, text := range files {
		old, err := os.ReadFile(filepath.Join(m.dir, name))
		require.NoError(t, err)
		require.Equal(t, strings.Count(string(old), "\n"), strings.Count(text[:strings.LastIndex(text, "}\n")+2], "\n"), name)
		m.write(t, name, text)
	}
	rewritten := m.build(t, "rewritten")
	requireSame(t, said(t, plain), said(t, rewritten))
}

var numbered = regexp.MustCompile(`(?m)^program [0-9]+ `)

// requireSame says which program differs.
func requireSame(t testing.TB, want, got string) {
	if want == got {
		return
	}
	a, b := numbered.Split(want, -1), numbered.Split(got, -1)
	for i := range min(len(a), len(b)) {
		require.Equal(t, a[i], b[i], "program %d of seed %d", i-1, *seed)
	}
	require.Equal(t, want, got)
}

// The same with the programs as tracerec build builds them, by the overlay and rewritten, whether they are recorded or not.
func TestManyRandomPrograms(t *testing.T) {
	if *all == 0 {
		t.Skip("-all N compares N programs")
	}
	const perBinary = 250
	tracerec := testkit.Build(t, nil, "tracerec/cmd/tracerec")
	for done := 0; done < *all; done += perBinary {
		m := newModule(t, random.Files(*seed, perBinary))
		m.write(t, "go.mod", "module random\n\ngo 1.26\n")
		plain := said(t, m.build(t, "plain"))
		for _, flag := range []string{"-x=false", "-rewrite"} {
			name := filepath.Join(m.dir, "program"+flag)
			b, err := build.New("build", []string{"-C", m.dir, flag, "-o", name, "."}, regions.Options{})
			require.NoError(t, err)
			var out strings.Builder
			status, err := b.Run(nil, given.Orders{}, &out, &out)
			b.Close()
			require.NoError(t, err)
			require.Zero(t, status, out.String())
			requireSame(t, plain, said(t, name))
			requireSame(t, plain, said(t, tracerec, "-q", "-o", filepath.Join(m.dir, "trace"+flag), name))
		}
		t.Logf("seed %d: %d programs", *seed, perBinary)
		*seed++
	}
}
