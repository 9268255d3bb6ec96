//go:build linux

package linux

import (
	"cmp"
	"errors"
	"io"
	"slices"
	"syscall"

	"tracerec/simulator/memory"
)

// file is something that a descriptor refers to. Methods return EAGAIN where they would wait.
type file interface {
	read(b []byte) (int, errno)
	write(b []byte) (int, errno)
	ready() uint32 // events of poll
	close()
}

// Events of poll and epoll.
const (
	pollIn    = 1
	pollOut   = 4
	pollErr   = 8
	pollHup   = 16
	pollRdHup = 0x2000
)

// open is an open file: what descriptors share after dup.
type open struct {
	file
	flags uint64 // O_NONBLOCK, O_APPEND and how it is accessed
	path  string
	inode uint64 // number that it has under any name
	users int
}

// Flags of files.
const (
	oWriteOnly = 1
	oReadWrite = 2
	oCreate    = 0x40
	oExclusive = 0x80
	oTruncate  = 0x200
	oAppend    = 0x400
	oNonblock  = 0x800
	oDirectory = 0x10000
	oNoFollow  = 0x20000
	oCloseExec = 0x80000
)

// files is a table of descriptors.
type files struct {
	k    *Kernel
	most uint64 // descriptors that there may be
	list []descriptor
}

// descriptor is a number's open file, or nil.
type descriptor struct {
	*open
	closes bool // when another program is executed
}

// maxFiles is how many descriptors a process may have, unless it lowers its limit.
const maxFiles = 1024

func newFiles(k *Kernel) files {
	f := files{k: k, most: maxFiles}
	for _, s := range []file{&input{r: k.o.Stdin}, &output{k.o.Stdout}, &output{k.o.Stderr}} {
		f.add(&open{file: s, flags: oReadWrite}, 0, 0)
	}
	return f
}

// add gives a file the lowest free descriptor from least on. Of the flags, O_CLOEXEC matters.
func (f *files) add(o *open, least, flags uint64) (int64, errno) {
	for n := least; n < f.most; n++ {
		for uint64(len(f.list)) <= n {
			f.list = append(f.list, descriptor{})
		}
		if f.list[n].open == nil {
			f.list[n] = descriptor{o, flags&oCloseExec != 0}
			o.users++
			return int64(n), 0
		}
	}
	return 0, syscall.EMFILE
}

func (f *files) get(n uint64) (*open, errno) {
	if n = uint64(uint32(n)); n >= uint64(len(f.list)) || f.list[n].open == nil {
		return nil, syscall.EBADF
	}
	return f.list[n].open, 0
}

func (f *files) drop(n uint64) errno {
	o, err := f.get(n)
	if err != 0 {
		return err
	}
	f.list[uint32(n)] = descriptor{}
	if o.users--; o.users == 0 {
		o.file.close()
	}
	f.k.changed = true
	return 0
}

// copy returns a table of the same open files.
func (f *files) copy() files {
	for _, d := range f.list {
		if d.open != nil {
			d.users++
		}
	}
	return files{f.k, f.most, slices.Clone(f.list)}
}

// closeAll closes all files.
func (f *files) closeAll() {
	for n := range f.list {
		f.drop(uint64(n))
	}
}

// closeOnExec closes those that another program is not to have.
func (f *files) closeOnExec() {
	for n, d := range f.list {
		if d.closes {
			f.drop(uint64(n))
		}
	}
}

// input is the standard input.
type input struct {
	r   io.Reader
	end bool
}

func (i *input) read(b []byte) (int, errno) {
	if i.r == nil || i.end || len(b) == 0 {
		return 0, 0
	}
	n, err := i.r.Read(b)
	if err != nil {
		i.end = true
	}
	return n, 0
}
func (*input) write([]byte) (int, errno) { return 0, syscall.EBADF }
func (*input) ready() uint32             { return pollIn }
func (*input) close()                    {}

// output is one of the standard outputs.
type output struct{ w io.Writer }

func (*output) read([]byte) (int, errno) { return 0, syscall.EBADF }
func (o *output) write(b []byte) (int, errno) {
	if o.w == nil {
		return len(b), 0
	}
	n, err := o.w.Write(slices.Clone(b)) // the memory may fault, and the writer may keep it
	switch {
	case err == nil || n > 0:
		return n, 0
	case errors.Is(err, syscall.EPIPE):
		return 0, syscall.EPIPE
	}
	return 0, syscall.EIO
}
func (*output) ready() uint32 { return pollOut }
func (*output) close()        {}

