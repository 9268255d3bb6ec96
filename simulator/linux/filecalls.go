//go:build linux

package linux

import (
	"encoding/binary"
	"io"
	"io/fs"
	"path"
	"syscall"

	"tracerec/simulator/memory"
)

// at returns the absolute name that a directory's descriptor and a name mean.
func (t *thread) at(dir, name uint64) (string, errno) {
	s, err := t.p.text(name)
	if err != 0 {
		return "", err
	}
	if s == "" {
		return "", syscall.ENOENT
	}
	from := t.p.dir
	if int32(dir) != -100 && s[0] != '/' {
		o, err := t.p.files.get(dir)
		if err != 0 {
			return "", err
		}
		from = o.path
	}
	return t.k.fs.absolute(from, s), 0
}

func openat(t *thread, a [6]uint64) (int64, errno) {
	name, err := t.at(a[0], a[1])
	if err != 0 {
		return 0, err
	}
	f, err := t.k.fs.open(t.k, name, a[2], a[3])
	if err == syscall.ENOENT && a[2]&3 == 0 {
		if f = t.told(name); f != nil {
			err = 0
		}
	}
	if err != 0 {
		return 0, err
	}
	fd, err := t.p.files.add(&open{file: f, flags: a[2] & (3 | oAppend | oNonblock), path: name, inode: t.k.fs.inode(name)}, 0, a[2])
	if err != 0 {
		f.close()
	}
	return fd, err
}

// regularOf returns the ordinary file of a descriptor.
func (t *thread) regularOf(fd uint64) (*regular, errno) {
	o, err := t.p.files.get(fd)
	if err != 0 {
		return nil, err
	}
	r, ok := o.file.(*regular)
	if !ok {
		return nil, syscall.ESPIPE
	}
	return r, 0
}

func lseek(t *thread, a [6]uint64) (int64, errno) {
	o, err := t.p.files.get(a[0])
	if err != 0 {
		return 0, err
	}
	switch f := o.file.(type) {
	case *regular:
		n, err := f.Seek(int64(a[1]), int(a[2]))
		return n, number(err)
	case *directory:
		f.at = 0 // programs go nowhere but to the beginning
		return 0, 0
	}
	return 0, syscall.ESPIPE
}

func pread(t *thread, a [6]uint64) (int64, errno) {
	r, err := t.regularOf(a[0])
	if err != 0 {
		return 0, err
	}
	b, err := t.p.room(a[1], a[2])
	if err != 0 {
		return 0, err
	}
	n, e := r.ReadAt(b, int64(a[3]))
	if e == io.EOF {
		e = nil
	}
	return int64(n), number(e)
}

func pwrite(t *thread, a [6]uint64) (int64, errno) {
	r, err := t.regularOf(a[0])
	if err != 0 {
		return 0, err
	}
	b, err := t.p.access(a[1], a[2], memory.Read)
	if err != 0 {
		return 0, err
	}
	n, e := r.WriteAt(b, int64(a[3]))
	return int64(n), number(e)
}

func ftruncate(t *thread, a [6]uint64) (int64, errno) {
	r, err := t.regularOf(a[0])
	if err != 0 {
		return 0, err
	}
	return 0, number(r.Truncate(int64(a[1])))
}

// Types of files in st_mode.
const (
	modeDirectory = 0o040000
	modeRegular   = 0o100000
	modeLink      = 0o120000
	modePipe      = 0o010000
	modeDevice    = 0o020000
	modeSocket    = 0o140000
)

// stat stores what is known of a file. Times are all the same, and owners the guest's.
func (t *thread) stat(at uint64, inode uint64, mode uint32, size int64) errno {
	var b [128]byte
	le := binary.LittleEndian
	le.PutUint64(b[0:], 1)
	le.PutUint64(b[8:], inode)
	le.PutUint32(b[16:], mode)
	le.PutUint32(b[20:], 1)
	le.PutUint32(b[24:], 1000)
	le.PutUint32(b[28:], 1000)
	le.PutUint64(b[48:], uint64(size))
	le.PutUint32(b[56:], memory.PageSize)
	le.PutUint64(b[64:], uint64(size+511)/512)
	for _, time := range []int{72, 88, 104} {
		le.PutUint64(b[time:], uint64(boot/1e9))
	}
	return t.p.put(at, b[:])
}

