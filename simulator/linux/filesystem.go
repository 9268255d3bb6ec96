//go:build linux

package linux

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// fileSystem is what the guest sees of the host's files: directories that it was given, and nothing through links that lead
// out of them.
type fileSystem struct {
	mounts []mounted // longest name first
	inodes map[string]uint64
	files  uint64                 // inodes ever given
	times  map[uint64][2]timespec // of access and of change, that the guest set, by inode
}

type mounted struct {
	Mount
	root *os.Root
}

func newFileSystem(mounts []Mount) (*fileSystem, error) {
	f := &fileSystem{inodes: map[string]uint64{}, times: map[uint64][2]timespec{}}
	for _, m := range mounts {
		m.Guest = path.Clean("/" + m.Guest)
		root, err := os.OpenRoot(m.Host)
		if err != nil {
			return nil, errors.Join(err, f.close())
		}
		f.mounts = append(f.mounts, mounted{m, root})
	}
	slices.SortStableFunc(f.mounts, func(a, b mounted) int { return cmp.Compare(len(b.Guest), len(a.Guest)) })
	return f, nil
}

func (f *fileSystem) close() error {
	var errs []error
	for _, m := range f.mounts {
		errs = append(errs, m.root.Close())
	}
	return errors.Join(errs...)
}

func (f *fileSystem) absolute(dir, name string) string {
	if !strings.HasPrefix(name, "/") {
		name = dir + "/" + name
	}
	return path.Clean(name)
}

// find returns the directory that holds an absolute name, and the name in it.
func (f *fileSystem) find(name string) (mounted, string, errno) {
	for _, m := range f.mounts {
		if m.Guest == "/" {
			return m, cmp.Or(strings.TrimPrefix(name, "/"), "."), 0
		}
		if rest, ok := strings.CutPrefix(name, m.Guest); ok && (rest == "" || rest[0] == '/') {
			return m, cmp.Or(strings.TrimPrefix(rest, "/"), "."), 0
		}
	}
	return mounted{}, "", syscall.ENOENT
}

// inode numbers names in the order in which they are asked for: the host's numbers would differ from run to run.
func (f *fileSystem) inode(name string) uint64 {
	n, ok := f.inodes[name]
	if !ok {
		f.files++
		n = f.files + 1
		f.inodes[name] = n
	}
	return n
}

// renamed keeps the numbers of what has another name now: it is the same file.
func (f *fileSystem) renamed(from, to string) {
	if n, ok := f.inodes[from]; ok && n == f.inodes[to] {
		return // two names of one file stay
	}
	f.removed(to)
	for name, n := range maps.Clone(f.inodes) {
		if rest, ok := strings.CutPrefix(name, from); ok && (rest == "" || rest[0] == '/') {
			delete(f.inodes, name)
			f.inodes[to+rest] = n
		}
	}
}

// linked gives a file another name.
func (f *fileSystem) linked(from, to string) { f.inodes[to] = f.inode(from) }

// removed forgets the number of a name: another file may have it later.
func (f *fileSystem) removed(name string) { delete(f.inodes, name) }

// regular is an ordinary file.
type regular struct {
	*os.File
	append bool
}

func (r *regular) read(b []byte) (int, errno) {
	n, err := r.File.Read(b)
	if err == io.EOF {
		err = nil
	}
	return n, number(err)
}

func (r *regular) write(b []byte) (int, errno) {
	if r.append {
		if _, err := r.Seek(0, io.SeekEnd); err != nil {
			return 0, number(err)
		}
	}
	n, err := r.File.Write(b)
	return n, number(err)
}

func (*regular) ready() uint32 { return pollIn | pollOut }
func (r *regular) close()      { r.File.Close() }

// content returns all of the file, for a mapping of it.
func (r *regular) content() ([]byte, errno) {
	info, err := r.Stat()
	if err != nil || info.Size() > largest {
		return nil, syscall.ENOMEM
	}
	b := make([]byte, info.Size())
	n, err := r.ReadAt(b, 0)
	if err == io.EOF {
		err = nil
	}
	return b[:n], number(err)
}

// directory is an open directory; its entries are sorted, for the host's order differs from run to run.
type directory struct {
	entries []fs.DirEntry
	at      int
}

