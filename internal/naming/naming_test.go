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
	counts.mu.Lock() // lock counts.mu
	mu := &db.metalock
	mu.Lock() // lock mu
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
	helper().Lock() // lock helper(…)
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

func helper() *sync.Mutex { return new(sync.Mutex) }
`

func TestNames(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "db.go")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "other.go"), []byte("package other\nfunc f() {"), 0o600))
	names := New(time.Now().Add(time.Hour))
	asked := 0
	for i, line := range strings.Split(text, "\n") {
		_, comment, ok := strings.Cut(line, " // ")
		if !ok {
			continue
		}
		asked++
		words := append(strings.Fields(comment), "", "")
		name, unique := names.Of(words[0], file, i+1)
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
	name, unique := New(time.Now().Add(time.Hour)).Of("lock", use, 4)
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
		name, unique := New(c.before).Of("lock", c.file, c.line)
		require.Empty(t, name, c.what)
		require.False(t, unique, c.what)
	}
	name, _ := New(time.Now().Add(time.Hour)).Of("lock", file, 4)
	require.Equal(t, "mu", name)
}
