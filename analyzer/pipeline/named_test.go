package pipeline

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tracerec/internal/testkit"
	"tracerec/report"
	"tracerec/trace"
)

// expected is what the source of a program in testdata says about an operation.
type expected struct {
	operation, name string
	unique          bool
}

// expectations reads the comments of packages of testdata, by file and line.
func expectations(t *testing.T, patterns ...string) map[string]expected {
	all := map[string]expected{}
	var files []string
	for _, pattern := range patterns {
		list, err := filepath.Glob(pattern)
		require.NoError(t, err)
		files = append(files, list...)
	}
	for _, name := range files {
		f, err := os.Open(name)
		require.NoError(t, err)
		defer f.Close()
		lines := bufio.NewScanner(f)
		for line := 1; lines.Scan(); line++ {
			code, comment, ok := strings.Cut(lines.Text(), " // ")
			if !ok || strings.TrimSpace(code) == "" {
				continue
			}
			words := append(strings.Fields(comment), "", "")
			all[fmt.Sprintf("%s:%d", filepath.Base(name), line)] = expected{words[0], words[1], words[2] == "!"}
		}
	}
	return all
}

// recordNamed records a program of testdata, built with some arguments, and returns the archive and the file of the program.
func recordNamed(t *testing.T, program string, args ...string) (*trace.Archive, string) {
	built, err := os.ReadFile(testkit.Build(t, nil, append(args, "./testdata/"+program)...))
	require.NoError(t, err)
	dir := t.TempDir()
	file := filepath.Join(dir, program)
	require.NoError(t, os.WriteFile(file, built, 0o700))
	out, err := exec.Command(testkit.Build(t, nil, "../../cmd/tracerec"), "-o", filepath.Join(dir, "trace.dir"), file).CombinedOutput()
	require.NoError(t, err, "%s", out)
	a, err := trace.Open(filepath.Join(dir, "trace.dir"))
	require.NoError(t, err)
	t.Cleanup(func() { a.Close() })
	return a, file
}

// namesIn returns what the operations of an archive work on that the source says something of, by file and line.
func namesIn(a *trace.Archive, want map[string]expected) map[string]expected {
	names, all := namesOf(a), map[string]expected{}
	for _, r := range a.Definitions().Regions {
		place := fmt.Sprintf("%s:%d", filepath.Base(r.File), r.Line)
		if want[place].operation == r.Name {
			got := names(&report.Region{Name: r.Name, Func: r.Func, File: r.File, Line: r.Line, Operation: true})
			all[place] = expected{r.Name, got.Text, got.Unique}
		}
	}
	return all
}

// TestNamedObjects: objects of a recorded program have the names that its source says they have.
func TestNamedObjects(t *testing.T) {
	want := expectations(t, "testdata/named/*.go", "testdata/named/store/*.go")
	require.Greater(t, len(want), 90)
	a, _ := recordNamed(t, "named")
	require.Equal(t, want, namesIn(a, want))
}

// TestNamedBySymbols: without source, objects have names that the symbols of the program prove, and else none. None is wrong. Nothing
// is believed of a program that was built again since.
func TestNamedBySymbols(t *testing.T) {
	t.Setenv("GOFLAGS", "") // which may leave symbols out
	named := expectations(t, "testdata/named/*.go", "testdata/named/store/*.go")
	told := expectations(t, "testdata/told/*/*.go")
	for program, want := range map[string]map[string]expected{"named": named, "told": told} {
		t.Run(program, func(t *testing.T) {
			a, file := recordNamed(t, program, "-trimpath", "-ldflags=") // with symbols, whatever GOFLAGS says
			if program == "named" {
				require.Equal(t, want, namesIn(a, want), "files that are called by their module are found")
			}
			t.Chdir(t.TempDir()) // of no module
			right := 0
			for place, got := range namesIn(a, want) {
				if program == "named" && got.name == "" {
					continue // the symbols leave it open
				}
				require.Equal(t, want[place], got, place)
				if got.name != "" {
					right++
				}
			}
			t.Logf("%d of %d have the right name, the others none", right, len(want))
			require.Positive(t, right)

			nameless := func() {
				for place, got := range namesIn(a, want) {
					require.Empty(t, got.name, place)
				}
			}
			later := time.Unix(0, a.Header().Start).Add(time.Second)
			require.NoError(t, os.Chtimes(file, later, later))
			nameless()
			require.NoError(t, os.Remove(file))
			nameless()
		})
	}
}

// TestDoneChannels: the channel of a context is called as programs call it, not as package context does.
func TestDoneChannels(t *testing.T) {
	for function, done := range map[string]bool{"context.(*cancelCtx).cancel": true, "main.context": false, "golang.org/x/net/context.WithCancel": false} {
		for _, operation := range []string{"close", "recv", "select"} {
			require.Equal(t, done, isDone(&report.Region{Name: operation, Func: function}), "%s in %s", operation, function)
		}
		require.False(t, isDone(&report.Region{Name: "lock", Func: function}))
	}
}

// TestPackagesAreReadOnce: when a package is read, all that the archive says is done in it is named, and what is not in the archive when it is asked for.
func TestPackagesAreReadOnce(t *testing.T) {
	dir := t.TempDir()
	source := "package p\n\nimport \"sync\"\n\nvar a, b, c sync.Mutex\n\nfunc f() {\n\ta.Lock()\n\tb.Lock()\n\tc.Lock()\n}\n"
	large := source + "\n//" + strings.Repeat("/", 3<<20) + "\n" // so that the package before it is forgotten
	for name, text := range map[string]string{"small/p.go": source, "small/p_test.go": strings.Replace(source, "f()", "g()", 1), "large/p.go": large, "other/p.go": source} {
		name = filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
	}
	at := func(file string, line int) *report.Region {
		function := "p.f"
		if strings.HasSuffix(file, "_test.go") {
			function = "p.g"
		}
		return &report.Region{Name: "lock", Func: function, File: filepath.Join(dir, file), Line: line, Operation: true}
	}
	b := &trace.Source{}
	for _, r := range []*report.Region{at("small/p.go", 8), at("small/p.go", 9), at("small/p_test.go", 8), at("large/p.go", 8), at("other/p.go", 8)} {
		b.Definitions.Regions = append(b.Definitions.Regions, trace.Region{Name: r.Name, Func: r.Func, File: r.File, Line: r.Line})
	}
	b.Header.Start = time.Now().Add(time.Hour).UnixNano()
	a := trace.FromSource(b)
	names := namesOf(a)
	require.Equal(t, "a", names(at("small/p.go", 8)).Text)
	require.Equal(t, "a", names(at("large/p.go", 8)).Text)
	require.Equal(t, "c", names(at("small/p.go", 10)).Text, "not in the archive")
	require.Equal(t, "a", names(at("other/p.go", 8)).Text)
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "small")))
	require.Equal(t, "b", names(at("small/p.go", 9)).Text, "known since the package was read")
	require.Equal(t, "c", names(at("small/p.go", 10)).Text)
	require.Equal(t, "a", names(at("small/p_test.go", 8)).Text, "with all of its directory")
}