func (*directory) read([]byte) (int, errno)  { return 0, syscall.EISDIR }
func (*directory) write([]byte) (int, errno) { return 0, syscall.EBADF }
func (*directory) ready() uint32             { return pollIn }
func (*directory) close()                    {}

// device is a file that is always there.
type device struct {
	k      *Kernel
	random bool
}

func (d *device) read(b []byte) (int, errno) {
	if !d.random {
		return 0, 0
	}
	for i := range b {
		b[i] = byte(d.k.random.Uint32())
	}
	return len(b), 0
}
func (*device) write(b []byte) (int, errno) { return len(b), 0 }
func (*device) ready() uint32               { return pollIn | pollOut }
func (*device) close()                      {}

// hosts is what the guest reads as /etc/hosts if its mounts have no such file: programs look the name up.
const hosts = "127.0.0.1 localhost\n::1 localhost\n"

// text is a file of the simulator's.
type text struct {
	device
	rest string
}

func (f *text) read(b []byte) (int, errno) {
	n := copy(b, f.rest)
	f.rest = f.rest[n:]
	return n, 0
}

// shown returns the file that the kernel itself has at a place, nil if there is none.
func (t *thread) shown(p place, flags uint64) file {
	switch p.name {
	case "/dev/null":
		return &device{k: t.k}
	case "/dev/urandom", "/dev/random":
		return &device{k: t.k, random: true}
	}
	switch {
	case p.info != nil || flags&(oWriteOnly|oReadWrite|oCreate) != 0 || p.name == "":
	case p.name == "/etc/hosts":
		return &text{rest: hosts}
	default:
		return t.told(p.name)
	}
	return nil
}

// open opens a file, or creates it.
func (f *fileSystem) open(p place, flags, mode uint64) (file, errno) {
	if err := p.openable(flags); err != 0 {
		return nil, err
	}
	if p.info != nil && p.info.IsDir() {
		return f.list(p)
	}
	host, e := p.mount.root.OpenFile(p.in, int(flags&(3|oCreate|oExclusive|oTruncate)), 0o600)
	if e != nil {
		return nil, number(e)
	}
	if p.info == nil {
		if e := host.Chmod(fileMode(mode & 0o777 &^ maskOf)); e != nil {
			host.Close()
			return nil, number(e)
		}
	}
	return &regular{host, flags&oAppend != 0}, 0
}

// openable says whether a file may be opened with these flags.
func (p place) openable(flags uint64) errno {
	what := uint64(mayRead)
	if flags&(oWriteOnly|oReadWrite) == oWriteOnly {
		what = 0
	}
	if flags&(oWriteOnly|oReadWrite|oTruncate) != 0 {
		what |= mayWrite
	}
	switch {
	case p.info == nil && flags&oCreate == 0:
		return syscall.ENOENT
	case p.info == nil:
		return p.changeable()
	case flags&(oCreate|oExclusive) == oCreate|oExclusive:
		return syscall.EEXIST
	case flags&oDirectory != 0 && !p.info.IsDir():
		return syscall.ENOTDIR
	case p.info.Mode()&fs.ModeSymlink != 0:
		return syscall.ELOOP
	case p.info.IsDir() && (what&mayWrite != 0 || flags&oCreate != 0):
		return syscall.EISDIR
	case !p.info.IsDir() && !p.info.Mode().IsRegular():
		return syscall.EACCES // devices and pipes of the host are not the guest's
	}
	return p.access(what)
}

// list opens a directory.
func (f *fileSystem) list(p place) (file, errno) {
	d := &directory{}
	if p.mount.root != nil {
		var e error
		if d.entries, e = readDir(p.mount.root, p.in); e != nil {
			return nil, number(e)
		}
	}
	for _, name := range f.leads(p.name) {
		d.entries = slices.DeleteFunc(d.entries, func(e fs.DirEntry) bool { return e.Name() == name })
		d.entries = append(d.entries, lead(name))
	}
	slices.SortFunc(d.entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return d, 0
}

// readDir lists a directory. That it may be read is enough, as on Linux; what a Root opened looks at every file in there, too.
func readDir(root *os.Root, name string) ([]fs.DirEntry, error) {
	opened, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer opened.Close()
	fd, err := unix.FcntlInt(opened.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	dir := os.NewFile(uintptr(fd), "/proc/self/fd/"+strconv.Itoa(fd)) // a file system may not tell of what type its files are
	defer dir.Close()
	return dir.ReadDir(-1)
}