// statInfo is stat of what the host says.
func (t *thread) statInfo(at, inode uint64, info fs.FileInfo) errno {
	mode, size := uint32(info.Mode().Perm()), info.Size()
	switch m := info.Mode(); {
	case m.IsDir():
		mode, size = mode|modeDirectory, memory.PageSize
	case m&fs.ModeSymlink != 0:
		mode |= modeLink
	case m.IsRegular():
		mode |= modeRegular
	default:
		mode |= modeDevice
	}
	return t.stat(at, inode, mode, size)
}

func fstat(t *thread, a [6]uint64) (int64, errno) {
	o, err := t.p.files.get(a[0])
	if err != 0 {
		return 0, err
	}
	switch f := o.file.(type) {
	case *regular:
		info, e := f.Stat()
		if e != nil {
			return 0, number(e)
		}
		return 0, t.statInfo(a[1], o.inode, info)
	case *directory:
		return 0, t.stat(a[1], o.inode, modeDirectory|0o755, memory.PageSize)
	}
	mode := uint32(modePipe)
	if _, ok := o.file.(*socket); ok {
		mode = modeSocket
	}
	return 0, t.stat(a[1], uint64(1<<32|a[0]), mode|0o600, 0)
}

func fstatat(t *thread, a [6]uint64) (int64, errno) {
	const emptyPath, noFollow = 0x1000, 0x100
	if s, err := t.p.text(a[1]); err == 0 && s == "" && a[3]&emptyPath != 0 {
		return fstat(t, [6]uint64{a[0], a[2]})
	}
	name, err := t.at(a[0], a[1])
	if err != 0 {
		return 0, err
	}
	if name == "/dev/null" {
		return 0, t.stat(a[2], 3, modeDevice|0o666, 0)
	}
	if t.k.net.names[name] != nil {
		return 0, t.stat(a[2], t.k.fs.inode(name), modeSocket|0o755, 0)
	}
	if err, ok := t.statShown(a[2], name); ok {
		return 0, err
	}
	m, in, err := t.k.fs.find(name)
	if err != 0 {
		return 0, err
	}
	stat := m.root.Stat
	if a[3]&noFollow != 0 {
		stat = m.root.Lstat
	}
	info, e := stat(in)
	if e != nil {
		return 0, number(e)
	}
	return 0, t.statInfo(a[2], t.k.fs.inode(name), info)
}

func getdents(t *thread, a [6]uint64) (int64, errno) {
	o, err := t.p.files.get(a[0])
	if err != 0 {
		return 0, err
	}
	d, ok := o.file.(*directory)
	if !ok {
		return 0, syscall.ENOTDIR
	}
	var b []byte
	for ; d.at < len(d.entries)+2; d.at++ {
		name, kind := "..", byte(4)
		switch {
		case d.at == 0:
			name = "."
		case d.at > 1:
			e := d.entries[d.at-2]
			if name = e.Name(); e.Type()&fs.ModeSymlink != 0 {
				kind = 10
			} else if !e.IsDir() {
				kind = 8
			}
		}
		size := (19 + len(name) + 1 + 7) &^ 7
		if uint64(len(b)+size) > a[2] {
			if len(b) == 0 {
				return 0, syscall.EINVAL
			}
			break
		}
		entry := make([]byte, size)
		putUint64(entry, t.k.fs.inode(path.Join(o.path, name)))
		putUint64(entry[8:], uint64(d.at+1))
		binary.LittleEndian.PutUint16(entry[16:], uint16(size))
		entry[18] = kind
		copy(entry[19:], name)
		b = append(b, entry...)
	}
	return int64(len(b)), t.p.put(a[1], b)
}

func readlinkat(t *thread, a [6]uint64) (int64, errno) {
	name, err := t.at(a[0], a[1])
	if err != 0 {
		return 0, err
	}
	target := t.p.program
	if name != "/proc/self/exe" {
		m, in, err := t.k.fs.find(name)
		if err != 0 {
			return 0, err
		}
		var e error
		if target, e = m.root.Readlink(in); e != nil {
			return 0, number(e)
		}
	}
	n := min(uint64(len(target)), a[3])
	return int64(n), t.p.put(a[2], []byte(target[:n]))
}

func faccessat(t *thread, a [6]uint64) (int64, errno) {
	name, err := t.at(a[0], a[1])
	if err != 0 {
		return 0, err
	}
	if name == "/dev/null" {
		return 0, 0
	}
	m, in, err := t.k.fs.find(name)
	if err != 0 {
		return 0, err
	}
	info, e := m.root.Stat(in)
	switch {
	case e != nil:
		return 0, number(e)
	case a[2]&2 != 0 && !m.Write:
		return 0, syscall.EROFS
	case a[2]&1 != 0 && info.Mode()&0o111 == 0:
		return 0, syscall.EACCES
	}
	return 0, 0
}

