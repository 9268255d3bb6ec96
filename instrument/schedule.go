package instrument

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime/trace"
	"sync"
	"time"

	"tracerec/internal/rawfile"
)

// schedule is an execution trace that is written beside the events, in pieces: it tells afterwards when goroutines were on their
// threads, and so which readings of counters nobody disturbed. What the runtime has not written when the program ends is lost; so a
// piece ends when a goroutine leaves its outermost region, for that may be the end, but not so often that it costs much.
type schedule struct {
	dir string

	mu      sync.Mutex
	running bool
	piece   int
	began   time.Time
	cost    time.Duration // of the last cut
}

// dearest is the part of the time that cuts may take: each stops the program for a moment.
const dearest = 20

// startSchedule begins to trace into the directory dir. The program cannot trace itself meanwhile.
func startSchedule(dir string) (*schedule, error) {
	s := &schedule{dir: dir}
	return s, s.begin()
}

// begin begins a piece.
func (s *schedule) begin() error {
	name := filepath.Join(s.dir, fmt.Sprintf("schedule-%d-%03d.gotrace", os.Getpid(), s.piece))
	f, err := rawfile.Create(name)
	if err != nil {
		return err
	}
	if err := trace.Start(f); err != nil {
		os.Remove(name)
		return err
	}
	s.running, s.began = true, time.Now()
	s.piece++
	return nil
}

// cut ends a piece and begins the next, unless that would be done too often.
func (s *schedule) cut() {
	if !s.mu.TryLock() {
		return
	}
	defer s.mu.Unlock()
	if !s.running || time.Since(s.began) < dearest*s.cost {
		return
	}
	start := time.Now()
	s.end()
	s.begin() // if it fails, nothing more is certified
	s.cost = time.Since(start)
}

// stop ends the last piece.
func (s *schedule) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running {
		s.end()
	}
}

func (s *schedule) end() {
	trace.Stop()
	s.running = false
}
