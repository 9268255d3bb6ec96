//go:build linux

package linux

import (
	"cmp"
	"io/fs"
	"strings"
	"syscall"
)

// change does something to a name: creates it, or changes what must be there.
func (t *thread) change(dir, name uint64, creates bool, do func(p place) error) (int64, errno) {
	p, err := t.find(dir, name, false)
	switch {
	case err != 0:
		return 0, err
	case creates && p.info != nil:
		return 0, syscall.EEXIST
	case !creates && p.info == nil:
		return 0, syscall.ENOENT
	}
	if err := p.changeable(); err != 0 {
		return 0, err
	}
	return 0, number(do(p))
}

// maskOf is what new files are not permitted, whatever the program says and the host's mask is.
const maskOf = 0o022

// fileMode returns the permissions of a mode.
func fileMode(mode uint64) fs.FileMode {
	m := fs.FileMode(mode & 0o777)
	for bit, is := range map[uint64]fs.FileMode{0o1000: fs.ModeSticky, 0o2000: fs.ModeSetgid, 0o4000: fs.ModeSetuid} {
		if mode&bit != 0 {
			m |= is
		}
	}
	return m
}

func mkdirat(t *thread, a [6]uint64) (int64, errno) {
	return t.change(a[0], a[1], true, func(p place) error {
		if err := p.mount.root.Mkdir(p.in, 0o700); err != nil {
			return err
		}
		return p.mount.root.Chmod(p.in, fileMode(a[2]&0o1777&^maskOf))
	})
}

func unlinkat(t *thread, a [6]uint64) (int64, errno) {
	const removeDir = 0x200
	switch p, err := t.find(a[0], a[1], false); {
	case err == 0 && t.k.net.names[p.name] != nil:
		delete(t.k.net.names, p.name)
		return 0, 0
	case err == 0 && p.dots && a[2]&removeDir != 0:
		return 0, syscall.EINVAL
	}
	return t.change(a[0], a[1], false, func(p place) error {
		switch {
		case p.info.IsDir() && a[2]&removeDir == 0:
			return syscall.EISDIR
		case !p.info.IsDir() && a[2]&removeDir != 0:
			return syscall.ENOTDIR
		}
		err := p.mount.root.Remove(p.in)
		if err == nil {
			t.k.fs.removed(p.name)
		}
		return err
	})
}

// both does something to a file and another name, in one mount.
func (t *thread) both(a [6]uint64, creates bool, do func(from, to place) error) (int64, errno) {
	s, err := t.p.text(a[3])
	if err != 0 {
		return 0, err
	}
	to, err := t.findText(a[2], s, false)
	if err != 0 {
		return 0, err
	}
	return t.change(a[0], a[1], false, func(from place) error {
		switch {
		case creates && to.info != nil:
			return syscall.EEXIST
		case strings.HasSuffix(s, "/") && !from.info.IsDir():
			if creates {
				return syscall.ENOENT
			}
			return syscall.ENOTDIR
		}
		if err := to.changeable(); err != 0 {
			return err
		}
		if from.mount.root != to.mount.root {
			return syscall.EXDEV
		}
		return do(from, to)
	})
}

func renameat(t *thread, a [6]uint64) (int64, errno) {
	const noReplace = 1
	flags := uint64(0)
	if t.number == 276 {
		flags = a[4]
	}
	if flags&^noReplace != 0 {
		return 0, syscall.EINVAL
	}
	return t.both(a, flags != 0, func(from, to place) error {
		err := from.mount.root.Rename(from.in, to.in)
		if err == nil {
			t.k.fs.renamed(from.name, to.name)
		}
		return err
	})
}

func linkat(t *thread, a [6]uint64) (int64, errno) {
	return t.both(a, true, func(from, to place) error {
		if from.info.IsDir() {
			return syscall.EPERM
		}
		err := from.mount.root.Link(from.in, to.in)
		if err == nil {
			t.k.fs.linked(from.name, to.name)
		}
		return err
	})
}

func symlinkat(t *thread, a [6]uint64) (int64, errno) {
	target, err := t.p.text(a[0])
	if err != 0 {
		return 0, err
	}
	return t.change(a[1], a[2], true, func(p place) error { return p.mount.root.Symlink(target, p.in) })
}

func fchmodat(t *thread, a [6]uint64) (int64, errno) {
	const noFollow = 0x100
	follow := t.number != 452 || a[3]&noFollow == 0 // the older call has no flags
	p, err := t.find(a[0], a[1], follow)
	if err != 0 {
		return 0, err
	}
	return 0, p.chmod(a[2])
}

func (p place) chmod(mode uint64) errno {
	switch {
	case p.info == nil:
		return syscall.ENOENT
	case p.info.Mode()&fs.ModeSymlink != 0:
		return syscall.EOPNOTSUPP
	case !p.mount.Write:
		return syscall.EROFS
	}
	return number(p.mount.root.Chmod(p.in, fileMode(mode)))
}

func fchmod(t *thread, a [6]uint64) (int64, errno) {
	o, err := t.p.files.get(a[0])
	if err != 0 {
		return 0, err
	}
	switch f := o.file.(type) {
	case *regular:
		return 0, number(f.Chmod(fileMode(a[1])))
	case *directory:
		p, err := t.k.fs.look(o.path)
		return 0, cmp.Or(err, p.chmod(a[1]))
	}
	return 0, 0 // of a pipe it has no use
}

// timespec is a time as calls take it.
type timespec struct{ seconds, ns int64 }

// utimensat sets the times of a file, which the guest alone sees: the host's stay.
func utimensat(t *thread, a [6]uint64) (int64, errno) {
	const noFollow, now, omit = 0x100, 1<<30 - 1, 1<<30 - 2
	var number uint64
	if a[1] == 0 {
		o, err := t.p.files.get(a[0])
		if err != 0 {
			return 0, err
		}
		number = o.inode
	} else {
		p, err := t.find(a[0], a[1], a[3]&noFollow == 0)
		switch err = cmp.Or(err, p.exists()); {
		case err != 0:
			return 0, err
		case !p.mount.Write:
			return 0, syscall.EROFS
		}
		number = t.k.fs.inode(p.name)
	}
	words := []uint64{0, now, 0, now}
	if a[2] != 0 {
		var err errno
		if words, err = t.p.words(a[2], 4); err != 0 {
			return 0, err
		}
	}
	times, ok := t.k.fs.times[number]
	if !ok {
		times = [2]timespec{{boot / 1e9, 0}, {boot / 1e9, 0}}
	}
	for i := range times {
		switch at := (timespec{int64(words[2*i]), int64(words[2*i+1])}); {
		case at.ns == now:
			ns := boot + t.k.now()
			times[i] = timespec{ns / 1e9, ns % 1e9}
		case at.ns == omit:
		case uint64(at.ns) >= 1e9:
			return 0, syscall.EINVAL
		default:
			times[i] = at
		}
	}
	t.k.fs.times[number] = times
	return 0, 0
}