// transfer reads or writes pieces of memory, or says what is wrong with them, and waits for the file if it must and may.
func (t *thread) transfer(fd uint64, pieces [][]byte, err errno, do func(file, []byte) (int, errno)) (int64, errno) {
	o, e := t.p.files.get(fd)
	if err = cmp.Or(e, err); err != 0 {
		return 0, err
	}
	attempt := func() (n int64, err errno) {
		for _, b := range pieces {
			var m int
			if m, err = do(o.file, b); err != 0 {
				break
			}
			n += int64(m)
			if m < len(b) {
				break
			}
		}
		if n > 0 {
			err, t.k.changed = 0, true
		}
		return n, err
	}
	n, err := attempt()
	if err == syscall.EPIPE {
		t.send(signal{number: sigPIPE, pid: t.p.id})
	}
	if err != syscall.EAGAIN || o.flags&oNonblock != 0 {
		return n, err
	}
	return t.await(attempt)
}

// await lets the thread wait until attempt, which was made already, returns something else than EAGAIN.
func (t *thread) await(attempt func() (int64, errno)) (int64, errno) {
	t.restart = true
	t.block(-1, func() (int64, bool) {
		n, err := attempt()
		return result(n, err), err != syscall.EAGAIN
	}, 0)
	return 0, 0
}

func read(t *thread, a [6]uint64) (int64, errno) {
	b, err := t.p.room(a[1], a[2])
	return t.transfer(a[0], [][]byte{b}, err, file.read)
}

func write(t *thread, a [6]uint64) (int64, errno) {
	b, err := t.p.bytes(a[1], a[2])
	return t.transfer(a[0], [][]byte{b}, err, file.write)
}

func readv(t *thread, a [6]uint64) (int64, errno) {
	pieces, err := t.p.vector(a[1], int(int32(a[2])), memory.Write)
	if s, _, e := t.socket(a[0]); e == 0 && err == 0 && s.kind == datagram {
		return t.receive(a[0], message{pieces: pieces})
	}
	return t.transfer(a[0], pieces, err, file.read)
}

func writev(t *thread, a [6]uint64) (int64, errno) {
	pieces, err := t.p.vector(a[1], int(int32(a[2])), memory.Read)
	if s, _, e := t.socket(a[0]); e == 0 && err == 0 && s.kind == datagram {
		return t.transmit(a[0], message{pieces: pieces})
	}
	return t.transfer(a[0], pieces, err, file.write)
}

func closeFile(t *thread, a [6]uint64) (int64, errno) { return 0, t.p.files.drop(a[0]) }

func dup(t *thread, a [6]uint64) (int64, errno) {
	o, err := t.p.files.get(a[0])
	if err != 0 {
		return 0, err
	}
	return t.p.files.add(o, 0, 0)
}

func dup3(t *thread, a [6]uint64) (int64, errno) {
	o, err := t.p.files.get(a[0])
	switch {
	case err != 0:
		return 0, err
	case a[1] >= t.p.files.most:
		return 0, syscall.EBADF
	case uint32(a[0]) == uint32(a[1]):
		return 0, syscall.EINVAL
	}
	t.p.files.drop(a[1]) // if it was open
	return t.p.files.add(o, a[1], a[2])
}

func fcntl(t *thread, a [6]uint64) (int64, errno) {
	o, err := t.p.files.get(a[0])
	if err != 0 {
		return 0, err
	}
	if e, ok := o.file.(*event); ok {
		if v, err, ok := e.settings(t, a); ok {
			return v, err
		}
	}
	if (a[1] == 0 || a[1] == 1030) && a[2] >= t.p.files.most {
		return 0, syscall.EINVAL
	}
	switch a[1] {
	case 0: // F_DUPFD
		return t.p.files.add(o, a[2], 0)
	case 1030: // with close-on-exec
		return t.p.files.add(o, a[2], oCloseExec)
	case 1: // F_GETFD
		if t.p.files.list[uint32(a[0])].closes {
			return 1, 0
		}
		return 0, 0
	case 2: // F_SETFD
		t.p.files.list[uint32(a[0])].closes = a[2]&1 != 0
		return 0, 0
	case 3: // F_GETFL
		return int64(o.flags), 0
	case 4: // F_SETFL
		o.flags = o.flags&^(oAppend|oNonblock) | a[2]&(oAppend|oNonblock)
		return 0, 0
	case 5, 6, 7, 36, 37, 38: // locks, of which there is no other owner
		return 0, 0
	}
	return 0, syscall.EINVAL
}

