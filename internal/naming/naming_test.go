package naming

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// text is a program; a comment says what the operation of its line works on.
const text = `package store

import (
	"sync"

	"tracerec/instrument"
)

type DB struct {
	metalock instrument.Mutex
	sub      *cache
	jobs     chan int
	shards   [4]shard
	byName   map[string]*sync.Mutex
	Embedded
}

type shard struct{ mu sync.RWMutex }

type cache struct {
	instrument.Mutex
	n int
}

type Embedded struct{ deep sync.Mutex }

type Pool[T any] struct{ idle *instrument.Cond }

var registry sync.Mutex

var counts struct {
	mu sync.Mutex
}

func (db *DB) Get(done chan bool) {
	db.metalock.Lock() // lock DB.metalock !
	(*db).metalock.Lock() // lock DB.metalock !
	db.sub.Lock() // lock cache.Mutex !
	c := db.sub
	c.Lock() // lock cache.Mutex !
	db.deep.Lock() // lock Embedded.deep !
	db.shards[1].mu.RLock() // rlock shard.mu !
	for i := range db.shards {
		db.shards[i].mu.Lock() // lock shard.mu !
	}
	db.byName["x"].Lock() // lock DB.byName[…] !
	registry.Lock() // lock registry !
	counts.mu.Lock() // lock counts.mu !
	mu := &db.metalock
	mu.Lock() // lock DB.metalock !
	instrument.Send(db.jobs, 1) // send DB.jobs !
	instrument.Recv[int](db.jobs) // recv DB.jobs !
	db.jobs <- 2 // send DB.jobs !
	<-done // recv done
	for range db.jobs { // recv DB.jobs !
	}
	for x := range instrument.Range(db.jobs) { // recv DB.jobs !
		_ = x
	}
	close(db.jobs) // close DB.jobs !
	a, b := new(sync.Mutex), new(sync.Mutex)
	a.Lock(); b.Lock() // lock
	var wg instrument.WaitGroup
	wg.Wait() // wait wg
	helper().Lock() // lock helper()
	elsewhere.Lock() // lock elsewhere
	db.
		metalock.
		Lock() // lock DB.metalock !
	new(DB).Get(nil) // lock
}

func (p *Pool[T]) take() {
	p.idle.Wait() // condwait Pool.idle !
	p.idle.Signal() // signal Pool.idle !
	p.idle.Signal() // broadcast
}

func (db *DB) with(mu *sync.Mutex) {
	mu.Lock() // lock mu
}

func (db *DB) only(mu *sync.Mutex) {
	mu.Lock() // lock registry !
}

func calls(db *DB) {
	(*DB).with(db, &registry)
	db.only(&registry)
	Hook() // lock
	hook() // lock registry !
}

// Hook may be set by others.
var Hook, hook = registry.Lock, registry.Lock

func helper() *sync.Mutex { return new(sync.Mutex) }
`

func TestNames(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "db.go")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "other.go"), []byte("package other\nfunc f() {}"), 0o600))
	names := New(time.Now().Add(time.Hour), "", "")
	asked := 0
	for i, line := range strings.Split(text, "\n") {
		_, comment, ok := strings.Cut(line, " // ")
		if !ok {
			continue
		}
		asked++
		words := append(strings.Fields(comment), "", "")
		name, unique := names.Of(words[0], "", file, i+1)
		require.Equal(t, words[1], name, line)
		require.Equal(t, words[2] == "!", unique, line)
	}
	require.Greater(t, asked, 25)
}

// Another file of the package declares the type.
func TestNamesOfOtherFiles(t *testing.T) {
	dir := t.TempDir()
	use := filepath.Join(dir, "use.go")
	require.NoError(t, os.WriteFile(use, []byte("package p\n\nfunc (s *Server) run() {\n\ts.db.mu.Lock()\n}\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "types.go"), []byte("package p\n\ntype Server struct{ db *DB }\n\ntype DB struct{ mu Lock }\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "broken.go"), []byte("package p\nfunc f() {"), 0o600))
	name, unique := New(time.Now().Add(time.Hour), "", "").Of("lock", "", use, 4)
	require.Equal(t, "DB.mu", name)
	require.True(t, unique)
}

