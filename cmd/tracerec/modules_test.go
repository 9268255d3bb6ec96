//go:build linux && amd64

package main

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/trace"
	"tracerec/trace/wire"
)

var allModules = flag.Bool("modules", false, "run all commands of testdata/modules, for some minutes")

// module is a file of testdata/modules: commands of go, each with the number of archives that tracerec makes of it, and files of a module.
type module struct {
	env      []string
	sorted   bool // lines may be in another order
	commands []string
	archives []int
}

// unpack writes the files of a module into a directory.
func unpack(t *testing.T, file, dir string) (m module) {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	head, files, _ := strings.Cut(string(text), "\n-- ")
	for line := range strings.Lines(head) {
		line = strings.TrimSpace(line)
		command, archives, ok := strings.Cut(line, " => ")
		switch {
		case ok:
			n, err := strconv.Atoi(archives)
			require.NoError(t, err, line)
			m.commands, m.archives = append(m.commands, command), append(m.archives, n)
		case strings.HasPrefix(line, "env "):
			m.env = append(m.env, strings.TrimPrefix(line, "env "))
		case line == "sorted":
			m.sorted = true
		case strings.HasPrefix(line, "needs "):
			if _, err := exec.LookPath(strings.TrimPrefix(line, "needs ")); err != nil {
				t.Skip(err)
			}
		}
	}
	for f := range strings.SplitSeq(files, "\n-- ") {
		name, text, _ := strings.Cut(f, " --\n")
		name = filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o777))
		require.NoError(t, os.WriteFile(name, []byte(text+"\n"), 0o666))
	}
	require.NotEmpty(t, m.commands)
	return m
}

// output runs a command in a directory.
func output(t *testing.T, cmd *exec.Cmd, dir string, env []string) result {
	t.Helper()
	var out, err bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &err
	cmd.Env = slices.Concat(cmd.Environ(), env, []string{"PWD=" + dir})
	if failed := cmd.Run(); failed != nil {
		require.IsType(t, &exec.ExitError{}, failed)
	}
	return result{cmd.ProcessState.ExitCode(), out.String(), err.String()}
}

// different matches what differs between two runs of go test and of programs.
var different = regexp.MustCompile(`\(?[0-9.]+m?s\)?\b|"Time":"[^"]*"|"Elapsed":[0-9.]+| +\t? *[0-9]+\t.*/op|0x[0-9a-f]+|\+0x|goroutine [0-9]+`)

// comparable is what has to be equal in both. Behind a panic are goroutines, and those of a timeout are in any order.
func (m *module) comparable(text string) string {
	var lines []string
	panics := false
	for line := range strings.Lines(different.ReplaceAllString(text, "~")) {
		panics = panics && !strings.HasPrefix(line, "FAIL") || strings.HasPrefix(line, "~ [") || strings.HasPrefix(line, "running tests:")
		if !panics && !strings.HasPrefix(line, "tracerec: nothing was recorded") {
			lines = append(lines, line)
		}
	}
	if m.sorted {
		slices.Sort(lines)
		lines = slices.Compact(lines)
	}
	return strings.Join(lines, "")
}

// status is how go run says that the program ended.
var status = regexp.MustCompile(`exit status ([0-9]+)\n$`)

// asGo makes what go printed and returned what tracerec does: it returns the program's own status.
func (r result) asGo(verb string) result {
	if found := status.FindStringSubmatch(r.stderr); verb == "run" && found != nil {
		r.status, _ = strconv.Atoi(found[1])
		r.stderr = strings.TrimSuffix(r.stderr, found[0])
	}
	return r
}

// TestModules compares tracerec run, test and build with go run, test and build, for modules of many kinds.
func TestModules(t *testing.T) {
	if testing.Short() {
		t.Skip("the runtime is built")
	}
	files, err := filepath.Glob("testdata/modules/*.txt")
	require.NoError(t, err)
	n := 0
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "a directory")
			m := unpack(t, file, dir)
			for i, command := range m.commands {
				if i > 1 && !*allModules {
					break
				}
				m.check(t, dir, command, m.archives[i])
				n++
			}
		})
	}
	t.Logf("%d commands", n)
}

