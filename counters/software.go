package counters

import (
	"errors"

	"tracerec/counters/sample"
	"tracerec/internal/goid"
)

// software counts the kernel's software events on the calling thread.
type software struct{}

func (software) Name() string                        { return "perf software events" }
func (software) Events() []Event                     { return events(false) }
func (software) Open(names []string) (Reader, error) { return openSample(names) }

// goRuntime reads the Go runtime's metrics of this process.
type goRuntime struct{}

func (goRuntime) Name() string                        { return "Go runtime metrics" }
func (goRuntime) Events() []Event                     { return events(true) }
func (goRuntime) Open(names []string) (Reader, error) { return openSample(names) }

func events(process bool) (out []Event) {
	for _, e := range sample.Events() {
		if e.Process == process {
			out = append(out, Event{e.Name, e.Description, e.Unit, e.Process})
		}
	}
	return out
}

// sampleReader adapts the event set that measured programs use.
type sampleReader struct {
	set   *sample.Set
	words []uint64
	where uint64 // of the previous reading; 0 before the first
	first bool
}

func openSample(names []string) (Reader, error) {
	set, err := sample.Open(names, goid.G)
	if err != nil {
		return nil, err
	}
	return &sampleReader{set: set, words: make([]uint64, 1+len(names)), first: true}, nil
}

func (r *sampleReader) Read(dst []uint64) (bool, error) {
	if n := r.set.Read(goid.G(), r.words); n != len(r.words) {
		return false, errors.New("the kernel refused the reading")
	}
	certain := r.first || r.words[0] != 0 && r.words[0] == r.where
	r.where, r.first = r.words[0], false
	copy(dst, r.words[1:])
	return certain, nil
}

func (r *sampleReader) Close() error {
	r.set.Close()
	return nil
}
