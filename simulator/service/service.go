//go:build linux

// Package service answers the requests of programs on the simulator, made through package guest: the call-through services of BGLsim (Mindlin et al., "Obtaining
// Hardware Performance Metrics for the BlueGene/L Supercomputer", section 2), above all its counters.
package service

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"syscall"

	"tracerec/simulator/count"
	"tracerec/simulator/guest"
	"tracerec/simulator/linux"
	"tracerec/simulator/memory"
)

// Tracer is what the guest switches on and off: see package addresstrace.
type Tracer interface {
	// Switch is called in the turn of the thread that asks.
	Switch(on bool, code, data guest.Range)
}

// Options say what guests get besides counters.
type Options struct {
	Files string // directory of the host of which guests may read files, and nothing outside of it; "" for none
	Trace Tracer // nil: there is none
}

// Services answers guests. It is used by the goroutine of the run.
type Services struct {
	count     *count.Counters
	events    []count.Event
	files     *os.Root
	trace     Tracer
	processes map[int]*sets
}

// sets are those of a process.
type sets struct {
	list map[uint64]*set
	next uint64
}

// maxSets is how many sets of counters a process may have.
const maxSets = 4096

// set is a set of counters.
type set struct {
	whose        who
	caller       bool  // whose is the goroutine that asks
	events       []int // that are selected, by their numbers; nil is all
	running      bool
	user, kernel count.Values // up to the last stop
	from         [2]count.Values
}

// who says whose counts are meant.
type who struct {
	process int
	scope   count.Scope
	id      uint64
}

// New returns the services of a run, which c observes. They have to be closed after it.
func New(c *count.Counters, o Options) (*Services, error) {
	s := &Services{count: c, events: c.Events(), trace: o.Trace, processes: map[int]*sets{}}
	if o.Files != "" {
		root, err := os.OpenRoot(o.Files)
		if err != nil {
			return nil, fmt.Errorf("cannot share files with the guest: %w", err)
		}
		s.files = root
	}
	return s, nil
}

// Close frees what the services took of the host.
func (s *Services) Close() error {
	if s.files == nil {
		return nil
	}
	return s.files.Close()
}

// Call implements [linux.Services].
func (s *Services) Call(t linux.Turn, a [6]uint64) int64 {
	c := caller{s, t, a}
	do := answers[guest.Service(a[0])]
	if do == nil {
		return -int64(syscall.ENOSYS)
	}
	v, err := do(&c)
	if err != 0 {
		return -int64(err)
	}
	return v
}

// caller is a call.
type caller struct {
	*Services
	turn linux.Turn
	a    [6]uint64 // the service, and its arguments
}

var answers = map[guest.Service]func(c *caller) (int64, syscall.Errno){
	guest.Hello:      func(*caller) (int64, syscall.Errno) { return guest.Version, 0 },
	guest.Describe:   (*caller).describe,
	guest.Initialize: (*caller).initialize,
	guest.Choose:     onSet((*caller).choose),
	guest.StartSet:   onSet((*caller).start),
	guest.StopSet:    onSet((*caller).stop),
	guest.ResetSet:   onSet((*caller).reset),
	guest.ReadSet:    onSet((*caller).read),
	guest.Now:        onSet((*caller).now),
	guest.Free:       onSet((*caller).free),
	guest.Identify:   (*caller).identify,
	guest.Map:        (*caller).mapRegister,
	guest.TaskSwitch: (*caller).switchTask,
	guest.TaskExit:   (*caller).exitTask,
	guest.TraceOn:    (*caller).traceOn,
	guest.TraceOff:   (*caller).traceOff,
	guest.File:       (*caller).file,
}

// memory returns memory of the guest: n pieces of size bytes.
func (c *caller) memory(at, n, size uint64, p memory.Prot) ([]byte, syscall.Errno) {
	if n == 0 {
		return nil, 0
	}
	if n > 1<<24 {
		return nil, syscall.EINVAL
	}
	b, ok := c.turn.Memory.Bytes(at, n*size, p)
	if !ok {
		return nil, syscall.EFAULT
	}
	return b, 0
}