func (m *module) check(t *testing.T, dir, command string, archives int) {
	t.Helper()
	args := strings.Fields(command)
	verb, traces := args[0], filepath.Join(t.TempDir(), "trace.dir")
	given, own := args[1:], []string{"-q", "-o", traces}
	if verb == "test" {
		given = append([]string{"-count=1"}, given...)
	}
	if verb == "build" {
		own = nil
	}
	plain := output(t, exec.Command("go", slices.Concat([]string{verb}, given)...), dir, m.env).asGo(verb)
	ours := output(t, tracerec(slices.Concat([]string{verb}, own, args[1:])...), dir, m.env)
	for _, r := range []*result{&plain, &ours} {
		r.stdout, r.stderr = m.comparable(r.stdout), m.comparable(r.stderr)
	}
	require.Equal(t, plain, ours, command)
	found := 0
	err := filepath.WalkDir(traces, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Name() == trace.SegmentName(0) {
			found++
			clean(t, filepath.Dir(path))
			whole(t, filepath.Dir(path))
		}
		if errors.Is(err, os.ErrNotExist) && path == traces {
			return nil
		}
		return err
	})
	require.NoError(t, err)
	require.Equal(t, archives, found, command)
}

// whole requires that each goroutine but main is one location, which begins when the goroutine does.
func whole(t *testing.T, archive string) {
	t.Helper()
	begun := map[trace.LocationID]bool{}
	each(t, archive, func(a *trace.Archive, l trace.LocationID, e trace.Event) {
		if begun[l] = begun[l] || e.Kind == wire.Begin; !begun[l] && e.Kind == wire.Enter {
			require.EqualValues(t, 1, a.Definitions().Locations[l].GoID, archive)
		}
	})
	require.NotEmpty(t, begun, archive)
}

// TestSecondBuild: what is built again is in the go command's cache, though its overlay is in another directory. What is built and run without
// tracerec is a program like others.
func TestSecondBuild(t *testing.T) {
	if testing.Short() {
		t.Skip("the runtime is built")
	}
	dir := t.TempDir()
	unpack(t, "testdata/modules/program.txt", dir)
	first := output(t, tracerec("build", "-o", "app", "."), dir, nil)
	require.Equal(t, result{}, first)
	second := output(t, tracerec("build", "-x", "-o", "app2", "."), dir, nil)
	require.Zero(t, second.status)
	require.Contains(t, second.stderr, "/link -o")
	require.NotRegexp(t, "/(compile|asm) -", second.stderr)
	before, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Equal(t, result{0, "[a b] embedded\n", "done\n"}, output(t, exec.Command(filepath.Join(dir, "app"), "a", "b"), dir, nil))
	after, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, after, len(before))
	r := record(t, "-q", "-o", filepath.Join(dir, "trace.dir"), filepath.Join(dir, "app2"), "a", "b")
	require.Equal(t, result{0, "[a b] embedded\n", "done\n"}, r)
	require.NotZero(t, eventsIn(t, filepath.Join(dir, "trace.dir")))
}

// TestOwnRecorder: a module that has package instrument is recorded by that, each operation once.
func TestOwnRecorder(t *testing.T) {
	if testing.Short() {
		t.Skip("the runtime is built")
	}
	here, err := filepath.Abs("../..")
	require.NoError(t, err)
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":       "module example.com/own\n\ngo 1.26.0\n\nrequire tracerec v0.0.0\n\nreplace tracerec => " + here + "\n",
		"main.go":      "package main\n\nimport \"tracerec/instrument\"\n\nfunc main() {\n\tdefer instrument.Region(\"work\").End()\n\tc := make(chan int)\n\tgo func() { c <- 1 }()\n\t<-c\n}\n",
		"main_test.go": "package main\n\nimport \"testing\"\n\nfunc TestMain(*testing.M) { main() }\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	for verb, at := range map[string]string{"run": "", "test": "example.com/own"} {
		archive := filepath.Join(dir, verb+".dir")
		args := []string{verb, "-q", "-o", archive, "."}
		if verb == "run" { // whose own flags the go command does not have
			args = []string{verb, "-trimpath", "-q", "-o", archive, "-v", "--include=main.*", "."}
		}
		r := output(t, tracerec(args...), dir, nil)
		require.Equal(t, 0, r.status, r.stderr)
		archive = filepath.Join(archive, at)
		clean(t, archive)
		require.Equal(t, 1, countKind(t, archive, "enter")["work"], verb)
		require.NotEmpty(t, countKind(t, archive, "recv"), verb)
	}
}

