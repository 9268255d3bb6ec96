package naming

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Files of other systems do not count, unless one of them is asked about; those that tags of whoever builds the program leave out do count: what they do may be what the program does.
func TestOtherSystems(t *testing.T) {
	other := map[string]string{"linux": "windows"}[runtime.GOOS]
	if other == "" {
		other = "linux"
	}
	dir := t.TempDir()
	put := func(name, text string) string {
		name = filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(name, []byte(text), 0o666))
		return name
	}
	here := put("here.go", `package p

import "sync"

var one, two sync.Mutex

func use(mu *sync.Mutex) {
	mu.Lock()
}

func start() { use(&one) }
`)
	ask := func() (string, bool) { return New(time.Now().Add(time.Hour), dir, "").Of("lock", "p.use", here, 8) }
	name, unique := ask()
	require.Equal(t, "one", name)
	require.True(t, unique)
	for i, text := range []string{"//go:build " + other + "\n\n", "//go:build ignore\n\n", "//go:build !unix && !windows\n\n"} {
		put("else.go", text+"package p\n\nfunc more() { use(&two) }\n")
		name, _ := ask()
		require.Equal(t, "one", name, i)
	}
	there := put("else_"+other+".go", "package p\n\nimport \"sync\"\n\ntype T struct{ mu sync.Mutex }\n\nfunc (t *T) do() { t.mu.Lock(); use(&two) }\n")
	require.NoError(t, os.Remove(filepath.Join(dir, "else.go")))
	name, _ = ask()
	require.Equal(t, "one", name)
	name, _ = New(time.Now().Add(time.Hour), dir, "").Of("lock", "p.(*T).do", there, 7)
	require.Equal(t, "T.mu", name, "asked about, the file counts")
	for _, tag := range []string{"mine", "!mine", "mine && " + runtime.GOOS, "race", "!race", "cgo", "!cgo", "go1.18", "mine || " + other, "mine && !yours", "mine && cgo", "mine && !cgo && !yours", "a && b && c && d && e && " + other, "go1.99", "!go1.20", "goexperiment.some", "!goexperiment.regabiwrappers", "!amd64.v1 && !arm64.v8.0"} {
		put("else.go", "//go:build "+tag+"\n\npackage p\n\nfunc more() { use(&two) }\n")
		name, _ := ask()
		require.NotEqual(t, "one", name, tag)
	}
}

// What is for another processor than the program ran on does not count, whichever this machine has.
func TestOtherProcessors(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "p.go")
	require.NoError(t, os.WriteFile(file, []byte("package p\n\nimport \"sync\"\n\nvar one, two sync.Mutex\n\nfunc use(mu *sync.Mutex) {\n\tmu.Lock()\n}\n\nfunc start() { use(&one) }\n"), 0o666))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "p_s390x.go"), []byte("package p\n\nfunc more() { use(&two) }\n"), 0o666))
	for arch, want := range map[string]string{"amd64": "one", "riscv64": "one", "s390x": "mu"} {
		name, _ := New(time.Now().Add(time.Hour), dir, arch).Of("lock", "p.use", file, 8)
		require.Equal(t, want, name, arch)
	}
}

// What tests of the packages of others do is of no program; a module's own tests may be.
func TestOthersTests(t *testing.T) {
	root := t.TempDir()
	t.Setenv("GOMODCACHE", root)
	for dir, want := range map[string]string{filepath.Join(root, "example.org/p@v1.0.0"): "one", t.TempDir(): ""} {
		require.NoError(t, os.MkdirAll(dir, 0o777))
		file := filepath.Join(dir, "p.go")
		require.NoError(t, os.WriteFile(file, []byte("package p\n\nimport \"sync\"\n\nvar one, two sync.Mutex\n\nfunc use(mu *sync.Mutex) {\n\tmu.Lock()\n}\n\nfunc start() { use(&one) }\n"), 0o666))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "p_test.go"), []byte("package p\n\nfunc more() { use(&two) }\n"), 0o666))
		name, _ := New(time.Now().Add(time.Hour), dir, "").Of("lock", "p.use", file, 8)
		if want == "" {
			require.NotEqual(t, "one", name)
		} else {
			require.Equal(t, want, name)
		}
		test := filepath.Join(dir, "q_test.go")
		require.NoError(t, os.WriteFile(test, []byte("package p\n\nimport \"sync\"\n\nfunc used(mu *sync.Mutex) {\n\tmu.Lock()\n}\n\nfunc begin() { used(&one) }\n"), 0o666))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "r_test.go"), []byte("package p\n\nfunc again() { used(&two) }\n"), 0o666))
		name, _ = New(time.Now().Add(time.Hour), dir, "").Of("lock", "p.used", test, 6)
		require.NotEqual(t, "one", name, "a test that was asked about stands beside others")
	}
}

// Packages that were read long ago are read again, and nothing is different.
func TestManyPackages(t *testing.T) {
	dir := t.TempDir()
	filler := make([]byte, mostKept/2)
	for i := range filler {
		filler[i] = '/'
	}
	n := New(time.Now().Add(time.Hour), dir, "")
	for range 2 {
		for i := range 5 {
			file := filepath.Join(dir, fmt.Sprint(i), "p.go")
			require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o777))
			text := fmt.Sprintf("package p\n\nimport \"sync\"\n\nvar mu%d sync.Mutex\n\nfunc use() { mu%d.Lock() }\n\n%s\n", i, i, filler)
			require.NoError(t, os.WriteFile(file, []byte(text), 0o666))
			name, unique := n.Of("lock", "p.use", file, 7)
			require.Equal(t, fmt.Sprintf("mu%d", i), name)
			require.True(t, unique)
			require.LessOrEqual(t, len(n.packages), 3)
		}
	}
}

// The files of a directory are those of two packages at most, and each is read once, whichever of its files are asked about.
func TestPackagesAreReadOnce(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for name, text := range map[string]string{
		"p.go":         "package p\n\nvar one sync.Mutex\n",
		"a_test.go":    "package p\n\nfunc a() { one.Lock() }\n",
		"b_test.go":    "package p\n\nfunc b() { one.Lock() }\n",
		"c_test.go":    "package p_test\n\nvar two sync.Mutex\n\nfunc c() { two.Lock() }\n",
		"d_test.go":    "package p_test\n\nfunc d() { two.Lock() }\n",
		"f_js_test.go": "package p\n\nfunc e() { one.Lock() }\n",
	} {
		require.NoError(t, os.WriteFile(at(name), []byte(text), 0o666))
	}
	n := New(time.Now().Add(time.Hour), dir, runtime.GOARCH)
	other := n.source(at("f_js_test.go"))
	require.NotNil(t, other)
	require.NotSame(t, other, n.source(at("a_test.go")), "a file of another system is not of the package")
	require.Same(t, n.source(at("a_test.go")), n.source(at("b_test.go")))
	require.Same(t, n.source(at("c_test.go")), n.source(at("d_test.go")))
	require.NotSame(t, n.source(at("a_test.go")), n.source(at("c_test.go")))
	require.Same(t, n.source(at("p.go")), n.source(at("a_test.go")))
	require.Equal(t, n.Package(at("p.go")), n.Package(at("b_test.go")))
	require.NotEqual(t, n.Package(at("p.go")), n.Package(at("c_test.go")))
	require.Empty(t, n.Package(at("none.go")))
	require.Nil(t, n.source(at("a_test.go")).files[at("f_js_test.go")])
}