func TestNoNames(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "a.go")
	require.NoError(t, os.WriteFile(file, []byte("package a\n\nfunc f() {\n\tmu.Lock()\n}\n"), 0o600))
	for _, c := range []struct {
		what, file string
		before     time.Time
		line       int
	}{
		{"changed since", file, time.Now().Add(-time.Hour), 4},
		{"not there", filepath.Join(dir, "b.go"), time.Now().Add(time.Hour), 4},
		{"not absolute", "a.go", time.Now().Add(time.Hour), 4},
		{"no operation", file, time.Now().Add(time.Hour), 3},
		{"no such line", file, time.Now().Add(time.Hour), 400},
		{"no source", dir, time.Now().Add(time.Hour), 4},
	} {
		name, unique := New(c.before, "", "").Of("lock", "", c.file, c.line)
		require.Empty(t, name, c.what)
		require.False(t, unique, c.what)
	}
	name, _ := New(time.Now().Add(time.Hour), "", "").Of("lock", "", file, 4)
	require.Equal(t, "mu", name)
}

func TestLinesOfOtherFunctions(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.go")
	require.NoError(t, os.WriteFile(file, []byte("package a\n\nfunc (p *Pool[T]) take() {\n\tmu.Lock()\n}\n\nvar v = func() { mu.Lock() }\n"), 0o600))
	names := New(time.Now().Add(time.Hour), "", "")
	for function, known := range map[string]bool{
		"": true, "x.org/a.(*Pool[go.shape.int]).take": true, "x.org/a.(*Pool[...]).take.func1": true, "a.Pool.take-range1": true,
		"a.use.take.func2": true, "x.org/a.taken": false, "x.org/take.b": false, "a.(*Pool[a.take]).put": false,
	} {
		name, _ := names.Of("lock", function, file, 4)
		require.Equal(t, known, name == "mu", function)
	}
	name, _ := names.Of("lock", "a.init.func1", file, 7)
	require.Equal(t, "mu", name)
}

// Programs built with -trimpath call their files by module.
func TestTrimmedFiles(t *testing.T) {
	cache, module, other := t.TempDir(), t.TempDir(), t.TempDir()
	t.Setenv("GOMODCACHE", cache)
	write := func(file string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
		require.NoError(t, os.WriteFile(file, []byte("package a\n\nfunc f() {\n\tmu.Lock()\n}\n"), 0o600))
	}
	write(filepath.Join(cache, "example.org", "!big!store@v1.2.0-!r!c", "in", "a.go"))
	write(filepath.Join(module, "cmd", "a.go"))
	write(filepath.Join(other, "a.go"))
	require.NoError(t, os.WriteFile(filepath.Join(module, "go.mod"), []byte("// Comment.\nmodule \"example.org/app\"\n"), 0o600))
	for file, known := range map[string]bool{
		"example.org/BigStore@v1.2.0-RC/in/a.go": true, "example.org/BigStore@v1.2.1/in/a.go": false, "example.org/BigStore@v1.2.0-RC": false,
		"example.org/app/cmd/a.go": true, "example.org/app/a.go": false, "example.org/ap/cmd/a.go": false, "cmd/a.go": false,
		"example.org/app/../" + filepath.Base(other) + "/a.go": false, "a@v1/../../a.go": false, "./a.go": false,
	} {
		name, _ := New(time.Now().Add(time.Hour), filepath.Join(module, "cmd"), "").Of("lock", "a.f", file, 4)
		require.Equal(t, known, name == "mu", file)
		name, _ = New(time.Now().Add(time.Hour), other, "").Of("lock", "a.f", file, 4)
		require.Equal(t, known && strings.Contains(file, "@"), name == "mu", file)
	}
}

// FuzzNames: source may say anything, and be wrong; nothing is read of it for ever.
func FuzzNames(f *testing.F) {
	f.Add(text)
	f.Add("package p\n\nfunc f(a, b, c chan int) { f(b, c, a); a = b; b = c; c, a = a, c; <-a; f(a, a) }\n")
	f.Add("package p\n\ntype a struct{ *b }\n\ntype b struct{ *a }\n\nfunc (x *a) f() { x.Lock(); g := x.Lock; g() }\n")
	f.Add("package p\n\nfunc f(m ...L) { for _, m := range m { m.Lock() } }\n\nvar x = func(l L) { l.Lock() }\n\nfunc g() { x(x); select { case <-x: }; s := i.Select(); return }\n")
	file := filepath.Join(f.TempDir(), "a.go")
	f.Fuzz(func(t *testing.T, source string) {
		require.NoError(t, os.WriteFile(file, []byte(source), 0o600))
		names := New(time.Now().Add(time.Hour), "", "")
		for i := range min(strings.Count(source, "\n"), 40) + 1 {
			for operation := range methods {
				if name, unique := names.Of(operation, "", file, i+1); unique {
					require.NotEmpty(t, name)
				}
			}
			names.Of("send", "", file, i+1)
			names.Of("recv", "", file, i+1)
		}
	})
}
