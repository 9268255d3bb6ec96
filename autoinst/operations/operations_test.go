package operations_test

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
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
	"tracerec/trace"
	"tracerec/trace/wire"
)

var (
	all  = flag.Int("all", 60, "how many random programs are built by tracerec build, in either way, and recorded")
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

// said is what a program prints.
func said(t testing.TB, program string, args ...string) string {
	var failure strings.Builder
	cmd := exec.Command(program, args...)
	cmd.Stderr = &failure
	out, err := cmd.Output()
	require.NoError(t, err, failure.String())
	return string(out)
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

// The same with the programs as tracerec build builds them, by the overlay and rewritten, whether they are recorded or not. Both ways record the same.
func TestManyRandomPrograms(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the runtime")
	}
	const perBinary = 250
	tracerec := testkit.Build(t, nil, "tracerec/cmd/tracerec")
	ops, panics := 0, 0
	for done, n := 0, min(*all, perBinary); done < *all; done += n {
		m := newModule(t, random.Files(*seed, n))
		m.write(t, "go.mod", "module random\n\ngo 1.26\n")
		plain := said(t, m.build(t, "plain"))
		var recorded [2][]string
		for i, flag := range []string{"-x=false", "-rewrite"} {
			name, dir := filepath.Join(m.dir, "program"+flag), filepath.Join(m.dir, "trace"+flag)
			b, err := build.New("build", []string{"-C", m.dir, flag, "-o", name, "."}, regions.Options{})
			require.NoError(t, err)
			var out strings.Builder
			status, err := b.Run(nil, given.Orders{}, &out, &out)
			b.Close()
			require.NoError(t, err)
			require.Zero(t, status, out.String())
			requireSame(t, plain, said(t, name))
			requireSame(t, plain, said(t, tracerec, "-q", "-o", dir, name))
			recorded[i] = operationsOfMain(t, dir)
		}
		require.Equal(t, recorded[0], recorded[1])
		ops += len(recorded[0])
		for _, o := range recorded[0] {
			if strings.HasPrefix(o, fmt.Sprint(wire.Panicked)) {
				panics++
			}
		}
		t.Logf("seed %d: %d programs", *seed, n)
		*seed++
	}
	t.Logf("%d operations of main, of which %d panicked", ops, panics)
	require.Greater(t, ops, 30**all)
	require.Greater(t, panics, *all/4)
}

// operationsOfMain returns what the first goroutine of a recording did, as both ways record it. A select with one case and a default is for the compiler what the case is, so only what
// came of selects is told. Of what fails at once, the overlay records but locks. How long others are waited for by sleeping depends on them.
func operationsOfMain(t *testing.T, dir string) (done []string) {
	a, err := trace.Open(dir)
	require.NoError(t, err)
	defer a.Close()
	require.Empty(t, a.Check())
	d := a.Definitions()
	type operation struct {
		kind wire.Kind
		at   int // in done
	}
	var open []operation
	for m := a.Merge(); ; {
		l, e, _, err := m.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		if d.Locations[l].GoID != 1 {
			continue
		}
		switch does := e.Kind.Does(); {
		case does == wire.Opens && e.Kind != wire.Enter:
			file := filepath.Base(d.Regions[e.ID].File)
			if strings.HasSuffix(file, "_program.go") || file == "helpers.go" {
				open = append(open, operation{e.Kind, len(done)})
				done = append(done, file)
			} else { // of the standard library
				open = append(open, operation{e.Kind, -1})
			}
		case does == wire.Leaves:
			o := open[len(open)-1]
			if open = open[:len(open)-1]; o.at < 0 {
				continue
			}
			outcome, what := wire.Outcome(e.ID), o.kind
			switch {
			case o.kind == wire.SelectBegin && outcome == wire.Sent, o.kind == wire.SelectBegin && outcome == wire.Panicked:
				what = wire.SendBegin
			case o.kind == wire.SelectBegin:
				what = wire.RecvBegin
			}
			if outcome == wire.Sent || outcome == wire.Received || e.Kind == wire.Passed {
				outcome = wire.OK
			}
			done[o.at] = fmt.Sprint(outcome, what, done[o.at])
			if outcome == wire.Failed || o.kind == wire.SleepBegin {
				done[o.at] = ""
			}
		}
	}
	require.Empty(t, open)
	return slices.DeleteFunc(done, func(s string) bool { return s == "" })
}