// change does something to a name that may be changed.
func (t *thread) change(dir, name uint64, do func(m mounted, in string) error) (int64, errno) {
	s, err := t.at(dir, name)
	if err != 0 {
		return 0, err
	}
	m, in, err := t.k.fs.writable(s)
	if err != 0 {
		return 0, err
	}
	return 0, number(do(m, in))
}

func mkdirat(t *thread, a [6]uint64) (int64, errno) {
	return t.change(a[0], a[1], func(m mounted, in string) error { return m.root.Mkdir(in, fs.FileMode(a[2]&0o777)) })
}

func unlinkat(t *thread, a [6]uint64) (int64, errno) {
	const removeDir = 0x200
	if name, err := t.at(a[0], a[1]); err == 0 && t.k.net.names[name] != nil {
		delete(t.k.net.names, name)
		return 0, 0
	}
	return t.change(a[0], a[1], func(m mounted, in string) error {
		info, err := m.root.Lstat(in)
		switch {
		case err != nil:
			return err
		case info.IsDir() && a[2]&removeDir == 0:
			return syscall.EISDIR
		case !info.IsDir() && a[2]&removeDir != 0:
			return syscall.ENOTDIR
		}
		t.k.fs.removed(path.Join(m.Guest, in))
		return m.root.Remove(in)
	})
}

// both does something to two names in one mount.
func (t *thread) both(a [6]uint64, do func(m mounted, from, to string) error) (int64, errno) {
	to, err := t.at(a[2], a[3])
	if err != 0 {
		return 0, err
	}
	other, toIn, err := t.k.fs.writable(to)
	if err != 0 {
		return 0, err
	}
	return t.change(a[0], a[1], func(m mounted, in string) error {
		if m.root != other.root {
			return syscall.EXDEV
		}
		return do(m, in, toIn)
	})
}

func renameat(t *thread, a [6]uint64) (int64, errno) {
	return t.both(a, func(m mounted, from, to string) error {
		err := m.root.Rename(from, to)
		if err == nil {
			t.k.fs.renamed(path.Join(m.Guest, from), path.Join(m.Guest, to))
		}
		return err
	})
}

func linkat(t *thread, a [6]uint64) (int64, errno) {
	return t.both(a, func(m mounted, from, to string) error { return m.root.Link(from, to) })
}

func symlinkat(t *thread, a [6]uint64) (int64, errno) {
	target, err := t.p.text(a[0])
	if err != 0 {
		return 0, err
	}
	return t.change(a[1], a[2], func(m mounted, in string) error { return m.root.Symlink(target, in) })
}

func fchmodat(t *thread, a [6]uint64) (int64, errno) {
	return t.change(a[0], a[1], func(m mounted, in string) error { return m.root.Chmod(in, fs.FileMode(a[2]&0o777)) })
}

func fchmod(t *thread, a [6]uint64) (int64, errno) {
	r, err := t.regularOf(a[0])
	if err != 0 {
		return 0, 0 // of a directory or a pipe it has no use
	}
	return 0, number(r.Chmod(fs.FileMode(a[1] & 0o777)))
}

func getcwd(t *thread, a [6]uint64) (int64, errno) {
	b := append([]byte(t.p.dir), 0)
	if uint64(len(b)) > a[1] {
		return 0, syscall.ERANGE
	}
	return int64(len(b)), t.p.put(a[0], b)
}

func chdir(t *thread, a [6]uint64) (int64, errno) {
	name, err := t.at(0xffffff9c, a[0])
	if err != 0 {
		return 0, err
	}
	return 0, t.goTo(name)
}

func fchdir(t *thread, a [6]uint64) (int64, errno) {
	o, err := t.p.files.get(a[0])
	if err != 0 {
		return 0, err
	}
	return 0, t.goTo(o.path)
}

func (t *thread) goTo(name string) errno {
	m, in, err := t.k.fs.find(name)
	if err != 0 {
		return err
	}
	info, e := m.root.Stat(in)
	if e != nil {
		return number(e)
	}
	if !info.IsDir() {
		return syscall.ENOTDIR
	}
	t.p.dir = name
	return 0
}
