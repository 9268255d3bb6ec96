//go:build linux

package linux

import (
	"cmp"
	"encoding/binary"
	"io"
	"io/fs"
	"path"
	"strings"
	"syscall"

	"tracerec/simulator/memory"
)

func openat(t *thread, a [6]uint64) (int64, errno) {
	s, err := t.p.text(a[1])
	if err != 0 {
		return 0, err
	}
	flags := a[2]
	if flags&oCreate != 0 && strings.HasSuffix(s, "/") {
		return 0, syscall.EISDIR
	}
	p, err := t.findText(a[0], s, flags&oNoFollow == 0 && flags&(oCreate|oExclusive) != oCreate|oExclusive)
	f := t.shown(p, flags)
	if f == nil {
		if err != 0 {
			return 0, err
		}
		if f, err = t.k.fs.open(p, flags, a[3]); err != 0 {
			return 0, err
		}
	}
	fd, err := t.p.files.add(&open{file: f, flags: flags & (3 | oAppend | oNonblock), path: p.name, inode: t.k.fs.inode(p.name)}, 0, flags)
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
	if int64(a[3]) < 0 {
		return 0, syscall.EINVAL
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
	if int64(a[3]) < 0 {
		return 0, syscall.EINVAL
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

func truncate(t *thread, a [6]uint64) (int64, errno) {
	p, err := t.find(atWorkingDir&0xffffffff, a[0], true)
	if err != 0 {
		return 0, err
	}
	f, err := t.k.fs.open(p, oWriteOnly, 0)
	if err != 0 {
		return 0, err
	}
	defer f.close()
	return 0, number(f.(*regular).Truncate(int64(a[1])))
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

// stat stores what is known of a file. Times are all the same unless the guest set them, and owners the guest's.
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
	times, ok := t.k.fs.times[inode]
	if !ok {
		times = [2]timespec{{boot / 1e9, 0}, {boot / 1e9, 0}}
	}
	for i, time := range []timespec{times[0], times[1], {boot / 1e9, 0}} {
		le.PutUint64(b[72+16*i:], uint64(time.seconds))
		le.PutUint64(b[80+16*i:], uint64(time.ns))
	}
	return t.p.put(at, b[:])
}

// statInfo is stat of what the host says.
func (t *thread) statInfo(at, inode uint64, info fs.FileInfo) errno {
	mode, size := uint32(info.Mode().Perm()), info.Size()
	for bit, is := range map[uint32]fs.FileMode{0o1000: fs.ModeSticky, 0o2000: fs.ModeSetgid, 0o4000: fs.ModeSetuid} {
		if info.Mode()&is != 0 {
			mode |= bit
		}
	}
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
	err := t.stat(at, inode, mode, size)
	if host, ok := info.Sys().(*syscall.Stat_t); ok && err == 0 && !info.IsDir() {
		err = t.p.putWord32(at+20, uint32(host.Nlink))
	}
	return err
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
		if p, err := t.k.fs.look(o.path); err == 0 && p.info != nil {
			return 0, t.statInfo(a[1], o.inode, p.info)
		}
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
	s, err := t.p.text(a[1])
	switch {
	case err != 0:
		return 0, err
	case s == "" && a[3]&emptyPath != 0:
		return fstat(t, [6]uint64{a[0], a[2]})
	}
	if _, rest, ok := t.p.ownLink(s); ok && rest == "" && a[3]&noFollow != 0 {
		return 0, t.stat(a[2], t.k.fs.inode(s), modeLink|0o777, 0)
	}
	p, err := t.findText(a[0], s, a[3]&noFollow == 0)
	switch name := p.name; {
	case name == "/dev/null":
		return 0, t.stat(a[2], 3, modeDevice|0o666, 0)
	case t.k.net.names[name] != nil:
		return 0, t.stat(a[2], t.k.fs.inode(name), modeSocket|0o755, 0)
	}
	if p.info != nil && err == 0 {
		return 0, t.statInfo(a[2], t.k.fs.inode(p.name), p.info)
	}
	if err, ok := t.statShown(a[2], p.name); ok {
		return 0, err
	}
	return 0, cmp.Or(err, syscall.ENOENT)
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
	s, err := t.p.text(a[1])
	if err != 0 {
		return 0, err
	}
	target, rest, ok := t.p.ownLink(s)
	if !ok || rest != "" {
		p, err := t.findText(a[0], s, false)
		if err = cmp.Or(err, p.exists()); err != 0 {
			return 0, err
		}
		if p.info.Mode()&fs.ModeSymlink == 0 {
			return 0, syscall.EINVAL
		}
		var e error
		if target, e = p.mount.root.Readlink(p.in); e != nil {
			return 0, number(e)
		}
	}
	n := min(uint64(len(target)), a[3])
	return int64(n), t.p.put(a[2], []byte(target[:n]))
}

func faccessat(t *thread, a [6]uint64) (int64, errno) {
	p, err := t.find(a[0], a[1], true)
	switch {
	case p.name == "/dev/null":
		return 0, 0
	case err != 0:
		return 0, err
	}
	return 0, p.access(a[2] & 7)
}

func getcwd(t *thread, a [6]uint64) (int64, errno) {
	b := append([]byte(t.p.dir), 0)
	if uint64(len(b)) > a[1] {
		return 0, syscall.ERANGE
	}
	return int64(len(b)), t.p.put(a[0], b)
}

func chdir(t *thread, a [6]uint64) (int64, errno) {
	p, err := t.find(atWorkingDir&0xffffffff, a[0], true)
	if err != 0 {
		return 0, err
	}
	return 0, t.goTo(p)
}

func fchdir(t *thread, a [6]uint64) (int64, errno) {
	o, err := t.p.files.get(a[0])
	if err != 0 {
		return 0, err
	}
	if _, ok := o.file.(*directory); !ok {
		return 0, syscall.ENOTDIR
	}
	p, err := t.k.fs.look(o.path)
	if err != 0 {
		return 0, err
	}
	return 0, t.goTo(p)
}

func (t *thread) goTo(p place) errno {
	err := p.enter()
	if err == 0 {
		t.p.dir = p.name
	}
	return err
}
