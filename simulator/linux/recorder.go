//go:build linux

package linux

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"tracerec/simulator/memory"
)

// What recorders of other processes need: locks of files, memory for them, descriptors of processes, and what the kernel tells of
// processes in /proc.

// flock locks a file. The host's locks do: they belong to an open file, and so does the guest's.
func flock(t *thread, a [6]uint64) (int64, errno) {
	const noWait = 4
	r, err := t.regularOf(a[0])
	if err != 0 {
		return 0, err
	}
	attempt := func() (int64, errno) {
		err := syscall.Flock(int(r.Fd()), int(a[1])|noWait)
		if err == nil {
			t.k.changed = true // another may wait for what this one gave up
		}
		return 0, number(err)
	}
	n, err := attempt()
	if err != syscall.EAGAIN || a[1]&noWait != 0 {
		return n, err
	}
	return t.await(attempt)
}

// fallocate gives a file memory, or storage, of its own.
func fallocate(t *thread, a [6]uint64) (int64, errno) {
	const keepSize = 1
	r, err := t.regularOf(a[0])
	switch {
	case err != 0:
		return 0, err
	case a[1]&^keepSize != 0:
		return 0, syscall.EOPNOTSUPP
	}
	return 0, number(syscall.Fallocate(int(r.Fd()), uint32(a[1]), int64(a[2]), int64(a[3])))
}

// fileSystemSize is how large file systems are for the guest, and how much of them is free.
const fileSystemSize = 8 << 30

func putFileSystem(p *process, at uint64) (int64, errno) {
	const tmpfs, blocks = 0x01021994, fileSystemSize / memory.PageSize
	return 0, p.putWords(at, tmpfs, memory.PageSize, blocks, blocks, blocks, 1<<20, 1<<20, 0, 255, memory.PageSize, 0, 0, 0, 0, 0)
}

func statfs(t *thread, a [6]uint64) (int64, errno) {
	p, err := t.find(atWorkingDir&0xffffffff, a[0], true)
	if err = cmp.Or(err, p.exists()); err != 0 {
		return 0, err
	}
	return putFileSystem(t.p, a[1])
}

func fstatfs(t *thread, a [6]uint64) (int64, errno) {
	if _, err := t.p.files.get(a[0]); err != 0 {
		return 0, err
	}
	return putFileSystem(t.p, a[1])
}

// processFile is a descriptor of a process: it is ready when that has ended.
type processFile struct{ p *process }

func (*processFile) read([]byte) (int, errno)  { return 0, syscall.EINVAL }
func (*processFile) write([]byte) (int, errno) { return 0, syscall.EINVAL }
func (*processFile) close()                    {}
func (f *processFile) ready() uint32 {
	if f.p.dead {
		return pollIn
	}
	return 0
}

func pidfdOpen(t *thread, a [6]uint64) (int64, errno) {
	p := t.k.process(int(int32(a[0])))
	switch {
	case a[1]&^oNonblock != 0:
		return 0, syscall.EINVAL
	case p == nil:
		return 0, syscall.ESRCH
	}
	return t.p.files.add(&open{file: &processFile{p}, flags: a[1] & oNonblock}, 0, oCloseExec)
}

// process returns the process of that number that was not waited for, nil if there is none.
func (k *Kernel) process(id int) *process {
	i := slices.IndexFunc(k.all, func(p *process) bool { return p.id == id })
	if i < 0 {
		return nil
	}
	return k.all[i]
}

// timeFrequency is that of the time register.
const timeFrequency = 1e9

// told returns what the kernel tells in a file of that name, nil if there is none.
func (t *thread) told(name string) file {
	if f := t.k.perf.openShown(name); f != nil {
		return f
	}
	if name == "/proc/device-tree/cpus/timebase-frequency" {
		return &text{rest: string(binary.BigEndian.AppendUint32(nil, timeFrequency))}
	}
	rest, ok := strings.CutPrefix(name, "/proc/")
	if !ok {
		return nil
	}
	number, what, _ := strings.Cut(rest, "/")
	p := t.p
	if number != "self" {
		id, _ := strconv.Atoi(number)
		p = t.k.process(id)
	}
	switch {
	case number == "1" && what == "stat": // the parent of the first process
		return &text{rest: "1 (init) S 0 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 1 0 0\n"}
	case p == nil:
	case what == "stat":
		return &text{rest: p.stat()}
	case what == "status":
		return &text{rest: fmt.Sprintf("Name:\t%s\nTgid:\t%d\nPid:\t%d\n", path.Base(p.program), p.id, p.id)}
	case what == "task":
		d := &directory{}
		for _, t := range p.threads {
			d.entries = append(d.entries, threadEntry(t.id))
		}
		return d
	}
	return nil
}

// stat is the line of a process in /proc.
func (p *process) stat() string {
	state, parent := 'S', 0
	switch {
	case p.dead:
		state = 'Z'
	case p.stopped != 0:
		state = 'T'
	case slices.ContainsFunc(p.threads, func(t *thread) bool { return t.state == running }):
		state = 'R'
	}
	if p.parent != nil {
		parent = p.parent.id
	}
	const tick = 10_000_000
	return fmt.Sprintf("%d (%s) %c %d %d %d 0 -1 0 0 0 0 0 %d 0 %d 0 20 0 %d 0 %d 0 0\n", p.id, path.Base(p.program), state, parent, p.group,
		p.session, p.instructions()/tick, p.childTime/tick, len(p.threads), 1+p.began/tick) // nought would be none
}

// threadEntry is a thread in the list of a process's.
type threadEntry int

func (e threadEntry) Name() string             { return strconv.Itoa(int(e)) }
func (threadEntry) IsDir() bool                { return true }
func (threadEntry) Type() fs.FileMode          { return fs.ModeDir }
func (threadEntry) Info() (fs.FileInfo, error) { return nil, unix.ENOSYS }