// TestHandlers: what a router calls is in regions that say so, also if it is inlined, trivial or of another package; what only helps is not.
func TestHandlers(t *testing.T) {
	if testing.Short() {
		t.Skip("the runtime is built")
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":     "module example.com/app\n\ngo 1.26.0\n\nrequire github.com/gin-gonic/gin v1.0.0\n\nreplace github.com/gin-gonic/gin => ./gin\n",
		"gin/go.mod": "module github.com/gin-gonic/gin\n\ngo 1.26.0\n",
		"gin/gin.go": "package gin\n\ntype HandlerFunc func(*Context)\n\ntype Context struct{ Rest []HandlerFunc }\n\n" +
			"func (c *Context) Next() {\n\tfor len(c.Rest) > 0 {\n\t\tnext := c.Rest[0]\n\t\tc.Rest = c.Rest[1:]\n\t\tnext(c)\n\t}\n}\n",
		"lib/lib.go": "package lib\n\nimport \"github.com/gin-gonic/gin\"\n\ntype Server struct{}\n\nfunc (Server) List(c *gin.Context) { help(c); c.Rest = nil }\n\nfunc help(c *gin.Context) { println(len(c.Rest)) }\n",
		"main.go": "package main\n\nimport (\n\t\"example.com/app/lib\"\n\t\"github.com/gin-gonic/gin\"\n)\n\nfunc logs() gin.HandlerFunc {\n\treturn func(c *gin.Context) { c.Next() }\n}\n\n" +
			"func tag(*gin.Context) { last = 1 }\n\nvar last int\n\nfunc main() {\n\tc := &gin.Context{Rest: []gin.HandlerFunc{tag, logs(), lib.Server{}.List, tag}}\n\tc.Next()\n}\n",
	} {
		name = filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o777))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o666))
	}
	archive := filepath.Join(dir, "trace.dir")
	r := output(t, tracerec("run", "-q", "-o", archive, "."), dir, nil)
	require.Equal(t, 0, r.status, r.stderr)
	clean(t, archive)
	require.Equal(t, map[string]int{"main.main": 1, "gin.HandlerFunc": 3, "main.tag": 1, "main.main.logs.func1": 1, "lib.Server.List": 1}, countKind(t, archive, "enter"))
}

// TestRefusals: the go command says what is wrong first, then tracerec in one line.
func TestRefusals(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/m\n\ngo 1.22\n"), 0o666))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte("package main\n\nimport \"os\"\n\nfunc main() { os.Stdout.WriteString(\"run\") }\n"), 0o666))
	script := filepath.Join(dir, "script")
	require.NoError(t, os.WriteFile(script, []byte("#!/bin/sh\n"), 0o777))
	const failed = "tracerec: nothing was recorded, because go "
	for _, c := range []struct {
		args        string
		env         string
		status      int
		first, last string
	}{
		{"build -bogus .", "", 2, "flag provided but not defined: -bogus", failed + "build failed"},
		{"run -bogus .", "", 2, "flag provided but not defined: -bogus", failed + "run failed"},
		{"run -C /no/such/directory .", "", 1, "go: chdir", failed + "run failed"},
		{"build -overlay=/no/such/file .", "", 1, "go: reading overlay: open /no/such/file", failed + "build failed"},
		{"run .", "GOFLAGS=-overlay=/no/such/file", 1, "go: reading overlay: open /no/such/file", failed + "run failed"},
		{"run", "", 1, "go: no go files listed", failed + "run failed"},
		{"run ./script", "", 1, "", failed + "run failed; to record a program that is built: tracerec record ./script"},
		{"build .", "GOOS=windows", 2, "", "tracerec: this Go installation cannot be patched: programs for windows/amd64"},
		{"build .", "PATH=/no/such/directory", 127, "", "tracerec: go: executable file not found in $PATH"},
		{"test -o", "", 2, "", "tracerec: -o: no value"},
		{"test --view .", "", 2, "", "tracerec: --view and --window are for one"},
		{"run -o= .", "", 2, "", "tracerec: the name of the trace directory is empty"},
		{"test -o script .", "", 2, "", "exists and is not a trace directory"},
		{"run -o /proc/none/a .", "", 2, "", "tracerec: mkdir /proc/none: "},
		{"test -o /proc/none/a .", "", 2, "", "tracerec: mkdir /proc/none: "},
		{"run -trimpath -o script/a .", "", 2, "", "/script/a: not a directory"},
	} {
		r := output(t, tracerec(strings.Fields(c.args)...), dir, []string{c.env})
		require.Equal(t, c.status, r.status, "%s: %s", c.args, r.stderr)
		require.Empty(t, r.stdout)
		require.Contains(t, r.stderr, c.first, c.args)
		last := strings.Split(strings.TrimSpace(r.stderr), "\n")
		require.Contains(t, last[len(last)-1], c.last, c.args)
	}
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, left, 3)
}

// eventsIn returns the number of events in an archive.
func eventsIn(t *testing.T, archive string) (n int) {
	each(t, archive, func(*trace.Archive, trace.LocationID, trace.Event) { n++ })
	return n
}