// describe stores the name and the description of an event, with NUL between them.
func (c *caller) describe() (int64, syscall.Errno) {
	if c.a[1] >= uint64(len(c.events)) {
		return 0, syscall.ENOENT
	}
	e := &c.events[c.a[1]]
	room, err := c.memory(c.a[2], c.a[3], 1, memory.Write)
	if err != 0 {
		return 0, err
	}
	n := int64(copy(room, e.Name+"\x00"+e.Description)) << 1
	if c.count.Kernel(e) {
		n |= 1
	}
	return n, 0
}

// identify returns the number of the calling thread or goroutine, 0 if it is in none.
func (c *caller) identify() (int64, syscall.Errno) {
	switch guest.Scope(c.a[1]) {
	case guest.Process:
		return int64(c.turn.Process), 0
	case guest.Thread:
		return int64(c.turn.Thread), 0
	case guest.Goroutine, guest.Caller:
		return int64(c.count.Running()), 0
	}
	return 0, syscall.EINVAL
}

func (c *caller) switchTask() (int64, syscall.Errno) {
	if !c.count.SwitchTask(c.turn.Process, c.turn.Thread, c.a[1]) {
		return 0, syscall.ESRCH
	}
	return 0, 0
}

func (c *caller) exitTask() (int64, syscall.Errno) {
	if !c.count.EndTask(c.turn.Process, c.a[1]) {
		return 0, syscall.ESRCH
	}
	return 0, 0
}

func (c *caller) mapRegister() (int64, syscall.Errno) {
	if c.a[3] >= uint64(len(c.events)) || !c.count.Map(c.turn.Process, int(c.a[1]), &c.events[c.a[3]]) {
		return 0, syscall.EINVAL
	}
	return 0, 0
}

func (c *caller) traceOn() (int64, syscall.Errno) {
	if c.trace == nil {
		return 0, syscall.ENODEV
	}
	if c.a[3] != 4 {
		return 0, syscall.EINVAL
	}
	b, err := c.memory(c.a[2], 4, 8, memory.Read)
	if err != 0 {
		return 0, err
	}
	word := func(i int) uintptr { return uintptr(binary.LittleEndian.Uint64(b[8*i:])) }
	c.trace.Switch(true, guest.Range{Begin: word(0), End: word(1)}, guest.Range{Begin: word(2), End: word(3)})
	return 0, 0
}

func (c *caller) traceOff() (int64, syscall.Errno) {
	if c.trace == nil {
		return 0, syscall.ENODEV
	}
	c.trace.Switch(false, guest.Range{}, guest.Range{})
	return 0, 0
}

// file stores a piece of a file of the host.
func (c *caller) file() (int64, syscall.Errno) {
	if c.files == nil {
		return 0, syscall.EACCES
	}
	name, err := c.memory(c.a[2], c.a[3], 1, memory.Read)
	if err != 0 {
		return 0, err
	}
	room, err := c.memory(c.a[4], c.a[5], 1, memory.Write)
	if err != 0 {
		return 0, err
	}
	f, e := c.files.Open(path.Join(".", string(name)))
	if e != nil {
		return 0, refusal(e)
	}
	defer f.Close()
	if info, e := f.Stat(); e != nil || !info.Mode().IsRegular() {
		return 0, syscall.EACCES
	}
	n, e := f.ReadAt(room, int64(c.a[1]))
	if e != nil && e != io.EOF {
		return 0, refusal(e)
	}
	return int64(n), 0
}

// refusal says why a file is not read: it is not there, or must not be.
func refusal(err error) syscall.Errno {
	if errors.Is(err, fs.ErrNotExist) {
		return syscall.ENOENT
	}
	return syscall.EACCES
}