// ioctl controls events, and knows that nothing is a terminal.
func ioctl(t *thread, a [6]uint64) (int64, errno) {
	o, err := t.p.files.get(a[0])
	if err != 0 {
		return 0, err
	}
	if e, ok := o.file.(*event); ok {
		return e.control(t, a[1], a[2])
	}
	return 0, syscall.ENOTTY
}

// pipe is what goes from one open file to another.
type pipe struct {
	k                *Kernel
	data             []byte
	readers, writers int
	filled, drained  uint64 // how often something came, or room for more
	messages         []int  // sizes of those in data, if they are kept apart
}

// pipeSize is how much a pipe holds, pipeAtomic what is written whole or not yet.
const (
	pipeSize   = 64 << 10
	pipeAtomic = 4 << 10
)

type pipeEnd struct {
	*pipe
	writes bool
}

func (e *pipeEnd) read(b []byte) (int, errno) {
	switch {
	case e.writes:
		return 0, syscall.EBADF
	case len(e.data) > 0 || len(b) == 0:
		if pipeSize-len(e.data) < pipeAtomic {
			e.drained++
		}
		n := copy(b, e.data)
		e.data = e.data[n:]
		return n, 0
	case e.writers == 0:
		return 0, 0
	}
	return 0, syscall.EAGAIN
}

func (e *pipeEnd) write(b []byte) (int, errno) {
	room := pipeSize - len(e.data)
	switch {
	case !e.writes:
		return 0, syscall.EBADF
	case e.readers == 0:
		return 0, syscall.EPIPE
	case room == 0 || len(b) <= pipeAtomic && room < len(b):
		return 0, syscall.EAGAIN
	}
	n := min(room, len(b))
	e.data = append(e.data, b[:n]...)
	e.filled++
	return n, 0
}

func (e *pipeEnd) changes() uint64 {
	if e.writes {
		return e.drained
	}
	return e.filled
}

func (e *pipeEnd) ready() (events uint32) {
	if e.writes {
		if e.readers == 0 {
			return pollOut | pollErr
		}
		if pipeSize-len(e.data) >= pipeAtomic {
			events |= pollOut
		}
		return events
	}
	if len(e.data) > 0 {
		events |= pollIn
	}
	if e.writers == 0 {
		events |= pollHup
	}
	return events
}

func (e *pipeEnd) close() {
	if e.writes {
		e.writers--
		e.filled++
	} else {
		e.readers--
		e.drained++
	}
	e.k.changed = true
}

func pipe2(t *thread, a [6]uint64) (int64, errno) {
	const packets, exclusive = 0x4000, 0x80
	if a[1]&^(oCloseExec|oNonblock|packets|exclusive) != 0 {
		return 0, syscall.EINVAL
	}
	p := &pipe{k: t.k, readers: 1, writers: 1}
	r, err := t.p.files.add(&open{file: &pipeEnd{p, false}, flags: a[1] & oNonblock}, 0, a[1])
	if err != 0 {
		return 0, err
	}
	w, err := t.p.files.add(&open{file: &pipeEnd{p, true}, flags: a[1]&oNonblock | oWriteOnly}, 0, a[1])
	if err == 0 {
		if err = t.p.putWord32(a[0], uint32(r)); err == 0 {
			err = t.p.putWord32(a[0]+4, uint32(w))
		}
	}
	return 0, err
}

// counter is an eventfd.
type counter struct {
	value     uint64
	semaphore bool
	written   uint64
}

func (c *counter) read(b []byte) (int, errno) {
	if len(b) < 8 {
		return 0, syscall.EINVAL
	}
	if c.value == 0 {
		return 0, syscall.EAGAIN
	}
	v := c.value
	if c.semaphore {
		v = 1
	}
	c.value -= v
	putUint64(b, v)
	return 8, 0
}

func (c *counter) write(b []byte) (int, errno) {
	if len(b) < 8 {
		return 0, syscall.EINVAL
	}
	v := getUint64(b)
	if v == ^uint64(0) {
		return 0, syscall.EINVAL
	}
	if c.value+v < c.value || c.value+v == ^uint64(0) {
		return 0, syscall.EAGAIN
	}
	c.value += v
	c.written++
	return 8, 0
}

func (c *counter) ready() uint32 {
	events := uint32(pollOut)
	if c.value > 0 {
		events |= pollIn
	}
	return events
}

func (c *counter) changes() uint64 { return c.written }
func (*counter) close()            {}

func eventfd(t *thread, a [6]uint64) (int64, errno) {
	return t.p.files.add(&open{file: &counter{value: a[0], semaphore: a[1]&1 != 0}, flags: a[1]&oNonblock | oReadWrite}, 0, a[1])
}
